# Of the tables: what a key has, wherever its newest value lies.


class Recent(OrderedDict):
    """The last things that were made, so many of them."""

    def __init__(self, most):
        super().__init__()
        self.most = most

    def of(self, key, make):
        if key in self:
            self.move_to_end(key)
            return self[key]
        value = self[key] = make()
        if len(self) > self.most:
            self.popitem(last=False)
        return value


class Table:
    def __init__(self, path, smallest, largest):
        self.path, self.smallest, self.largest = path, smallest, largest

    def handle(self, data, at):
        offset, at = varint(data, at)
        size, at = varint(data, at)
        return (offset, size), at

    def read(self, offset, size):
        with open(self.path, "rb") as file:
            file.seek(offset)
            data = file.read(size)
        if len(data) != size:
            raise Damaged("%s breaks off before byte %d" % (os.path.basename(self.path), offset + size))
        return data

    def block(self, handle):
        offset, size = handle
        if size > LONGEST_BLOCK:
            raise Damaged("%s has a block of %d bytes" % (os.path.basename(self.path), size))
        data = self.read(offset, size + 5)
        if struct.unpack_from("<I", data, size + 1)[0] != masked_crc(data[: size + 1]):
            raise Damaged("%s is damaged in the block at byte %d" % (os.path.basename(self.path), offset))
        if data[size] > 1:
            raise Damaged("%s has a block in form %d" % (os.path.basename(self.path), data[size]))
        return self.entries(unsnap(data[:size]) if data[size] == 1 else data[:size])

    def entries(self, data):
        """([key], [(sequence, is it a value, bytes)]), each key's newest first."""
        if len(data) < 4:
            raise Damaged("%s has an empty block" % os.path.basename(self.path))
        end = len(data) - 4 - 4 * struct.unpack_from("<I", data, len(data) - 4)[0]
        at, key, keys, values = 0, b"", [], []
        while at < end:
            shared, at = varint(data, at)
            unshared, at = varint(data, at)
            size, at = varint(data, at)
            key = key[:shared] + data[at : at + unshared]
            at += unshared
            if len(key) < 8:
                raise Damaged("%s has a key of %d bytes" % (os.path.basename(self.path), len(key)))
            trailer = struct.unpack("<Q", key[-8:])[0]
            keys.append(key[:-8])
            values.append((trailer >> 8, trailer & 255 == 1, data[at : at + size]))
            at += size
        return keys, values

    def index(self):
        size = os.path.getsize(self.path)
        footer = self.read(max(0, size - 48), min(size, 48))
        if len(footer) < 48 or struct.unpack("<Q", footer[40:])[0] != TABLE_MAGIC:
            raise Damaged("%s has no end" % os.path.basename(self.path))
        _, at = self.handle(footer, 0)
        return self.block(self.handle(footer, at)[0])
