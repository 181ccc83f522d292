"""receive: extracts runs' files from the log of a serial port."""
import os

from .files import Trouble, read_file, warn, why, write_new
from .serial_log import SerialLog

DOES = "the files of runs, out of the log of a serial port"
HELP = """\
LOG is a file with the recorded output of a serial port, and all that a terminal adds; - is standard input.
Each run in it becomes a folder of DIR, which must not be there yet. A run prints each file that it could not
save in blocks with a checksum. This command restores such a file byte for byte; or it reports the bytes that
are missing or came damaged, and writes the others to FILE.part. Every run prints log.txt as lines without a
checksum; this command takes these lines if there are no blocks of log.txt.

Exit status: 0 every file is whole, 1 something is not, 2 wrong usage."""
EXIT_TROUBLE = 1

LOG_MOST = 1 << 30
ACCEPTED = "accepted: the log of a serial port"
ELSEWHERE = "name another directory with --out"
STRANGE_TOLD = 10


def add_arguments(parser):
    parser.add_argument("log", metavar="LOG")
    parser.add_argument("--out", default=".", metavar="DIR",
                        help="makes the runs' folders in DIR, not in the current folder")


def run(given):
    data = read_log(given.log)
    try:
        log = SerialLog(data)
    except Trouble as trouble:
        raise Trouble(f"{given.log}: {trouble}") from None
    tell_strange(log.strange)
    if not log.runs:
        raise Trouble(f"{given.log}: no file of a run is in it; {ACCEPTED}")
    check_places(given.out, log.runs)
    is_whole = True
    for one in log.runs:
        is_whole &= receive_run(given.out, one)
    if log.lost > 0:
        print(f"{log.lost} more blocks came damaged, of which nobody can tell whose they are")
    return 0 if is_whole and log.lost == 0 and not log.strange else 1


def read_log(path):
    """Returns the log's bytes. A FIFO or a terminal may never end: only standard input may be one."""
    too_long = Trouble(f"{path}: has more than 1 GB; cut out the runs that are wanted")
    try:
        if path != "-":
            if os.stat(path).st_size > LOG_MOST:
                raise too_long
            return read_file(path, LOG_MOST, may_be_link=True)
        with open(0, "rb", closefd=False) as file:
            data = file.read(LOG_MOST + 1)
    except OSError as error:
        raise Trouble(f"{path}: {why(error)}; {ACCEPTED}") from None
    if len(data) > LOG_MOST:
        raise too_long
    return data


def tell_strange(strange):
    """Names the files that no run prints: the sender of a log must not choose which files are written."""
    for (run_, file), blocks in list(strange.items())[:STRANGE_TOLD]:
        warn(f"{run_}/{file}: no run prints a file of that name; {blocks} "
             f"{'block' if blocks == 1 else 'blocks'} left out")
    if len(strange) > STRANGE_TOLD:
        warn(f"{len(strange) - STRANGE_TOLD} more such files left out")


# --- runs --------------------------------------------------------------------------------------

def check_places(out, runs):
    """Makes the folder of runs; raises Trouble, before anything is written, if a run's folder is there already."""
    try:
        os.makedirs(out, exist_ok=True)
    except FileExistsError:
        pass  # a file is there; opening it as a folder gives the reason
    except OSError as error:
        raise Trouble(f"{out}: cannot be created: {why(error)}") from None
    try:
        os.scandir(out).close()
    except OSError as error:
        raise Trouble(f"{out}: cannot be opened as a directory: {why(error)}") from None
    for one in runs:
        if os.path.lexists(f"{out}/{one.name}"):
            raise Trouble(f"{out}/{one.name}: is there already; {ELSEWHERE}")


def receive_run(out, one):
    """Writes a run into a new folder. Returns True if each of its files is whole."""
    folder = f"{out}/{one.name}"
    try:
        os.mkdir(folder)
    except OSError as error:
        raise Trouble(f"{folder}: {why(error)}") from None
    is_whole, has_blocks = True, False
    for file, versions in one.files.items():
        is_whole &= receive_file(folder, one.name, file, versions)
        has_blocks |= max(versions) > 0
    if not has_blocks:
        print(f"{one.name}: nothing else is in the log: the run could save its files")
    return is_whole


def receive_file(folder, name, file, versions):
    """Writes the last whole version, and the parts of later versions. Returns True if the last version is whole.

    The part has another name, so that nobody mistakes it for the file.
    """
    parts = set()
    for version, writing in sorted(versions.items(), reverse=True):
        data, reason = writing.join()
        if not reason:
            write_new(f"{folder}/{file}", [data], ELSEWHERE)
            print(f"{name}/{file}: whole, {len(data)} bytes{'' if version > 0 else ', without a checksum'}")
            return not parts
        part = part_name(file, version, parts) if data else "nothing"
        parts.add(part)
        if data:
            write_new(f"{folder}/{part}", [data], ELSEWHERE)
        print(f"{name}/{file}: not whole: {reason}; what there is, {len(data)} bytes: {part}")
    return False


def part_name(file, version, taken):
    """Returns FILE.part, FILE.2.part for a later version, and FILE.0.part for lines beside FILE.part of blocks."""
    name = f"{file}.part"
    return name if version <= 1 and name not in taken else f"{file}.{version}.part"
