"""files: reads files that anybody may have made; writes files whole or not at all."""
import contextlib
import os
import stat
import sys
import tempfile

PROGRESS_WIDTH = 40  # at most


class Trouble(Exception):
    """The reason, in words, why a command cannot do what it was asked."""


def shown(text):
    """Returns the text for a terminal: `?` replaces control characters and codes that are no character."""
    return "".join(c if c.isprintable() else "?" for c in str(text))


def warn(text):
    """Prints a line; on a terminal, it takes the place of the progress."""
    start, width = ("\r", PROGRESS_WIDTH) if sys.stderr.isatty() else ("", 0)
    print(start + shown(f"mlpboot: {text}").ljust(width), file=sys.stderr)


def show_progress(done, total, what):
    """Rewrites a line of a terminal; prints nothing elsewhere."""
    if sys.stderr.isatty():
        print(f"\r{what} {done} of {total}", end="\n" if done == total else "", file=sys.stderr, flush=True)


def why(error):
    """Returns an OSError's reason without the path."""
    return error.strerror or str(error)


def read_file(path, most, may_be_link=False):
    """Returns the bytes of a regular file, `most` of them at most; raises OSError or Trouble.

    A link may lead out of a folder that somebody sent, and a FIFO or a terminal never ends: both are refused.
    """
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    if not may_be_link:
        flags |= getattr(os, "O_NOFOLLOW", 0)
    check_kind(path, (os.stat if may_be_link else os.lstat)(path).st_mode)
    handle = os.open(path, flags)
    with open(handle, "rb") as file:
        check_kind(path, os.fstat(handle).st_mode)
        data = file.read(most + 1)
    if len(data) > most:
        raise Trouble(f"{path}: longer than {most >> 20} MB")
    return data


def check_kind(path, mode):
    if stat.S_ISLNK(mode):
        raise Trouble(f"{path}: is a link; expected the file itself")
    if not stat.S_ISREG(mode):
        raise Trouble(f"{path}: is no regular file")


def write_new(path, pieces, else_do="name another file with --out"):
    """Writes a file that must not be there yet; it appears whole or not at all. Raises Trouble."""
    if os.path.lexists(path):
        raise Trouble(f"{path}: is there already; {else_do}")
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path) or ".", prefix=".mlpboot-")
        with open(handle, "wb") as file:
            for piece in pieces:
                file.write(piece)
        umask = os.umask(0)
        os.umask(umask)
        with contextlib.suppress(OSError):  # some file systems have no modes
            os.chmod(temporary, 0o666 & ~umask)
        _rename_to_new(temporary, path)
    except FileExistsError:
        raise Trouble(f"{path}: is there already; {else_do}") from None
    except OSError as error:
        raise Trouble(f"{path}: cannot be written: {why(error)}") from None
    finally:
        if temporary is not None and os.path.exists(temporary):
            os.unlink(temporary)


def _rename_to_new(temporary, path):
    """Renames without replacing: Windows refuses by itself; a FAT volume has no links to do it by."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except (OSError, AttributeError, NotImplementedError):
        if os.path.lexists(path):
            raise FileExistsError(path) from None
        os.rename(temporary, path)
