"""The command line: one row for each command."""
import argparse
import importlib
import os
import pkgutil
import sys

from .files import Trouble, shown

# Each module has DOES, HELP, EXIT_TROUBLE, add_arguments(parser), and run(arguments), which returns the exit status.
COMMANDS = ["report", "compare", "fleet", "check", "table", "agree", "export", "contribute", "collect", "receive"]

EPILOG = """\
Exit status: 0 right, 1 something could not be read or written, 2 wrong usage;
of compare: 0 nothing is different, 1 something is, 2 trouble, as diff has it."""


def version():
    return (pkgutil.get_data("mlpboot", "version") or b"unknown").decode().strip()


def parser_of_all(modules):
    parser = argparse.ArgumentParser(prog="mlpboot", description="Compares, collects and shows mlpboot's runs.",
                                     epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"mlpboot {version()}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, module in modules.items():
        command = commands.add_parser(name, help=module.DOES, description=module.DOES, epilog=module.HELP,
                                      formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
        module.add_arguments(command)
    return parser


def run_command(modules, words):
    """Returns the exit status. It is trouble if output did not arrive, as with a full disk behind a redirection."""
    given = parser_of_all(modules).parse_args(words)
    module = modules[given.command]
    try:
        status = module.run(given)
        sys.stdout.flush()
        return status
    except Trouble as trouble:
        print(f"mlpboot {given.command}: {shown(trouble)}", file=sys.stderr)
    except MemoryError:
        print(f"mlpboot {given.command}: not enough memory", file=sys.stderr)
    except OSError as error:
        print(f"mlpboot: standard output: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return module.EXIT_TROUBLE


def main(words=None):
    """Returns the exit status."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")
    modules = {name: importlib.import_module(f"mlpboot.{name}") for name in COMMANDS}
    try:
        return run_command(modules, words)
    except KeyboardInterrupt:
        print("mlpboot: stopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
