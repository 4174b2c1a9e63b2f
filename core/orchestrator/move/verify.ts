import {
  type BuildInfo,
  createOrchestratorClient,
  identityDifferences,
  isWrongAnswer,
  type OrchestratorClient,
  type OrchestratorIdentity,
} from "../../chain/orchestrator";
import { own } from "../../ssh/foreign";
import { type Commands, commandsFor } from "../../util/commands";
import { isJsonText } from "../backup/backup";
import type { ChainLooks } from "../checks/survey";
import type { HostPair, HostPairDeps } from "../hosts/hostPair";
import type { MoveInputs } from "../hosts/moveInputs";
import type { Saga, SideName } from "../rules/journal";
import { orchestratorConfigOf } from "../rules/orchestratorConfigFile";

const trouble =
  /(^|\s)(ERROR|FATAL|PANIC|DPANIC)(\s|$)|^panic:|\bpanic: |^fatal error:|Main process exited|Failed with result|Failed to start/;

/** The lines of a journal that tell of trouble: words for an operator, of which healthy signers write some, too. */
export function errorsIn(lines: readonly string[]): string[] {
  return lines.filter((line) => trouble.test(line));
}

/** The life of the unit, and its last lines. */
export interface Life {
  readonly active: string;
  readonly restarts: number;
  readonly pid: number;
  /** Other signers that the host has a connection with, where it can tell. */
  readonly peers?: number;
  readonly log: readonly string[];
}

/** Reads what signer_life prints. */
export function readLife(printed: string): Life {
  const lines = printed.split("\n");
  const at = lines.indexOf("log");
  const fact = (name: string) =>
    lines
      .slice(0, Math.max(0, at))
      .find((line) => line.startsWith(`${name}=`))
      ?.slice(name.length + 1) ?? "";
  return {
    active: `${fact("ActiveState")} (${fact("SubState")})`,
    restarts: Number(fact("NRestarts")),
    pid: Number(fact("MainPID")),
    peers: fact("Peers") === "" ? undefined : Number(fact("Peers")),
    log: at < 0 ? [] : lines.slice(at + 1).filter((line) => line !== ""),
  };
}

export interface Verified {
  readonly build: BuildInfo;
  readonly identity: OrchestratorIdentity | undefined;
  /** Clock milliseconds of the first good answer. */
  readonly answeredAt: number;
}

export interface VerifyDeps extends HostPairDeps, ChainLooks {
  now(): number;
}

/** A side whose orchestrator was started, within the move that started it. */
export interface StartedSide {
  readonly inputs: MoveInputs;
  readonly sides: HostPair;
  readonly side: SideName;
  readonly saga: Saga;
  readonly deps: VerifyDeps;
}

/** Milliseconds between two looks whether the port is open. */
const pollIntervalMs = 50;
/** Milliseconds for which it may answer with an error. */
const wrongFor = 30_000;
const shownLines = 10;
const logLines = 50;
const readings = 4;

export function clientOf(inputs: MoveInputs, sides: HostPair, side: SideName, deps: HostPairDeps): OrchestratorClient {
  return createOrchestratorClient(() => sides.roots[side].forward("127.0.0.1", inputs.rpcPort), inputs.rpcPort, deps);
}

/**
 * Waits until a started orchestrator answers getBuildInfo (docs/specification.md, 4.2).
 *
 * @throws Error with what was seen last, and its last log lines without secrets
 */
export async function waitForAnswer(started: StartedSide): Promise<{ build: BuildInfo; answeredAt: number }> {
  const { inputs, sides, side, saga, deps } = started;
  const client = clientOf(inputs, sides, side, deps);
  const end = deps.ticks() + inputs.answerWithin;
  let heard = deps.ticks();
  let wrongSince: number | undefined;
  for (;;) {
    let why: string;
    let isWrong = false;
    try {
      // Opening the port costs no request of the two a second.
      (await sides.roots[side].forward("127.0.0.1", inputs.rpcPort)).destroy();
      const build = await client.buildInfo();
      return { build, answeredAt: deps.now() };
    } catch (error) {
      why = (error as Error).message;
      // That does not come right with time, as a port that is closed does.
      isWrong = isWrongAnswer(error);
    }
    wrongSince = isWrong ? (wrongSince ?? deps.ticks()) : undefined;
    if (deps.ticks() >= end || (wrongSince !== undefined && deps.ticks() - wrongSince > wrongFor)) {
      const life = readLife(await sides.call(side, "signer_life", saga, { log_lines: shownLines }));
      throw new Error(
        [
          `the orchestrator of the ${side} side (${sides.roots[side].address}) gives no good getBuildInfo`,
          `  needed: one within ${Math.round(inputs.answerWithin / 1000)} s of its start (pillar-host:orchestrator.startTimeout)`,
          `  found: ${why}`,
          `  unit ${inputs[side].service}: ${life.active}, restarted ${life.restarts} times`,
          ...life.log.map((line) => `  log: ${line}`),
          `  See it with: journalctl -u ${inputs[side].service} -n 50`,
        ].join("\n"),
      );
    }
    if (deps.ticks() - heard > 15_000) {
      heard = deps.ticks();
      const { active, restarts, log } = readLife(await sides.call(side, "signer_life", saga, { log_lines: 1 }));
      const how = `its unit is ${active}, restarted ${restarts} times${log.length === 0 ? "" : `; its last line: ${log.at(-1)}`}`;
      deps.say(`the orchestrator of the ${side} side was started, no good answer yet: ${why}; ${how}`);
    }
    await deps.sleep(pollIntervalMs);
  }
}

/**
 * Asserts that what answers is the signer, and stays (docs/specification.md, 1.2, steps 6 and 7).
 *
 * @throws Error that names every fault
 */
export async function verify(
  started: StartedSide,
  expected: Readonly<Record<string, string>> | null,
  startedAt: number,
): Promise<Verified> {
  const { inputs, sides, side, saga, deps } = started;
  const { build, answeredAt } = await waitForAnswer(started);
  deps.say(
    `the orchestrator of the ${side} side answers: ${build.version}; watching it for ${inputs.steadyFor / 1000} s`,
  );
  const client = clientOf(inputs, sides, side, deps);
  const before = readLife(await sides.call(side, "signer_life", saga, { log_lines: 1 }));
  const faults = side === "new" ? versionFaults(build, inputs.version, commandsFor(inputs.stack)) : [];
  const identity = await client.identity();
  const wrong =
    identity && expected
      ? identityDifferences(identity, expected).map((name) => `${name} ${identity[name]}, not ${expected[name]}`)
      : [];
  faults.push(...wrong.map((line) => `it is another signer than before: ${line}`));
  await deps.sleep(inputs.steadyFor);
  // Of one that is gone by now its log is the better reason.
  const gone = (error: Error) => void faults.push(`it answers no more: ${error.message}`);
  const status = await client.status().catch(gone);
  if (faults.length === 0) await client.buildInfo().catch(gone);
  // Of this start alone: the machine may have had a signer before.
  const life = readLife(
    await sides.call(side, "signer_life", saga, { log_lines: logLines, since: Math.floor(startedAt / 1000) }),
  );
  if (!life.active.startsWith("active (running")) faults.push(`its unit is ${life.active}`);
  if (life.pid !== before.pid || life.restarts !== before.restarts)
    faults.push("it did not stay up: it was restarted while it was watched");
  const share = await hasShare(started);
  // It signed there before: a bridge that has another key by now is no reason to keep it from going back.
  if (side === "new" && share === false && !inputs.noKeyShare)
    faults.push(
      "it found no share of the bridge's key (an empty TssConfig.PublicKey in its config.json): it would sign nothing",
    );
  const errors = errorsIn(life.log).slice(-shownLines);
  if (faults.length > 0) {
    const log = errors.length > 0 ? errors : life.log.slice(-shownLines);
    throw new Error(
      [
        `the orchestrator of the ${side} side (${sides.roots[side].address}) was started, but is not well`,
        ...faults.slice(0, shownLines).map((fault) => `  found: ${fault}`),
        "  needed: a unit that stays active, answers, the configured version, a key share, and the same identity as before",
        ...log.map((line) => `  log: ${line}`),
        `  See it with: journalctl -u ${inputs[side].service} -n 50`,
      ].join("\n"),
    );
  }
  for (const line of errors) deps.say(`log of the ${side} side, which is well all the same: ${line}`);
  if (status) deps.say(`getStatus of the ${side} side: ${status.stateName}`);
  if (life.peers !== undefined) deps.say(peersText(side, life.peers, inputs.p2pPort));
  return { build, identity, answeredAt };
}

/** Whether it found its share at its start, which it writes down; undefined where it can't be read, as in a rewrite. */
async function hasShare({ inputs, sides, side, saga, deps }: StartedSide) {
  const file = `${inputs[side].directory}/config.json`;
  for (let left = readings; left > 0; left -= 1) {
    const text = await sides.call(side, "signer_read", saga, own({ file })).catch(() => "");
    if (isJsonText(text))
      return orchestratorConfigOf((JSON.parse(text) as Record<string, unknown> | null) ?? {}).hasShare;
    await deps.sleep(500);
  }
  return undefined;
}

/** With whom it talks: without the others nothing is signed, though it says that it is live. */
export function peersText(side: SideName, peers: number, port: number): string {
  return peers > 0
    ? `the ${side} side is connected with ${peers} other signer${peers === 1 ? "" : "s"}`
    : `the ${side} side is connected with no other signer yet: is ${port}/tcp open to them, and out to theirs? It dials those of tss/address_book.seed and TssConfig.Bootstrap`;
}

/** What runs is what the configuration names: not each build tells its version when it is installed. */
export function versionFaults(
  { version }: Pick<BuildInfo, "version">,
  configured: string | undefined,
  { set }: Commands,
): string[] {
  if (configured === undefined || version === configured) return [];
  return [
    `it is ${version}, not ${configured} (pillar-host:orchestrator.release.version). Is it right as it is? ` +
      set("orchestrator.release.version", version),
  ];
}
