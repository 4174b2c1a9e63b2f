import type { Mutant } from "./mutant";

const takeOver = "core/store/takeOver.ts";
const records = "core/store/records.ts";
const taken = ["test/core/store/records.test.ts"];

/** Mistakes by which records of a Pillar are lost on the operator's machine, or taken from the wrong place. */
export const storeMutants: readonly Mutant[] = [
  {
    what: "the old directory is set aside before its files are in the new one",
    file: takeOver,
    from: '(before.records === "directory" ? filesOf(sides.old.records, sides, disk) : [])',
    to: "[]",
    tests: taken,
  },
  {
    what: "a backup that lies in both places is not compared",
    file: takeOver,
    from: "if (hashOf(from, disk, alive) === hashOf(to, disk, alive)) return [];",
    to: "return [];",
    tests: taken,
  },
  {
    what: "a record that is no part of the other is added to it",
    file: takeOver,
    from: "if (theirs.subarray(0, own.length).equals(own)) return",
    to: "return",
    tests: taken,
  },
  {
    what: "files are written before all are compared",
    file: takeOver,
    from: "  const rests = files.flatMap(",
    to: "  for (const { from, to } of missing.splice(0)) copyWhole(from, to, disk, alive);\n  const rests = files.flatMap(",
    tests: taken,
  },
  {
    what: "a run that was killed before the link is not gone on with",
    file: records,
    from: 'return records === "directory" || rest ||',
    to: 'return records === "directory" ||',
    tests: taken,
  },
  {
    what: "a link to another place is not looked at",
    file: records,
    from: "  checkLink(sides, disk);\n",
    to: "",
    tests: taken,
  },
  {
    what: "a copy is not compared with what was read",
    file: "core/store/wholeCopy.ts",
    from: "if (hashOf(part, disk, alive) !== sent)",
    to: "if (false)",
    tests: taken,
  },
  {
    what: "what a line names is looked for in the old place alone",
    file: "core/store/found.ts",
    from: "return fs.existsSync(file) ? file : otherwise;",
    to: "return otherwise;",
    tests: taken,
  },
];
