import { hasSigner } from "../core/settings/orchestratorPresence";
import { runScript } from "../core/ssh/runScript";
import { judgeExits, type RepairSeen, readRepair } from "../core/steps/database/judgement";
import { databaseLook, databaseRepair } from "../core/steps/database/steps";
import { envelope, type Step } from "../core/steps/step";
import { receiver } from "../core/steps/stepVariables";
import { commandsFor } from "../core/util/commands";
import { printableLines } from "../core/util/printable";
import { askYes } from "./ask";
import { openHost } from "./hostLook";
import { lookAtParts } from "./parts/lookAtParts";
import { CliRefusal, couldNot } from "./refusal";
import { foundLines, meanwhileLines, type RepairPlace, repairedLines, unreadableLines } from "./repairLines";
import { openSource, type Source } from "./source";
import { unknownHost } from "./unknownHost";

/**
 * Judges the database of a stack's node, and repairs it where a kill tore it. A node that runs is stopped only after
 * somebody said so.
 *
 * @returns the exit code of --help. @throws Refusal
 */
export async function repair(fullName: string, { yes }: { yes?: boolean }): Promise<number> {
  const source = await openSource(fullName);
  const { stack, config, address, hostKey } = source;
  if (config.lifecycle === "retiring")
    throw new CliRefusal(
      `${stack} is retiring: its node is to stay off, and nothing of it is repaired\n  needed: a stack that is active or adopted. How far the retirement is: ${commandsFor(stack).status()}`,
    );
  if (hostKey === undefined) {
    const { exitCode, lines } = await unknownHost(source);
    console.error(printableLines(lines.join("\n").trim()));
    return exitCode;
  }
  const { node, pillar } = config;
  const place = { ...{ stack, address, pillar: pillar.name }, service: node.service, dataDir: node.dataDir };
  const host = openHost(source, hostKey);
  const run = async (step: Step) => {
    const script = envelope(step, receiver(config, address));
    return readRepair(await runScript(host.connection, step.name, script, (step.limitSeconds + 90) * 1000));
  };
  try {
    const seen = await run(databaseLook(config));
    tell(foundLines(place, seen));
    const runs = seen.exit === judgeExits.inUse;
    if (!runs && seen.exit !== judgeExits.torn) return nothingToRepair(place, seen);
    const { registration } = await lookAtParts(source, hostKey, host);
    tell(meanwhileLines(place, registration, await hasSigner(config, stack, source.state.shown?.signer)));
    if (!(await isWanted(source, runs, yes === true))) return 1;
    const after = await run(databaseRepair(config));
    tell(repairedLines(place, after));
    return after.exit === 0 && after.started !== false ? 0 : 1;
  } catch (error) {
    throw new CliRefusal(
      `the database of ${stack} could not be looked at to the end: ${(error as Error).message}\n  How the node is: ${commandsFor(stack).status()}\n  Then, again from the beginning: ${commandsFor(stack).repair()}`,
    );
  } finally {
    host.close();
  }
}

const tell = (lines: readonly string[]) => {
  if (lines.length > 0) console.log(printableLines(lines.join("\n")));
};

function nothingToRepair(place: RepairPlace, { exit, node }: RepairSeen): number {
  if (exit === judgeExits.unreadable) tell(unreadableLines(place));
  if (exit === 0 && node !== "active")
    tell([`The database is not what keeps ${place.service} off. What is: ${commandsFor(place.stack).status()}`]);
  if (exit === judgeExits.absent || exit === judgeExits.limits) return couldNot;
  return exit === 0 ? 0 : 1;
}

async function isWanted({ stack }: Source, runs: boolean, yes: boolean): Promise<boolean> {
  if (yes) return true;
  if (process.stdin.isTTY === true && process.stderr.isTTY === true)
    return askYes(
      runs
        ? "Stop the node, judge its database, repair it where it is torn, and start the node again?"
        : "Take that momentum back, and start the node?",
    );
  const what = runs ? "stop the node, judge its database and repair it where it is torn" : "repair it";
  tell([`Nothing was changed. To ${what}: ${commandsFor(stack).repair("--yes")}`]);
  return false;
}
