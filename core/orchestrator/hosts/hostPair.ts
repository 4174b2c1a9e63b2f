import { formatMove } from "../../eventLog/moveId.ts";
import { createConnection } from "../../ssh/connection.ts";
import { markOwn, type Variables } from "../../ssh/foreign.ts";
import { computeFingerprint } from "../../ssh/publicKey.ts";
import { type CallError, type CallOptions, openRoot, type RootHost } from "../../ssh/root.ts";
import { createLoginKeys } from "../../ssh/ssh.ts";
import { assertProxyWorks, isFatal, type LoginError } from "../../ssh/sshErrors.ts";
import type { Clock } from "../../util/clock.ts";
import { commandsFor } from "../../util/commands.ts";
import { takeFirstLine } from "../../util/printable.ts";
import { hasKind, ProblemError } from "../../util/problem.ts";
import {
  assignRoles,
  bothSides,
  formatHost,
  type HostState,
  type HostStates,
  parseJournal,
  type Saga,
  type WhichHost,
} from "../rules/journal.ts";
import type { MoveInputs } from "./moveInputs.ts";

interface SideCall extends CallOptions {
  readonly side: WhichHost;
  readonly name: string;
  readonly saga: Saga;
  readonly variables?: Variables | undefined;
}

export interface HostPairDeps extends Pick<Clock, "ticks" | "sleep"> {
  say(line: string): void;
}

const retryDelayMs = 3000;
/** For a lost host: a firewall that limits new connections (core/ssh/connection.ts) would hide one that lives. */
const lostRetryDelayMs = 8000;
/** For a host that answered before: a reboot's time. */
const rebootTimeoutMs = 90_000;
/** For a host that has not answered yet and may be gone. */
const firstTimeoutMs = 20_000;
/** Longer than another run's lease and longest script together. */
const lockTimeoutMs = 30 * 60_000;

/** Parses the output of a step. @returns the host's state, and the lines before it */
export function parseHostState(printed: string, address: string) {
  const lines = printed.split("\n");
  const at = lines.findLastIndex((line) => line.startsWith("journal"));
  const facts = at < 0 ? [] : lines.slice(at);
  const fact = (name: string) => facts.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
  if (!facts.includes("end")) throw Object.assign(new Error(`${address}: its answer was cut off`), { broken: true });
  const seen = {
    journal: parseJournal(Buffer.from(fact("journal") ?? "", "base64").toString("utf8"), address),
    active: fact("active") === "yes",
    masked: fact("masked") === "yes",
    inPlace: fact("inPlace") === "yes" ? true : undefined,
  };
  return { seen, said: lines.slice(0, at).filter((line) => line.trim() !== "") };
}

type PairInputs = Pick<MoveInputs, WhichHost | "library" | "restoreFrom">;

/** Opens root access to both hosts. A lost one let nobody in: a port that it refuses shows no limit on new connections. */
export function openPair({ old, new: fresh, library, restoreFrom }: PairInputs) {
  const { ssh, configured } = old.host;
  const toLost = restoreFrom === undefined ? undefined : createConnection(ssh, createLoginKeys(configured));
  return { old: openRoot(old.host, library, toLost), new: openRoot(fresh.host, library) };
}

type CallInputs = PairInputs & Pick<MoveInputs, "stack" | "p2pPort">;

/** Both hosts, over connections that stay open. */
export class HostPair {
  readonly roots: Readonly<Record<WhichHost, RootHost>>;
  private readonly inputs: CallInputs;
  private readonly token: string;
  private readonly deps: HostPairDeps;
  private readonly answered = { old: false, new: false };

  /** @param token owner of the hosts' locks: each run has another one */
  constructor(inputs: CallInputs, token: string, deps: HostPairDeps) {
    this.inputs = inputs;
    this.token = token;
    this.deps = deps;
    this.roots = openPair(inputs);
  }

  variables(side: WhichHost, { move, direction, generation = 0, isRestore = false }: Saga): Variables {
    const { inputs } = this;
    const { source, target } = assignRoles({ direction });
    const { ssh: other } = inputs[side === "old" ? "new" : "old"].host;
    return markOwn({
      token: this.token,
      move: formatMove(move),
      direction,
      generation,
      is_restore: `${isRestore}`,
      source_key: computeFingerprint(inputs[source].host.ssh.hostKey),
      target_key: computeFingerprint(inputs[target].host.ssh.hostKey),
      side,
      rpc_port: inputs[side].rpcPort,
      p2p_port: inputs.p2pPort,
      identity: "",
      service: inputs[side].service,
      directory: inputs[side].directory,
      executable: inputs[side].executable,
      other_address: other.address,
      other_host_key: other.hostKey,
    });
  }

  /** Calls a script function as the lock's owner. Marks errors: connection `broken`, lock `taken` by another run. */
  async call({ side, name, saga, variables, ...options }: SideCall): Promise<string> {
    const all = { ...this.variables(side, saga), ...variables };
    const printed = await this.roots[side].call(name, all, options).catch(throwMarked);
    this.answered[side] = true;
    return printed;
  }

  /** Calls a function as {@link HostPair.call} does, and passes each line that it prints on. */
  async stream({ side, name, saga, variables, ...options }: SideCall, onLine: (line: string) => void) {
    const all = { ...this.variables(side, saga), ...variables };
    const { stdout, done } = await this.roots[side].stream(name, all, options);
    stdout.setEncoding("utf8").on("data", (piece: string) => {
      for (const line of piece.split("\n")) if (line.trim() !== "") onLine(line);
    });
    await done.catch(throwMarked);
  }

  /** Calls a script function that prints the host's state last; says the lines before it. @returns both hosts' state */
  async step(call: SideCall, states: HostStates): Promise<HostStates> {
    const { side } = call;
    const { seen, said } = parseHostState(await this.call(call), this.roots[side].address);
    for (const line of said) this.deps.say(`${side} host: ${line}`);
    return { ...states, [side]: seen };
  }

  /**
   * Reads both hosts. Waits for a host that does not answer, longer if it answered before. @param before the last
   * reading: a host that was unreachable in it is not tried again
   */
  async look(saga: Saga, before?: HostStates): Promise<HostStates> {
    const read = async (side: WhichHost) => (before && !before[side] ? undefined : this.lookAt(side, saga));
    const [fresh, old] = await Promise.all([read("new"), read("old")]);
    return { old, new: fresh };
  }

  private async lookAt(side: WhichHost, saga: Saga): Promise<HostState> {
    const { deps, inputs } = this;
    const delayMs = side === "old" && inputs.restoreFrom !== undefined ? lostRetryDelayMs : retryDelayMs;
    const end = deps.ticks() + (this.answered[side] ? rebootTimeoutMs : firstTimeoutMs);
    for (let isFirst = true; ; isFirst = false) {
      try {
        return parseHostState(await this.call({ side, name: "signer_side", saga }), this.roots[side].address).seen;
      } catch (error) {
        const { broken, message } = error as Error & { broken?: boolean };
        if (!broken || deps.ticks() >= end) assertProxyWorks(this.roots[side].address, error as LoginError);
        // With another host key it is another machine: the old host is gone.
        if (side === "old" && hasKind(error, "otherHostKey")) {
          deps.say(`${takeFirstLine(message)}: the old host counts as unreachable`);
          return undefined;
        }
        if (!broken) throw error;
        if (isFirst) deps.say(`the ${side} host does not answer: ${takeFirstLine(message)}`);
        if (deps.ticks() >= end) return undefined;
      }
      await deps.sleep(delayMs);
    }
  }

  /**
   * Takes the lock on each host that answered; waits until another run's lease ends. Reads both hosts again, because
   * another run may have changed them until it dropped the locks.
   */
  async lock(saga: Saga, before: HostStates): Promise<HostStates> {
    for (const side of bothSides.filter((each) => before[each])) await this.takeLock(side, saga);
    return this.look(saga, before);
  }

  private async takeLock(side: WhichHost, saga: Saga): Promise<void> {
    const { deps } = this;
    const { address } = this.roots[side];
    const end = deps.ticks() + lockTimeoutMs;
    for (let isFirst = true; ; isFirst = false) {
      const answer = (await this.call({ side, name: "signer_take_lock", saga })).trim();
      if (answer.endsWith("taken")) return;
      if (deps.ticks() >= end) {
        const [, , login] = answer.split(" ");
        const run = commandsFor(this.inputs.stack);
        throw new ProblemError({
          what: `${address}: another run has been at work on this orchestrator for ${lockTimeoutMs / 60_000} minutes; nothing was done`,
          found: login && `its login on ${address} is process ${login}: ps -o lstart,args -p ${login}`,
          needed: `wait until that run has finished, or press Ctrl-C in its terminal (${run.status()} shows its step if it is of this stack)`,
          next: `Then: ${run.up}`,
        });
      }
      if (isFirst) deps.say(`an earlier run is still at work on ${formatHost(side, address)}; waiting for it`);
      await deps.sleep(retryDelayMs);
    }
  }

  /** Drops the locks of the hosts that answered, and closes the connections. */
  async close(saga: Saga, states: HostStates = { old: undefined, new: undefined }): Promise<void> {
    for (const side of bothSides.filter((each) => states[each]))
      await this.call({ side, name: "signer_drop_lock", saga }).catch(() => undefined);
    for (const side of bothSides) this.roots[side].close();
  }
}

function throwMarked(error: CallError): never {
  if (error.exitCode === 75) throw Object.assign(error, { taken: true });
  throw error.exitCode === undefined && !isFatal(error) ? Object.assign(error, { broken: true }) : error;
}
