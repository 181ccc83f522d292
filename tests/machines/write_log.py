"""write_log: what a machine wrote to its disk, in order, as QEMU's driver blklogwrites keeps it."""

import struct
from typing import NamedTuple

# The log is that of Linux's dm-log-writes: a superblock, then for each request a header of a sector and the
# data it wrote (Documentation/admin-guide/device-mapper/log-writes.rst, drivers/md/dm-log-writes.c). All
# numbers are little-endian.
MAGIC = 0x6A736677736872
SUPER = struct.Struct("<QQQI")  # magic, version, entries, bytes of a sector
HEADER = struct.Struct("<QQQQ")  # first sector, sectors, flags, bytes of a mark
FLUSH, FUA, DISCARD, MARK = 1, 2, 4, 8

DRIVE = ("file.driver=blklogwrites,file.file.driver=file,file.file.filename={{}},"
         "file.log.driver=file,file.log.filename={log}")


class Write(NamedTuple):
    """A request that was done. One of a flush alone has no data."""
    at: int  # byte of the disk
    data: bytes
    flushes: bool  # all before it are on the disk for good
    end: int  # of the log, when it was in there


def backend(log):
    """Options of a drive whose writes are kept in that file, for machine.qemu."""
    log.write_bytes(b"")
    return DRIVE.format(log=log)


def read_log(path):
    """All requests, in order."""
    log = path.read_bytes()
    magic, version, _, sector = SUPER.unpack_from(log)
    assert (magic, version) == (MAGIC, 1), "no log of writes"
    at, writes = sector, []
    while at < len(log):
        first, sectors, flags, _ = HEADER.unpack_from(log, at)
        assert flags & ~(FLUSH | FUA) == 0, f"a request of kind {flags:#x}: nobody has said how it is replayed"
        at += sector
        data = log[at:at + sectors * sector]
        at += len(data)
        assert len(data) == sectors * sector, "the log was cut short"
        writes.append(Write(first * sector, data, flags & FLUSH != 0, at))
    return writes
