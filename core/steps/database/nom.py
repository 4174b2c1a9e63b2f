# The database of momentums. For a momentum of height n the node writes (go-zenon, common/db): patch n, rollback n, then
# patch n's changes one by one, the name of the newest momentum among the last of them. Killed on the way it never goes on
# with that: from its next start on it builds on half of a momentum. The rollback has what each of those keys had before.
FRONTIER, PATCH, ROLLBACK = b"\x55", b"\x66", b"\x77"
NEWEST = b"\0"


def fields(data):
    """Of a protobuf message, its numbers and texts by their number."""
    at, found = 0, {}
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            found[tag >> 3], at = varint(data, at)
        elif tag & 7 == 2:
            found[tag >> 3], at = counted(data, at)
        else:
            raise Damaged("the name of the newest momentum has an unknown form")
    return found


def identifier(value):
    """(height, hash) of a stored name of a momentum; that of none where there is none."""
    if value is None:
        return 0, "0" * 64
    named = fields(value)
    return named.get(2, 0), bytes(fields(named.get(1, b"")).get(1, b"")).hex()


class Cure:
    """What makes a torn one whole: a value for each key that its interrupted writing touches."""

    def __init__(self, kind, height, values, differing):
        self.kind, self.height, self.values, self.differing = kind, height, values, differing


class Nom:
    def __init__(self, database):
        self.database = database
        self.height, self.hash = identifier(self.value(NEWEST))

    def value(self, key):
        # A byte stands before each value; what has not even that was deleted.
        stored = self.database.get(FRONTIER + key)
        return stored[1:] if stored else None

    def stored(self, prefix, height):
        data = self.database.get(prefix + struct.pack(">Q", height))
        return None if data is None else dict(changes_of(data))

    def differing(self, wanted, other, height):
        """The keys that have not what is wanted. All of them must have the other, or more happened than a write's end."""
        keys = [key for key in sorted(wanted) if self.value(key) != wanted[key]]
        strange = [key for key in keys if other is None or key not in other or self.value(key) != other[key]]
        if strange:
            raise Damaged(
                "%d of %d keys have neither what momentum %d gives them nor what they had before it"
                % (len(strange), len(wanted), height)
            )
        return keys

    def cure(self):
        """None where it is whole."""
        after = self.height + 1
        undo, redo = self.stored(ROLLBACK, after), self.stored(PATCH, after)
        # One that a momentum of another branch left there undoes something else.
        if undo is not None and redo is not None and identifier(undo.get(NEWEST)) == (self.height, self.hash):
            differing = self.differing(undo, redo, after)
            if differing:
                return Cure("undo", after, undo, differing)
        if self.height == 0:
            return None
        last = self.stored(PATCH, self.height)
        if last is None:
            raise Damaged("the changes of its newest momentum, %d, are not there" % self.height)
        # The taking back of the newest one was cut off before it changed the name.
        differing = self.differing(last, self.stored(ROLLBACK, self.height), self.height)
        return Cure("redo", self.height, last, differing) if differing else None
