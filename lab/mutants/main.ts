import { mutants } from "./list";
import { mutated, outcomeOf, rowOf } from "./mutant";
import { scratchCopy } from "./scratch";

/**
 * `npm run mutants [WORD…]`: makes each mistake of the list, or those whose file or words contain one of the words, in a
 * copy of the checkout, and runs the unit tests that are to notice it. Ends with 1 where one goes unnoticed.
 */
const words = process.argv.slice(2);
const wanted = mutants.filter(
  ({ file, what }) => words.length === 0 || words.some((word) => `${file} ${what}`.includes(word)),
);
if (wanted.length === 0) throw new Error(`no mutant's file or words contain ${words.join(" or ")} (lab/mutants)`);

const scratch = await scratchCopy();
let unnoticed = 0;
try {
  // All places first: a list that does not fit is known before minutes have gone.
  for (const mutant of wanted) mutated(mutant, scratch.read(mutant.file));
  const tests = [...new Set(wanted.flatMap((mutant) => mutant.tests))];
  const failing = outcomeOf(await scratch.run(tests)).caught;
  if (failing !== undefined) throw new Error(`a test fails without any mistake: ${failing}`);
  for (const mutant of wanted) {
    const before = scratch.read(mutant.file);
    scratch.write(mutant.file, mutated(mutant, before));
    const outcome = outcomeOf(await scratch.run(mutant.tests));
    scratch.write(mutant.file, before);
    console.log(rowOf(mutant, outcome));
    if (outcome.caught === undefined) unnoticed += 1;
  }
} finally {
  scratch.remove();
}
console.log(`${wanted.length} mutants, ${wanted.length - unnoticed} caught, ${unnoticed} not`);
process.exitCode = unnoticed === 0 ? 0 : 1;
