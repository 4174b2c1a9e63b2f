# Judges the databases of a node that has stopped, and cures a torn one.
#
#   judge DIR SECONDS MIB    a line for each of nom and consensus; nothing is written:
#     NAME sound HEIGHT HASH
#     NAME torn HEIGHT HASH undo|redo HEIGHT DIFFERING TOUCHED    what cures it, and how many of its keys differ
#     NAME unreadable - - WHY
#     HEIGHT and HASH are the newest momentum's, in decimal and hex; consensus names none: - -
#   cure DIR SECONDS MIB     cures what is torn, then the same lines, of what is there now; before them, where it wrote:
#     copy FILE              what each key that it touched had before, kept for the operator
#     added FILE             the one file by which it is cured; until the node starts, all is as it was without it
#
# Exit: 0 all are sound; 3 one is torn; 4 one is unreadable; 5 the node, or something else, has them open, or opens them;
# 6 there is no node's database; 7 more time or memory was needed than given. Another one is a fault of this program.
import fcntl
import json
import resource
import signal
import sys
import time


class Stop(Exception):
    """(exit, text)"""


def out_of_time(*_):
    raise Stop(7, "not done within the time that was given")


def take(directory, names):
    """The locks that a node holds while it runs: until this program ends, it cannot start."""
    locks = []
    for path in [os.path.join(directory, ".lock")] + [os.path.join(directory, name, "LOCK") for name in names]:
        if not os.path.exists(path):
            continue
        lock = open(path, "rb")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.lockf(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            raise Stop(5, "%s is held: the node runs on this directory, or something else has its database open" % path)
        locks.append(lock)
    return locks


def judged(path, name):
    """(line, exit, cure, database)"""
    try:
        database = Database(path)
        if name != "nom":
            return "%s sound - -" % name, 0, None, database
        nom = Nom(database)
        cure = nom.cure()
        place = "%d %s" % (nom.height, nom.hash)
        if cure is None:
            return "nom sound %s" % place, 0, None, database
        counts = (cure.kind, cure.height, len(cure.differing), len(cure.values))
        return "nom torn %s %s %d %d %d" % ((place,) + counts), 3, cure, database
    except (Damaged, struct.error, IndexError, OSError) as fault:
        return "%s unreadable - - %s" % (name, " ".join(str(fault).split()) or type(fault).__name__), 4, None, None


def written(path, data, like, mode):
    """A new file, whole and on the disk, or none."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        owner = os.stat(like)
        os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
        os.fchmod(file.fileno(), mode)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def synced(directory):
    handle = os.open(directory, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)


def journal_of(sequence, changes):
    """A journal with one record, which the node's library takes in whole or not at all."""
    data = bytearray(struct.pack("<QI", sequence, len(changes)))
    for key, value in changes:
        data += b"\1" + as_varint(len(key)) + key + as_varint(len(value)) + value
    out, at = bytearray(), 0
    while at < len(data):
        room = BLOCK - len(out) % BLOCK
        if room < 7:
            out += bytes(room)
            continue
        chunk = bytes(data[at : at + room - 7])
        first, at = at == 0, at + len(chunk)
        kind = bytes([(1 if at == len(data) else 2) if first else (4 if at == len(data) else 3)])
        out += struct.pack("<IH", masked_crc(kind + chunk), len(chunk)) + kind + chunk
    return bytes(out)


def as_varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def apply(directory, cure, database):
    """Adds a journal with the cure: no file that is there is changed, and the node's next start takes it in as its own."""
    nom = Nom(database)
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    copy = os.path.join(directory, "nom.before-repair-%d-%s.json" % (cure.height, stamp))
    had = {key.hex(): None if nom.value(key) is None else nom.value(key).hex() for key in sorted(cure.values)}
    about = {"height": nom.height, "hash": nom.hash, "cure": cure.kind, "of": cure.height, "had": had}
    like = os.path.join(database.directory, "CURRENT")
    written(copy, json.dumps(about).encode() + b"\n", like, 0o600)
    synced(directory)
    print("copy %s" % copy)
    number = max([database.next_number] + list(database.numbers.values())) + 1
    changes = [
        (FRONTIER + key, b"" if cure.values[key] is None else b"\0" + cure.values[key]) for key in sorted(cure.values)
    ]
    # Not yet under a name that counts, so that half of it never does.
    draft = os.path.join(database.directory, "repair.new")
    if os.path.exists(draft):
        os.remove(draft)
    written(draft, journal_of(database.sequence + 1, changes), like, 0o644)
    added = os.path.join(database.directory, "%06d.log" % number)
    os.rename(draft, added)
    synced(database.directory)
    print("added %s" % added)
    return added


def main(verb, directory, seconds, mebibytes):
    resource.setrlimit(resource.RLIMIT_AS, (int(mebibytes) << 20,) * 2)
    signal.signal(signal.SIGALRM, out_of_time)
    signal.alarm(int(seconds))
    names = ["nom", "consensus"]
    missing = [name for name in names if not os.path.isdir(os.path.join(directory, name))]
    if missing:
        raise Stop(6, "%s has no %s: no node has run there, or its database is elsewhere" % (directory, missing[0]))
    locks = take(directory, names)
    looks = [judged(os.path.join(directory, name), name) for name in names]
    _, code, cure, database = looks[0]
    # Nothing is cured beside what is unreadable: that one needs another way, and would lose the time.
    if verb == "cure" and cure is not None and all(look[1] != 4 for look in looks):
        added = apply(directory, cure, database)
        looks[0] = judged(database.directory, "nom")
        if looks[0][1] != 0:
            os.remove(added)
            synced(database.directory)
            raise Stop(4, "it would not be sound with %s, which is taken away again: %s" % (added, looks[0][0]))
    for line, _, _, _ in looks:
        print(line)
    for lock in locks:
        lock.close()
    return max(look[1] for look in looks)


try:
    sys.exit(main(*sys.argv[1:5]))
except Stop as stop:
    print(stop.args[1], file=sys.stderr)
    sys.exit(stop.args[0])
except MemoryError:
    print("more memory is needed than was given", file=sys.stderr)
    sys.exit(7)
