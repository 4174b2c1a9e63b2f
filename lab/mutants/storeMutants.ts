import type { Mutant } from "./mutant";

/** Mistakes by which records of a Pillar are lost on the operator's machine, or taken from the wrong place. */
export const storeMutants: readonly Mutant[] = [
  {
    what: "what a line names is looked for where it lay then alone",
    file: "core/store/found.ts",
    from: "return fs.existsSync(file) ? file : otherwise;",
    to: "return otherwise;",
    tests: ["test/core/store/found.test.ts"],
  },
];
