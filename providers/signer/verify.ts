import type { NodeNow } from "../lookup";
import {
  type BuildInfo,
  createOrchestratorClient,
  type OrchestratorClient,
  type SignerIdentity,
} from "../rpc/orchestrator";
import { type Saga, type SideName, sidesOf } from "./journal";
import type { MoveInputs } from "./moveInputs";
import type { Sides, SidesWorld } from "./sides";

/** Lines of a healthy orchestrator that read like trouble: it reconnects, and peers come and go (chain-facts). */
const harmless = [
  /fail(ed)? to (connect to peer|dial)|failed to dial|dial backoff|context deadline exceeded/i,
  /websocket: close|unexpected EOF, reconnecting|i\/o timeout, reconnecting/i,
  /already exists/i,
  /too many requests|429/i,
];
const trouble =
  /(^|\s)(ERROR|FATAL|PANIC|DPANIC)(\s|$)|^panic:|^fatal error:|Main process exited|Failed with result|Failed to start/;

/** The lines of a journal that are errors, without those that are known to be harmless (pure). */
export function errorsIn(lines: readonly string[]): string[] {
  return lines.filter((line) => trouble.test(line) && !harmless.some((known) => known.test(line)));
}

/** The life of the unit, and its last lines. */
export interface Life {
  readonly active: string;
  readonly restarts: number;
  readonly pid: number;
  readonly log: readonly string[];
}

/** Reads what signer_life prints (pure). */
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
    log: at < 0 ? [] : lines.slice(at + 1).filter((line) => line !== ""),
  };
}

export interface Verified {
  readonly build: BuildInfo;
  readonly identity: SignerIdentity | undefined;
  /** Clock milliseconds of the first good answer. */
  readonly answeredAt: number;
}

export interface VerifyWorld extends SidesWorld {
  now(): number;
  /** The new host's node, as it is now. */
  lookAtNode(): Promise<NodeNow>;
}

/** Milliseconds between two looks whether the port is open. */
const knock = 50;
/** Milliseconds for which it may answer with an error. */
const wrongFor = 30_000;
const shownLines = 10;
const logLines = 50;

export function clientOf(inputs: MoveInputs, sides: Sides, side: SideName, world: SidesWorld): OrchestratorClient {
  return createOrchestratorClient(() => sides.roots[side].forward("127.0.0.1", inputs.rpcPort), inputs.rpcPort, world);
}

/**
 * Waits until a started orchestrator answers getBuildInfo (specification 4.2).
 *
 * @throws Error with what was seen last, and its last log lines without secrets
 */
export async function waitForAnswer(
  inputs: MoveInputs,
  sides: Sides,
  side: SideName,
  saga: Saga,
  world: VerifyWorld,
): Promise<{ build: BuildInfo; answeredAt: number }> {
  const client = clientOf(inputs, sides, side, world);
  const end = world.ticks() + inputs.answerWithin;
  let heard = world.ticks();
  let wrongSince: number | undefined;
  for (;;) {
    let why: string;
    try {
      // A knock costs no request of the two a second.
      (await sides.roots[side].forward("127.0.0.1", inputs.rpcPort)).destroy();
      const build = await client.buildInfo();
      return { build, answeredAt: world.now() };
    } catch (error) {
      why = (error as Error).message;
    }
    // It answers, and not well: that does not come right with time, as a port that is closed does.
    const isWrong = /^the (answer to|orchestrator answers) getBuildInfo|^getBuildInfo is answered/.test(why);
    wrongSince = isWrong ? (wrongSince ?? world.ticks()) : undefined;
    if (world.ticks() >= end || (wrongSince !== undefined && world.ticks() - wrongSince > wrongFor)) {
      const life = readLife(await sides.call(side, "signer_life", saga, { log_lines: shownLines }));
      throw new Error(
        [
          `the orchestrator of the ${side} side (${sides.roots[side].address}) gives no good getBuildInfo`,
          `  needed: one within ${Math.round(inputs.answerWithin / 1000)} s of its start (specification 4.2)`,
          `  found: ${why}`,
          `  unit ${inputs[side].service}: ${life.active}, restarted ${life.restarts} times`,
          ...life.log.map((line) => `  log: ${line}`),
          `  See it with: journalctl -u ${inputs[side].service} -n 50`,
        ].join("\n"),
      );
    }
    if (world.ticks() - heard > 15_000) {
      heard = world.ticks();
      world.say(`the orchestrator of the ${side} side was started, no good answer yet: ${why}`);
    }
    await world.sleep(knock);
  }
}

/**
 * Asserts that what answers is the signer, and stays (specification 1.2, steps 6 and 7).
 *
 * @throws Error that names every fault
 */
export async function verify(
  inputs: MoveInputs,
  sides: Sides,
  side: SideName,
  saga: Saga,
  expected: Readonly<Record<string, string>> | null,
  startedAt: number,
  world: VerifyWorld,
): Promise<Verified> {
  const { build, answeredAt } = await waitForAnswer(inputs, sides, side, saga, world);
  world.say(
    `the orchestrator of the ${side} side answers: ${build.version}; watching it for ${inputs.steadyFor / 1000} s`,
  );
  const client = clientOf(inputs, sides, side, world);
  const before = readLife(await sides.call(side, "signer_life", saga, { log_lines: 1 }));
  const faults = side === "new" ? versionFaults(build, inputs.version) : [];
  const identity = await client.identity();
  const wrong = identity && expected ? differing(identity, expected) : [];
  faults.push(...wrong.map((line) => `it is another signer than before: ${line}`));
  await world.sleep(inputs.steadyFor);
  // Of one that is gone by now its log is the better reason.
  const gone = (error: Error) => void faults.push(`it answers no more: ${error.message}`);
  const status = await client.status().catch(gone);
  if (status) world.say(`getStatus: ${status.stateName}${status.peers === undefined ? "" : `, ${status.peers} peers`}`);
  if (status?.peers === 0)
    world.say("getStatus shows no peers yet: is the orchestrator's port (55055/tcp) open to the other signers?");
  if (faults.length === 0) await client.buildInfo().catch(gone);
  // Of this start alone: the machine may have had a signer before.
  const life = readLife(
    await sides.call(side, "signer_life", saga, { log_lines: logLines, since: Math.floor(startedAt / 1000) }),
  );
  if (!life.active.startsWith("active (running")) faults.push(`its unit is ${life.active}`);
  if (life.pid !== before.pid || life.restarts !== before.restarts)
    faults.push("it did not stay up: it was restarted while it was watched");
  // It signed here before: what it complains of is no reason to leave the bridge without it.
  for (const line of errorsIn(life.log)) {
    if (side === sidesOf(saga).source) world.say(`log of the ${side} side: ${line}`);
    else faults.push(`log: ${line}`);
  }
  if (faults.length > 0) {
    throw new Error(
      [
        `the orchestrator of the ${side} side (${sides.roots[side].address}) was started, but is not well`,
        ...faults.slice(0, shownLines).map((fault) => `  found: ${fault}`),
        "  needed: a unit that stays active, a journal free of errors, the configured version, and the same identity as before",
        `  See it with: journalctl -u ${inputs[side].service} -n 50`,
      ].join("\n"),
    );
  }
  return { build, identity, answeredAt };
}

/** What runs is what the configuration names: not each build tells its version when it is installed (pure). */
export function versionFaults({ version }: Pick<BuildInfo, "version">, configured: string | undefined): string[] {
  if (configured === undefined || version === configured) return [];
  return [
    `it is ${version}, not ${configured} (pillar-host:orchestrator.release.version). Is it right as it is? ` +
      `pulumi config set --path pillar-host:orchestrator.release.version ${version}`,
  ];
}

/** What makes a signer another one; not its registration, which the operator changes meanwhile. */
function differing(found: SignerIdentity, expected: Readonly<Record<string, string>>): string[] {
  return (["producer", "tssPeerId", "evmAddress"] as const).flatMap((name) => {
    const wanted = expected[name];
    return wanted === undefined || wanted === "" || wanted === found[name]
      ? []
      : [`${name} ${found[name]}, not ${wanted}`];
  });
}
