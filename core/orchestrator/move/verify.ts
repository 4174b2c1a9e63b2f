import {
  type BuildInfo,
  createOrchestratorClient,
  findIdentityDifferences,
  isWrongAnswer,
  type OrchestratorClient,
  type OrchestratorIdentity,
} from "../../chain/orchestrator";
import { type Commands, commandsFor } from "../../util/commands";
import { formatProblem } from "../../util/problem";
import { type ChainReaders, readJson } from "../checks/survey";
import type { HostPair, HostPairDeps } from "../hosts/hostPair";
import type { MoveInputs } from "../hosts/moveInputs";
import { formatHost, type Saga, type WhichHost } from "../rules/journal";
import { parseOrchestratorConfig } from "../rules/orchestratorConfigFile";

const troublePattern =
  /(^|\s)(ERROR|FATAL|PANIC|DPANIC)(\s|$)|^panic:|\bpanic: |^fatal error:|Main process exited|Failed with result|Failed to start/;

/** Returns the log lines about errors; healthy orchestrators write some, too. */
export function findLogErrors(lines: readonly string[]): string[] {
  return lines.filter((line) => troublePattern.test(line));
}

interface Life {
  readonly active: string;
  readonly restarts: number;
  readonly pid: number;
  /** Number of connections with other orchestrators; absent if not reported. */
  readonly peers?: number;
  readonly log: readonly string[];
}

export function parseLife(printed: string): Life {
  const lines = printed.split("\n");
  const at = lines.indexOf("log");
  const facts = lines.slice(0, Math.max(0, at));
  const fact = (name: string) => facts.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
  return {
    active: `${fact("ActiveState")} (${fact("SubState")})`,
    restarts: Number(fact("NRestarts")),
    pid: Number(fact("MainPID")),
    peers: fact("Peers") === "" ? undefined : Number(fact("Peers")),
    log: at < 0 ? [] : lines.slice(at + 1).filter((line) => line !== ""),
  };
}

export interface Verification {
  readonly build: BuildInfo;
  readonly identity: OrchestratorIdentity | undefined;
  /** Unix milliseconds. */
  readonly answeredAt: number;
}

export interface VerifyDeps extends HostPairDeps, ChainReaders {
  now(): number;
}

interface StartedSide {
  readonly inputs: MoveInputs;
  readonly sides: HostPair;
  readonly side: WhichHost;
  readonly saga: Saga;
  readonly deps: VerifyDeps;
}

const pollIntervalMs = 50;
/** Shorter than for a closed port: wrong answers rarely correct themselves. */
const wrongAnswerTimeoutMs = 30_000;
const reportIntervalMs = 15_000;
const maxShownLines = 10;
const maxLogLines = 50;

export function createClient(
  inputs: MoveInputs,
  sides: HostPair,
  side: WhichHost,
  deps: HostPairDeps,
): OrchestratorClient {
  return createOrchestratorClient(sides.roots[side], inputs.rpcPort, deps);
}

/**
 * Waits until a started orchestrator answers getBuildInfo (docs/specification.md, 4.2). @throws Error with the last
 * problem, and the last log lines without secrets
 */
async function waitForAnswer(started: StartedSide): Promise<{ build: BuildInfo; answeredAt: number }> {
  const { inputs, sides, side, deps } = started;
  const client = createClient(inputs, sides, side, deps);
  const end = deps.ticks() + inputs.answerWithin;
  let reportedAt = deps.ticks();
  let wrongSince: number | undefined;
  for (;;) {
    let problem: Error;
    try {
      // Try the port first: that costs none of the two requests a second.
      (await sides.roots[side].forward("127.0.0.1", inputs.rpcPort)).destroy();
      const build = await client.buildInfo();
      return { build, answeredAt: deps.now() };
    } catch (error) {
      problem = error as Error;
    }
    wrongSince = isWrongAnswer(problem) ? (wrongSince ?? deps.ticks()) : undefined;
    if (deps.ticks() >= end || (wrongSince !== undefined && deps.ticks() - wrongSince > wrongAnswerTimeoutMs))
      throw new Error(await noAnswerText(started, problem.message));
    if (deps.ticks() - reportedAt > reportIntervalMs) {
      reportedAt = deps.ticks();
      const { active, restarts, log } = await readUnit(started, { log_lines: 1 });
      const unit = `its unit is ${active}, restarted ${restarts} times${log.length === 0 ? "" : `; its last line: ${log.at(-1)}`}`;
      deps.say(`the orchestrator of the ${side} host was started, no good answer yet: ${problem.message}; ${unit}`);
    }
    await deps.sleep(pollIntervalMs);
  }
}

async function noAnswerText(started: StartedSide, problem: string): Promise<string> {
  const { inputs, sides, side } = started;
  const life = await readUnit(started, { log_lines: maxShownLines });
  return formatProblem({
    what: `the orchestrator of ${formatHost(side, sides.roots[side].address)} gives no good getBuildInfo`,
    found: [problem, `unit ${inputs[side].service} ${life.active}, restarted ${life.restarts} times`],
    needed: `a good answer within ${Math.round(inputs.answerWithin / 1000)} s of its start (pillar-host:orchestrator.startTimeout)`,
    next: [...life.log.map((line) => `log: ${line}`), `See it with: journalctl -u ${inputs[side].service} -n 50`],
  });
}

async function readUnit({ sides, side, saga }: StartedSide, variables: LifeVariables): Promise<Life> {
  return parseLife(await sides.call({ side, name: "signer_life", saga, variables }));
}

/** `since` in Unix seconds. */
type LifeVariables = { readonly log_lines: number } | { readonly log_lines: number; readonly since: number };

/**
 * Asserts that a started orchestrator answers, is the expected one, and stays up (docs/specification.md, 1.2, steps 6
 * and 7). @throws Error with every problem
 */
export async function verify(
  started: StartedSide,
  expected: Readonly<Record<string, string>> | null,
  startedAt: number,
): Promise<Verification> {
  const { inputs, sides, side, deps } = started;
  const { build, answeredAt } = await waitForAnswer(started);
  deps.say(
    `the orchestrator of the ${side} host answers: ${build.version}; watching it for ${inputs.steadyFor / 1000} s`,
  );
  const client = createClient(inputs, sides, side, deps);
  const before = await readUnit(started, { log_lines: 1 });
  const faults = side === "new" ? checkRunningVersion(build, inputs.version, commandsFor(inputs.stack)) : [];
  const identity = await client.identity();
  const differences = identity && expected ? findIdentityDifferences(identity, expected) : [];
  for (const name of differences)
    faults.push(`it is another orchestrator than before: ${name} ${identity?.[name]}, not ${expected?.[name]}`);
  await deps.sleep(inputs.steadyFor);
  // Errors are collected: the log below says why an orchestrator is gone.
  const addFault = (error: Error) => void faults.push(`the orchestrator does not answer any more: ${error.message}`);
  const status = await client.status().catch(addFault);
  if (faults.length === 0) await client.buildInfo().catch(addFault);
  // Read only log lines since this start: the host may have had an orchestrator before.
  const life = await readUnit(started, { log_lines: maxLogLines, since: Math.floor(startedAt / 1000) });
  if (!life.active.startsWith("active (running")) faults.push(`its unit is ${life.active}`);
  if (life.pid !== before.pid || life.restarts !== before.restarts)
    faults.push("the orchestrator ended or restarted while it was watched");
  const share = await hasShare(started);
  // In a rollback the old host gets its orchestrator back even if the bridge has another key by now.
  if (side === "new" && share === false && !inputs.noKeyShare)
    faults.push(
      "the orchestrator found no share of the bridge's key (an empty TssConfig.PublicKey in its config.json): it would sign nothing",
    );
  if (faults.length > 0) throw new Error(faultyText(started, faults, life.log));
  for (const line of findLogErrors(life.log).slice(-maxShownLines))
    deps.say(`log of the ${side} host, although its orchestrator is well: ${line}`);
  if (status) deps.say(`getStatus of the ${side} host: ${status.stateName}`);
  if (life.peers !== undefined) deps.say(peersText(side, life.peers, inputs.p2pPort));
  return { build, identity, answeredAt };
}

function faultyText({ inputs, sides, side }: StartedSide, faults: readonly string[], log: readonly string[]): string {
  const errors = findLogErrors(log);
  const shownLog = (errors.length > 0 ? errors : log).slice(-maxShownLines);
  return formatProblem({
    what: `the orchestrator of ${formatHost(side, sides.roots[side].address)} was started, but is not well`,
    found: faults.slice(0, maxShownLines),
    needed: "a unit that stays active, answers, the configured version, a key share, and the same identity as before",
    next: [...shownLog.map((line) => `log: ${line}`), `See it with: journalctl -u ${inputs[side].service} -n 50`],
  });
}

/** True if the orchestrator wrote its share to config.json at its start; undefined if that can't be read. */
async function hasShare({ inputs, sides, side, deps }: StartedSide) {
  const file = `${inputs[side].directory}/config.json`;
  const config = await readJson(sides.roots[side], file, deps).catch(() => undefined);
  if (config === undefined) return undefined;
  return parseOrchestratorConfig((config as Record<string, unknown> | null) ?? {}).hasShare;
}

/** Formats the connections: an orchestrator that has none signs nothing, although it reports live. */
function peersText(side: WhichHost, peers: number, port: number): string {
  return peers > 0
    ? `the ${side} host is connected with ${peers} other orchestrator${peers === 1 ? "" : "s"}`
    : `the ${side} host is connected with no other orchestrator yet: is ${port}/tcp open to them, and out to theirs? It connects to those in tss/address_book.seed and TssConfig.Bootstrap`;
}

/** Compares the running version with the configured one, because not every build reports its own when installed. */
export function checkRunningVersion(
  { version }: Pick<BuildInfo, "version">,
  configured: string | undefined,
  { set }: Commands,
): string[] {
  if (configured === undefined || version === configured) return [];
  return [
    `its version is ${version}, not ${configured} (pillar-host:orchestrator.release.version). Is the running version right? ` +
      set("orchestrator.release.version", version),
  ];
}
