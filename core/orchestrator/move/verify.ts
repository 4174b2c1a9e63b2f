import path from "node:path";
import { type BuildInfo, findIdentityDifferences } from "../../chain/orchestrator.ts";
import { parseConnections } from "../../host/facts.ts";
import { commandsFor } from "../../util/commands.ts";
import { parseFields } from "../../util/fields.ts";
import { hasKind, type Problem, ProblemError } from "../../util/problem.ts";
import { readJson } from "../checks/survey.ts";
import { findConnectionsTo, useOwnNode } from "../rules/endpoints.ts";
import type { HostStates, Saga, WhichHost } from "../rules/journal.ts";
import { parseOrchestratorConfig } from "../rules/orchestratorConfig.ts";
import type { MoveRun } from "./moveRun.ts";

const troublePattern =
  /(^|\s)(ERROR|FATAL|PANIC|DPANIC)(\s|$)|^panic:|\bpanic: |^fatal error:|Main process exited|Failed with result|Failed to start/;

/** Returns the log lines about errors; healthy orchestrators write some, too. */
export function findLogErrors(lines: readonly string[]): string[] {
  return lines.filter((line) => troublePattern.test(line));
}

/** Parses the output of orchestrator_life: the unit's state, peers (absent if not reported), connections, last log lines. */
export function parseLife(printed: string) {
  const lines = printed.split("\n");
  const at = lines.indexOf("log");
  const fields = parseFields(lines.slice(0, Math.max(0, at)));
  const facts = new Map(fields);
  return {
    active: `${facts.get("ActiveState")} (${facts.get("SubState")})`,
    restarts: Number(facts.get("NRestarts") ?? 0),
    pid: Number(facts.get("MainPID")),
    restart: facts.get("Restart"),
    home: facts.get("Home"),
    peers: facts.get("Peers") ? Number(facts.get("Peers")) : undefined,
    connections: parseConnections(fields),
    log: at < 0 ? [] : lines.slice(at + 1).filter((line) => line !== ""),
  };
}

interface Started {
  readonly run: MoveRun;
  readonly side: WhichHost;
  readonly saga: Saga;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** The identity that it must have; null if unknown. */
  readonly expected: Readonly<Record<string, string>> | null;
}

const pollIntervalMs = 50;
/** Shorter than for a closed port: wrong answers rarely correct themselves. */
const wrongAnswerTimeoutMs = 30_000;
const reportIntervalMs = 15_000;
const maxShownLines = 10;
const maxLogLines = 50;

/** Waits until a started orchestrator answers getBuildInfo (docs/specification.md, 4.2). */
async function waitForAnswer(started: Started) {
  const { run, side } = started;
  const { inputs, sides, deps } = run;
  const client = run.client(side);
  const end = deps.ticks() + inputs.answerWithin;
  let reportedAt = deps.ticks();
  let wrongSince: number | undefined;
  for (;;) {
    let problem: Error;
    try {
      // Try the port first: that costs none of the two requests a second.
      (await sides.roots[side].forward("127.0.0.1", inputs[side].rpcPort)).destroy();
      return { build: await client.buildInfo(), answeredAt: deps.now() };
    } catch (error) {
      problem = error as Error;
    }
    wrongSince = hasKind(problem, "wrongAnswer") ? (wrongSince ?? deps.ticks()) : undefined;
    if (deps.ticks() >= end || (wrongSince !== undefined && deps.ticks() - wrongSince > wrongAnswerTimeoutMs)) {
      const life = await readUnit(started, maxShownLines);
      const unit = `unit ${inputs[side].service} ${life.active}, restarted ${life.restarts} times`;
      const found = [problem.message, unit, ...findUnitFaults(started, life)];
      const needed = `a good answer within ${Math.round(inputs.answerWithin / 1000)} s of its start (pillar-host:orchestrator.startTimeout)`;
      throw createFailure(started, { what: "gives no good getBuildInfo", found, needed }, life.log);
    }
    if (deps.ticks() - reportedAt > reportIntervalMs) {
      reportedAt = deps.ticks();
      const { active, restarts, log } = await readUnit(started, 1);
      const unit = [`unit is ${active}, restarted ${restarts} times`, ...log.map((line) => `last line: ${line}`)];
      deps.say(
        `the orchestrator of the ${side} host was started, no good answer yet: ${problem.message}; its ${unit.join("; its ")}`,
      );
    }
    await deps.sleep(pollIntervalMs);
  }
}

/** @param since Unix seconds of the oldest log line */
async function readUnit(unit: Pick<Started, "run" | "side">, log_lines: number, since?: number) {
  const { run, side } = unit;
  const variables = { log_lines, ...(since !== undefined && { since }) };
  return parseLife(await run.sides.call({ side, name: "orchestrator_life", variables }));
}

function createFailure({ run, side }: Started, problem: Problem, log: readonly string[]): Error {
  const lines = log.slice(-maxShownLines).map((line) => `log: ${line}`);
  const next = [...lines, `See it with: journalctl -u ${run.inputs[side].service} -n 50`];
  return new ProblemError({ ...problem, what: `the orchestrator of ${run.nameOf(side)} ${problem.what}`, next });
}

/**
 * Asserts that a started orchestrator answers, is the expected one, and stays up (docs/specification.md, 1.2, steps 6
 * and 7). @throws Error with every problem, and the last log lines without secrets
 */
export async function verify(started: Started) {
  const { run, side, expected, startedAt } = started;
  const { inputs, deps } = run;
  const { build, answeredAt } = await waitForAnswer(started);
  deps.say(
    `the orchestrator of the ${side} host answers: ${build.version}; watching it for ${inputs.steadyFor / 1000} s`,
  );
  const client = run.client(side);
  const before = await readUnit(started, 1);
  const faults = side === "new" ? checkRunningVersion(build, inputs) : [];
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
  const life = await readUnit(started, maxLogLines, Math.floor(startedAt / 1000));
  if (!life.active.startsWith("active (running")) faults.push(`its unit is ${life.active}`);
  if (life.pid !== before.pid || life.restarts !== before.restarts)
    faults.push("the orchestrator ended or restarted while it was watched");
  // In a rollback the old host gets its orchestrator back even if the bridge has another key by now.
  if (side === "new" && !inputs.noKeyShare.isGiven && (await hasShare(started)) === false)
    faults.push(
      "the orchestrator found no share of the bridge's key (an empty TssConfig.PublicKey in its config.json): it would sign nothing",
    );
  const errors = findLogErrors(life.log);
  const unitFaults = findUnitFaults(started, life);
  if (faults.length > 0) {
    const needed =
      "a unit that stays active, answers, the configured version, a key share, and the same identity as before";
    const problem = { what: "was started, but is not well", found: [...faults, ...unitFaults], needed };
    throw createFailure(started, problem, errors.length > 0 ? errors : life.log);
  }
  for (const fault of unitFaults) deps.say(`warning: ${fault}`);
  if (status) deps.say(`getStatus of the ${side} host: ${status.stateName}`);
  if (life.peers !== undefined) deps.say(formatPeers(side, life.peers, inputs));
  return { build, answeredAt };
}

/** Returns which settings of zz-pillar-host.conf (core/steps/orchestrator/install.sh) another file of the unit overrides. */
function findUnitFaults({ run, side }: Started, { restart, home }: ReturnType<typeof parseLife>): string[] {
  const { service, directory } = run.inputs[side];
  // The old host's unit is its operator's.
  if (side === "old") return [];
  const others = [
    restart !== "always" && `Restart=${restart} (it ends with exit code 0 when it loses a node, and stays off)`,
    home !== path.posix.dirname(directory) && `HOME=${home ?? ""} (its directory is ${directory})`,
  ].filter((line) => line !== false);
  if (others.length === 0) return [];
  const cure = `systemctl cat ${service}. Then: systemctl daemon-reload && systemctl restart ${service}`;
  return [`another line of its unit is in force: ${others.join("; ")}; needed: remove that line: ${cure}`];
}

/**
 * Asserts that the moved orchestrator, which answers, uses no node of the host that it left. It connects to its nodes
 * before it answers, and holds these connections: when one breaks, it ends.
 */
export async function assertOwnNode(run: MoveRun, states: HostStates): Promise<void> {
  const { connections } = await readUnit({ run, side: "new" }, 1);
  const found = findConnectionsTo(connections, await run.readAddresses("old", states));
  if (connections.length === 0)
    run.deps.say("the orchestrator has no connection now: it is unknown which nodes it uses");
  if (found.length === 0) return;
  throw new ProblemError({
    what: `the orchestrator moved to ${run.nameOf("new")} and signs, but it uses a node of ${run.nameOf("old")}, and ends when that node does`,
    found: found.map((each) => `its process is connected to ${each}`),
    needed: useOwnNode,
    next: `Then: ${commandsFor(run.inputs.stack).up}`,
  });
}

/** True if the orchestrator wrote its share to config.json at its start; undefined if that can't be read. */
async function hasShare({ run, side }: Started): Promise<boolean | undefined> {
  const file = `${run.inputs[side].directory}/config.json`;
  const config = await readJson(run.sides.roots[side], file, run.deps).catch(() => undefined);
  return config === undefined ? undefined : parseOrchestratorConfig(config ?? {}).hasShare;
}

/** Formats the connections: an orchestrator that has none signs nothing, although it reports live. */
function formatPeers(side: WhichHost, peers: number, { stack, p2pPort }: MoveRun["inputs"]): string {
  return peers > 0
    ? `the ${side} host is connected with ${peers} other orchestrator${peers === 1 ? "" : "s"}`
    : `the ${side} host connects to the other orchestrators now, through ${p2pPort}/tcp; to see how many: ${commandsFor(stack).status()}`;
}

/** Compares the running version with the configured one, because not every build reports its own when installed. */
function checkRunningVersion({ version }: BuildInfo, { release, stack }: MoveRun["inputs"]): string[] {
  if (release === undefined || version === release.version) return [];
  return [
    `its version is ${version}, not ${release.version} (pillar-host:orchestrator.release.version). Is the running version right? ` +
      commandsFor(stack).set("orchestrator.release.version", version),
  ];
}
