"""pe: reads a PE32+ file, and says what firmware that is strict could refuse in it."""

import struct
from dataclasses import dataclass

AMD64 = 0x8664
PE32_PLUS = 0x20B
EFI_APPLICATION = 10
NX_COMPAT = 0x100
RELOCATIONS_STRIPPED = 0x0001
EXECUTE, WRITE = 0x20000000, 0x80000000
PAGE = 4096
FILE_ALIGNMENT = 512
DIR64 = 10  # the type of base relocation that adds to 64 bits
BASE_RELOCATIONS = 5  # its place in the data directory
BYTES_MAX = 384 * 1024

# Of the optional header, from its start.
OPTIONAL_HEADER_OFFSET = 24  # from the signature "PE"
DLL_CHARACTERISTICS_OFFSET = OPTIONAL_HEADER_OFFSET + 70


@dataclass
class Section:
    name: str
    size: int  # in memory
    address: int
    file_size: int
    file_offset: int
    flags: int
    header_offset: int  # in the file

    def covers(self, address, size):
        return self.address <= address and address + size <= self.address + self.size


class Pe:
    """The headers of one file."""

    def __init__(self, data):
        self.data = data
        (self.header,) = struct.unpack_from("<I", data, 0x3C)
        signature, self.machine, count, self.timestamp, _, _, optional, self.flags = (
            struct.unpack_from("<4sHHIIIHH", data, self.header))
        if data[:2] != b"MZ" or signature != b"PE\0\0":
            raise ValueError("not a PE file")
        start = self.header + OPTIONAL_HEADER_OFFSET
        (self.magic,) = struct.unpack_from("<H", data, start)
        (self.entry,) = struct.unpack_from("<I", data, start + 16)
        self.section_alignment, self.file_alignment = struct.unpack_from("<II", data, start + 32)
        self.image_size, self.headers_size = struct.unpack_from("<II", data, start + 56)
        self.subsystem, self.dll_flags = struct.unpack_from("<HH", data, start + 68)
        self.relocations = struct.unpack_from("<II", data, start + 112 + 8 * BASE_RELOCATIONS)
        self.sections = [self._section(start + optional + 40 * i) for i in range(count)]

    def _section(self, offset):
        name, size, address, file_size, file_offset, flags = struct.unpack_from(
            "<8sIIII12xI", self.data, offset)
        return Section(name.rstrip(b"\0").decode(), size, address, file_size, file_offset, flags,
                       offset)

    def covers(self, address, size):
        return any(section.covers(address, size) for section in self.sections)

    def section(self, name):
        return next(section for section in self.sections if section.name == name)

    def word(self, address):
        """The 64 bits that the file has for an address."""
        section = next(s for s in self.sections if s.covers(address, 8))
        offset = address - section.address
        if offset + 8 > section.file_size:
            raise ValueError(f"{address:#x} is not in the file")
        return struct.unpack_from("<Q", self.data, section.file_offset + offset)[0]

    def base_relocations(self):
        """(type, address) of each, what only fills a block left out."""
        address, left = self.relocations
        offset = self.section(".reloc").file_offset + address - self.section(".reloc").address
        while left > 0:
            page, size = struct.unpack_from("<II", self.data, offset)
            if page % PAGE or size % 4 or not 8 < size <= left:
                raise ValueError(f"a block of {size} bytes for {page:#x}, {left} bytes left")
            for entry, in struct.iter_unpack("<H", self.data[offset + 8:offset + size]):
                if entry:
                    yield entry >> 12, page + entry % PAGE
            offset, left = offset + size, left - size


def faults(data):
    """Everything wrong with the file, one line each."""
    pe = Pe(data)
    found = [text for wrong, text in (
        (pe.machine != AMD64, f"machine is {pe.machine:#x}"),
        (pe.magic != PE32_PLUS, f"magic is {pe.magic:#x}"),
        (pe.subsystem != EFI_APPLICATION, f"subsystem is {pe.subsystem}"),
        (not pe.dll_flags & NX_COMPAT, "NX_COMPAT is not set"),
        (pe.flags & RELOCATIONS_STRIPPED, "relocations are stripped"),
        (pe.relocations[1] == 0, "the relocation directory is empty"),
        (pe.section_alignment != PAGE, f"section alignment is {pe.section_alignment}"),
        (pe.file_alignment != FILE_ALIGNMENT, f"file alignment is {pe.file_alignment}"),
        (len(data) >= BYTES_MAX, f"{len(data)} bytes are too many"),
        (not any(s.flags & EXECUTE and s.covers(pe.entry, 1) for s in pe.sections),
         "the entry is not in an executable section"),
    ) if wrong]
    for section in pe.sections:
        found += section_faults(pe, section)
    return found


def section_faults(pe, section):
    end = section.address + section.size
    return [f"{section.name} {text}" for wrong, text in (
        (section.flags & EXECUTE and section.flags & WRITE, "is both writable and executable"),
        (section.address % PAGE, "does not start at a page"),
        (section.address < pe.headers_size, "overlaps the headers"),
        (end > pe.image_size, "reaches beyond SizeOfImage"),
        (section.file_offset + section.file_size > len(pe.data), "reaches beyond the file"),
        (any(other is not section and other.address < end and section.address < other.address +
             other.size for other in pe.sections), "overlaps another section"),
    ) if wrong]
