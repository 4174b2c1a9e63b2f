import { CommanderError } from "commander";
import { endPid, treeOf } from "../hosts/processTree.ts";
import { ensureBaseImage } from "../images/baseImage.ts";
import { Lab, ownLabPrefix } from "../lab.ts";
import { takeDown, takeDownTheDead } from "../testRun/deadLabs.ts";
import { ensureToolchain } from "../toolchain/index.ts";
import { step } from "../util/progress.ts";
import { ensureRequirements } from "../util/requirements.ts";
import { measureAllStacks } from "./allStacks.ts";
import { ensureAnsible } from "./ansible.ts";
import { type Asked, parseArguments } from "./arguments.ts";
import { Bench } from "./bench.ts";
import { compareChainCopies } from "./chainCopy.ts";
import { compareStandUps, compareUnchanged } from "./compare.ts";
import { measureFirstHelp } from "./firstHelp.ts";
import { type RowName, rowNames, tableOf, type Values } from "./rows.ts";
import { compareSignerGaps } from "./signerGap.ts";

/** Measurements, with the rows that each yields. */
const measurements: ReadonlyArray<readonly [rows: readonly RowName[], measure: (bench: Bench) => Promise<Values>]> = [
  [["unchanged", "unchangedUp", "unchangedPlaybook"], compareUnchanged],
  [["statusTen", "statusOne"], measureAllStacks],
  [["firstHelp"], measureFirstHelp],
  [["standUp", "standUpUp", "standUpPlaybook"], compareStandUps],
  [["signerGap", "signerGapUp", "signerGapByHand"], compareSignerGaps],
  [rowNames.filter((name) => name.startsWith("chainCopy")), compareChainCopies],
];

async function measure(lab: Lab, { only, rounds, ...link }: Asked): Promise<Values> {
  const bench = new Bench(lab, rounds, link);
  const values: Values = {};
  for (const [rows, run] of measurements) {
    if (rows.some((row) => only.includes(row))) Object.assign(values, await run(bench));
  }
  return Object.fromEntries(Object.entries(values).filter(([name]) => only.includes(name as RowName)));
}

/** Kills all processes that this one has started, the oldest first, so that none is restarted meanwhile. */
async function endChildren(): Promise<void> {
  for (const pid of await treeOf(process.pid)) if (pid !== process.pid) endPid(pid);
}

/** Runs the bench. Succeeds if it could measure, whatever the figures. */
async function main(asked: Asked): Promise<void> {
  await ensureRequirements();
  await ensureToolchain();
  await ensureBaseImage();
  await ensureAnsible();
  await takeDownTheDead();
  const name = `${ownLabPrefix()}b`;
  let going: Promise<void> | undefined;
  const down = () => {
    going ??= takeDown(name);
    return going;
  };
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    // Not `once`: tsx ends a process at once if nothing listens any more.
    process.on(signal, () => {
      process.stderr.write("ended: taking the lab down\n");
      void endChildren()
        .then(down)
        .finally(() => process.exit(code));
    });
  }
  try {
    const lab = await step("making the lab", () => Lab.create(name));
    process.stdout.write(`\n${tableOf(await measure(lab, asked))}`);
  } finally {
    await down();
  }
}

try {
  await main(parseArguments(process.argv.slice(2)));
} catch (error) {
  // commander has already printed what is wrong.
  if (error instanceof CommanderError) process.exitCode = error.exitCode;
  else {
    process.stderr.write(`could not measure: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
