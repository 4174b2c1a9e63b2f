# Reads a LevelDB directory of a program that has ended, as the node's own library (goleveldb) would find it at its next
# start, and writes nothing: a library's opening replays the journals into new tables, takes the old files away and may
# compact, so that a look would be a change. Only what is asked for is read, never all of it. Python 3.7 and its own
# library, nothing else.
import bisect
import os
import re
import struct
from collections import OrderedDict

BLOCK = 32768
TABLE_MAGIC = 0xDB4775248B80FB57
COMPARER = b"leveldb.BytewiseComparator"
# A journal is emptied into a table at 4 MiB; a manifest of a chain a hundred times as long is smaller.
LONGEST_JOURNAL = 256 << 20
LONGEST_BLOCK = 64 << 20


class Damaged(Exception):
    """What is on the disk is not what the program would have written."""


def crc_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


CRC = crc_table()


def masked_crc(data):
    crc, table = 0xFFFFFFFF, CRC
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 255]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Damaged("a number breaks off")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def counted(data, at):
    size, at = varint(data, at)
    if at + size > len(data):
        raise Damaged("a text breaks off")
    return data[at : at + size], at + size


def whole_file(path):
    with open(path, "rb") as file:
        data = file.read(LONGEST_JOURNAL + 1)
    if len(data) > LONGEST_JOURNAL:
        raise Damaged("%s has more than %d MiB" % (os.path.basename(path), LONGEST_JOURNAL >> 20))
    return data


def records(path):
    """The records of a journal or manifest up to the one that the program's end cut off."""
    data, name = whole_file(path), os.path.basename(path)
    at, parts = 0, None
    while at < len(data):
        left = BLOCK - at % BLOCK
        end = at + left
        if left < 7:
            at = end
            continue
        if len(data) - at < 7:
            return
        crc, size, kind = struct.unpack_from("<IHB", data, at)
        stop = at + 7 + size
        good = 1 <= kind <= 4 and stop <= min(end, len(data)) and crc == masked_crc(data[at + 6 : stop])
        if not good:
            # What is last may be cut off, or be nothing but room that a power cut left empty; then the next start leaves
            # it out. In the middle it would leave out what others build on.
            if end >= len(data) or not any(data[at:]):
                return
            raise Damaged("%s is damaged at byte %d of %d" % (name, at, len(data)))
        chunk, at = data[at + 7 : stop], stop
        if kind in (1, 2):
            parts = []
        if parts is None:
            raise Damaged("%s has a part without a beginning before byte %d" % (name, at))
        parts.append(chunk)
        if kind in (1, 4):
            yield b"".join(parts)
            parts = None


def changes_of(data, at=0):
    """[(key, value or None where it is deleted)], as a batch has them; a stored patch is nothing else."""
    changes = []
    while at < len(data):
        kind, at = data[at], at + 1
        if kind > 1:
            raise Damaged("a batch has a change of kind %d" % kind)
        key, at = counted(data, at)
        value = None
        if kind == 1:
            value, at = counted(data, at)
        changes.append((key, value))
    return changes


def batch(data):
    """(sequence, changes) of a journal's record."""
    if len(data) < 12:
        raise Damaged("a batch breaks off")
    sequence, count = struct.unpack_from("<QI", data)
    changes = changes_of(data, 12)
    if len(changes) != count:
        raise Damaged("a batch says %d changes and has %d" % (count, len(changes)))
    return sequence, changes


def unsnap(data):
    size, at = varint(data, 0)
    if size > LONGEST_BLOCK:
        raise Damaged("a block says that it has %d bytes" % size)
    out = bytearray()
    while at < len(data):
        tag, at = data[at], at + 1
        kind = tag & 3
        if kind == 0:
            length = tag >> 2
            if length >= 60:
                more = length - 59
                length, at = int.from_bytes(data[at : at + more], "little"), at + more
            length += 1
            out += data[at : at + length]
            at += length
            continue
        if kind == 1:
            length, offset, at = 4 + (tag >> 2 & 7), tag >> 5 << 8 | data[at], at + 1
        else:
            width = 2 if kind == 2 else 4
            length, offset = 1 + (tag >> 2), int.from_bytes(data[at : at + width], "little")
            at += width
        start = len(out) - offset
        if offset == 0 or start < 0:
            raise Damaged("a compressed block refers to what is not there")
        piece = bytes(out[start : start + length])
        out += (piece * (length // len(piece) + 1))[:length]
    if len(out) != size:
        raise Damaged("a compressed block has %d bytes, not %d" % (len(out), size))
    return bytes(out)
