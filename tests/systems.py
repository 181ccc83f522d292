"""systems: builds and tests in fresh roots of Debian's releases, as the people do who have no other.

usage: systems.py [--releases NAME...] [--rows NAME...] [--keep]

Each release gets one root by mmdebstrap, of nothing but git, make, a C compiler and sudo. The rows follow each other in
it, each with sources and a home of its own; the first one installs what is missing. A line is printed for each row: how
long it took, and what its tests said; what its commands printed is in build/systems. It has to run as root, and asks
the network for packages. Exit status 1: a row failed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "systems"
RELEASES = ["bookworm", "trixie", "sid"]
PACKAGES = "git,make,gcc,libc6-dev,ca-certificates,sudo"
USER = "tester"
PATIENCE = 5400  # seconds for one command

COUNTS = r"(?m)^(\d+) passed, (\d+) failed, (\d+) skipped$"
UNITS = r"\[  (PASSED|FAILED|SKIPPED) +\] (\d+) test"


@dataclass
class Row:
    name: str
    user: str
    compiler: str
    source: str  # how the sources came there
    commands: list
    hidden: tuple = ()  # programs that are not to be there
    network: bool = True


ROWS = [
    Row("root", "root", "gcc", "clone", ["make", "make run", "make test"]),
    Row("user", USER, "gcc", "shallow clone", ["make", "make run", "build/mlpboot-hosted run --quiet --out first", "make check"]),
    Row("clang", USER, "clang", "worktree", ["make CC=clang", "make CC=clang check"]),
    Row("archive", USER, "gcc", "archive", ["make", "make test"], hidden=("git", "npm"), network=False),
]


def run(*words, **settings):
    return subprocess.run([str(word) for word in words], check=True, **settings)


def make_root(release):
    """A fresh root; apt takes a mirror's lists however old they are."""
    root = FOLDER / release
    shutil.rmtree(root, ignore_errors=True)
    log = FOLDER / f"{release}.log"
    with open(log, "w") as output:
        run("mmdebstrap", "--variant=minbase", f"--include={PACKAGES}", "--skip=cleanup/apt/lists",
            '--aptopt=Acquire::Check-Valid-Until "false"', release, root, stdout=output, stderr=output)
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    own = os.environ.get("NODE_EXTRA_CA_CERTS")
    if own:
        shutil.copy(own, root / "etc/npm-certificates.crt")
    run("chroot", root, "useradd", "--create-home", "--shell", "/bin/bash", USER)
    return root


def inside(root, command, user="root", folder="/", network=True):
    """The words that run a shell command in there, in namespaces of its own for mounts and processes."""
    home = "/root" if user == "root" else f"/home/{user}"
    environment = [f"HOME={home}", f"USER={user}", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                   "LANG=C.UTF-8", "TERM=dumb"]
    if (root / "etc/npm-certificates.crt").exists():
        environment.append("NODE_EXTRA_CA_CERTS=/etc/npm-certificates.crt")
    drop = [] if user == "root" else ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"]
    # The root has to be a mount of its own: tests make namespaces in there.
    mounts = f"""set -e
mount --bind {root} {root}
mount -t proc proc {root}/proc
mount --rbind /sys {root}/sys
mount --rbind /dev {root}/dev
mount -t tmpfs tmpfs {root}/run
[ ! -x {root}/usr/sbin/ip ] || chroot {root} ip link set lo up
exec chroot {root} env -i "$@"
"""
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child", *([] if network else ["--net"]), "bash", "-c", mounts, "bash",
            *environment, *drop, "bash", "-c", f"cd {folder} && {command}"]


def lay_sources(root, row):
    """The folder, as seen inside, of the row's own sources."""
    home = "/root" if row.user == "root" else f"/home/{row.user}"
    folder = f"{home}/{row.name}"
    there = Path(f"{root}{folder}")
    if row.source == "archive":
        run(*inside(root, "make dist >/dev/null", folder="/root/root"))
        there.mkdir()
        [archive] = Path(f"{root}/root/root/build/dist").glob("*.tar.gz")
        run("tar", "-x", "-C", there, "--strip-components=1", "-f", archive)
    elif row.source == "worktree":
        run("git", "clone", "-q", ROOT, f"{there}-repository")
        run("chown", "-R", "1000:1000", f"{there}-repository")
        run(*inside(root, f"git worktree add -q --detach {folder}", row.user, f"{folder}-repository"))
    else:
        depth = ["--depth=1"] if row.source.startswith("shallow") else []
        run("git", "clone", "-q", *depth, f"file://{ROOT}", there)
    if row.user != "root":
        run("chown", "-R", "1000:1000", there)
    return folder


def hide(root, programs, suffix_now, suffix_then):
    for program in programs:
        path = root / "usr/bin" / (program + suffix_now)
        if path.is_symlink() or path.exists():
            path.rename(root / "usr/bin" / (program + suffix_then))


def counts_of(said):
    """(passed, failed, skipped) as the last line of `make test` has them; of `make check`, those of its units."""
    whole = re.findall(COUNTS, said)
    if whole:
        return whole[-1]
    units = {"PASSED": 0, "FAILED": 0, "SKIPPED": 0}
    for kind, number in re.findall(UNITS, said):
        units[kind] += int(number)
    return tuple(units.values())


def try_row(root, release, row):
    """Runs the row's commands until one fails; prints its line, and returns whether all went well."""
    start = time.monotonic()
    folder = lay_sources(root, row)
    hide(root, row.hidden, "", ".hidden")
    said, failed = "", ""
    with open(FOLDER / f"{release}-{row.name}.log", "w+", errors="replace") as log:
        for command in row.commands:
            log.write(f"$ {command}\n")
            log.flush()
            began = time.monotonic()
            try:
                status = subprocess.run(inside(root, command, row.user, folder, row.network), stdin=subprocess.DEVNULL,
                                        stdout=log, stderr=subprocess.STDOUT, timeout=PATIENCE).returncode
            except subprocess.TimeoutExpired:
                status = "none"
            log.write(f"[exit status {status}, {time.monotonic() - began:.0f} s]\n")
            log.flush()
            if status != 0:
                failed = command
                break
        log.seek(0)
        said = log.read()
    hide(root, row.hidden, ".hidden", "")
    passed, wrong, skipped = counts_of(said)
    print(f"{release:9} {row.user:7} {row.compiler:6} {row.source:14} {time.monotonic() - start:7.0f} {passed:>7} {wrong:>7} "
          f"{skipped:>8}  {'failed: ' + failed if failed else 'ok'}", flush=True)
    return not failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--releases", nargs="+", default=RELEASES, metavar="NAME", help="names that Debian's mirrors have")
    parser.add_argument("--rows", nargs="+", default=[row.name for row in ROWS], metavar="NAME", choices=[row.name for row in ROWS])
    parser.add_argument("--keep", action="store_true", help="leave the roots in build/systems")
    arguments = parser.parse_args()
    if os.getuid() != 0:
        sys.exit("systems: roots are made and entered by root")
    if "archive" in arguments.rows and "root" not in arguments.rows:
        sys.exit("systems: the row archive is made of the row root: name that, too")
    FOLDER.mkdir(parents=True, exist_ok=True)
    print("release   user    cc     source         seconds  passed  failed  skipped", flush=True)
    all_well = True
    for release in arguments.releases:
        root = make_root(release)
        for row in (row for row in ROWS if row.name in arguments.rows):
            all_well &= try_row(root, release, row)
        if not arguments.keep:
            shutil.rmtree(root)
    return 0 if all_well else 1


if __name__ == "__main__":
    sys.exit(main())
