# The whole directory: which files count, and what the journals have that no table has yet.


class Database:
    """A LevelDB directory as its program's next start finds it."""

    def __init__(self, directory):
        self.directory = directory
        self.numbers = {}
        for name in os.listdir(directory):
            if re.fullmatch(r"\d+\.(log|ldb|sst)|MANIFEST-\d+", name):
                self.numbers[name] = int(re.sub(r"\D", "", name))
        self.indexes, self.blocks = Recent(64), Recent(512)
        self.next_number = self.sequence = self.journal = self.prior_journal = 0
        self.levels = self.manifest()
        self.recent = {}
        self.journals = sorted(
            (number, name)
            for name, number in self.numbers.items()
            if name.endswith(".log") and (number >= self.journal or number == self.prior_journal)
        )
        for _, name in self.journals:
            self.replay(os.path.join(directory, name))

    def current(self):
        """The manifest that counts. One that was being named when the program ended counts where it is whole and newer."""
        def first(names):
            for name in names:
                path = os.path.join(self.directory, name)
                text = whole_file(path).decode("ascii", "replace") if os.path.exists(path) else ""
                if text.endswith("\n") and text[:-1] in self.numbers:
                    return text[:-1]
            return None

        pending = [name for name in os.listdir(self.directory) if re.fullmatch(r"CURRENT\.\d+", name)]
        newer = first(sorted(pending, key=lambda name: -int(name[8:])))
        named = first(["CURRENT", "CURRENT.bak"])
        if newer and (not named or self.numbers[newer] > self.numbers[named]):
            return newer
        if not named:
            raise Damaged("CURRENT names no manifest that is there")
        return named

    def manifest(self):
        name = self.current()
        live, comparer = {}, b""
        for record in records(os.path.join(self.directory, name)):
            at = 0
            while at < len(record):
                tag, at = varint(record, at)
                if tag == 1:
                    comparer, at = counted(record, at)
                elif tag in (2, 3, 4, 9):
                    value, at = varint(record, at)
                    setattr(self, {2: "journal", 3: "next_number", 4: "sequence", 9: "prior_journal"}[tag], value)
                elif tag == 5:
                    _, at = varint(record, at)
                    _, at = counted(record, at)
                elif tag == 6:
                    level, at = varint(record, at)
                    number, at = varint(record, at)
                    live.pop((level, number), None)
                elif tag == 7:
                    level, at = varint(record, at)
                    number, at = varint(record, at)
                    size, at = varint(record, at)
                    smallest, at = counted(record, at)
                    largest, at = counted(record, at)
                    live[level, number] = (size, smallest[:-8], largest[:-8])
                else:
                    raise Damaged("%s has an entry of kind %d" % (name, tag))
        if comparer != COMPARER:
            raise Damaged("%s names the order %r" % (name, comparer[:40]))
        return self.tables(live)

    def tables(self, live):
        levels = {}
        for (level, number), (size, smallest, largest) in live.items():
            name = next((name for name in ("%06d.ldb" % number, "%06d.sst" % number) if name in self.numbers), None)
            if name is None:
                raise Damaged("table %06d is not there" % number)
            path = os.path.join(self.directory, name)
            if os.path.getsize(path) != size:
                raise Damaged("%s has %d bytes, not %d" % (name, os.path.getsize(path), size))
            levels.setdefault(level, []).append(Table(path, smallest, largest))
        for level in levels.values():
            level.sort(key=lambda table: table.largest)
        self.largest = {number: [table.largest for table in level] for number, level in levels.items()}
        return levels

    def replay(self, path):
        for record in records(path):
            sequence, changes = batch(record)
            # The node's library leaves such a one out.
            if sequence < self.sequence:
                continue
            for index, (key, value) in enumerate(changes):
                self.recent[key] = (sequence + index, value)
            self.sequence = sequence + len(changes)

    def candidates(self, key):
        for number, level in self.levels.items():
            if number == 0:
                yield from (table for table in level if table.smallest <= key <= table.largest)
                continue
            at = bisect.bisect_left(self.largest[number], key)
            while at < len(level) and level[at].smallest <= key:
                yield level[at]
                at += 1

    def get(self, key):
        """Its value, or None where it has none."""
        newest = self.recent.get(key, (-1, None))
        for table in self.candidates(key):
            seps, handles = self.indexes.of(table.path, table.index)
            at = bisect.bisect_left(seps, key)
            while at < len(seps):
                handle = table.handle(handles[at][2], 0)[0]
                keys, values = self.blocks.of((table.path, handle[0]), lambda: table.block(handle))
                found = bisect.bisect_left(keys, key)
                if found < len(keys):
                    sequence, is_value, value = values[found]
                    if keys[found] == key and sequence > newest[0]:
                        newest = (sequence, value if is_value else None)
                    break
                at += 1
        return newest[1]
