import { isBroken, type PairCall, RootPair } from "../../host/rootPair.ts";
import { createConnection } from "../../ssh/connection.ts";
import { encodeBase64, markOwn, parseFileName, type Variables } from "../../ssh/foreign.ts";
import { computeFingerprint } from "../../ssh/publicKey.ts";
import { openRoot } from "../../ssh/root.ts";
import { createLoginKeys } from "../../ssh/ssh.ts";
import { assertProxyWorks, type LoginError } from "../../ssh/sshErrors.ts";
import type { Teller } from "../../util/clock.ts";
import { takeFirstLine } from "../../util/printable.ts";
import { hasKind } from "../../util/problem.ts";
import { createLeg } from "../rules/generation.ts";
import {
  bothSides,
  formatJournal,
  type HostState,
  type HostStates,
  journalVersion,
  parseJournal,
  type Saga,
  type WhichHost,
} from "../rules/journal.ts";
import type { Stage } from "../rules/journalStages.ts";
import { enterStage, mayLieInPlace, type StageChanges } from "../rules/nextJournal.ts";
import type { MoveInputs } from "./moveInputs.ts";

interface SideCall extends PairCall {
  /** Both hosts as last read: the function does nothing if its host has another journal now. */
  readonly states?: HostStates | undefined;
}

/** A call that writes its host's journal: `$next_journal` is that of the first stage, `$last_journal` of the last one. */
interface StepCall extends SideCall {
  readonly saga: Saga;
  readonly enter: readonly Stage[];
  readonly changes?: StageChanges | undefined;
}

const retryDelayMs = 3000;
/** For a lost host: a firewall that limits new connections (core/ssh/connection.ts) would hide one that lives. */
const lostRetryDelayMs = 8000;
/** For a host that answered before: a reboot's time. */
const rebootTimeoutMs = 90_000;
/** For a host that has not answered yet and may be gone. */
const firstTimeoutMs = 20_000;

/** Parses the output of a step. @returns the host's state, and the lines before it */
export function parseHostState(printed: string, address: string) {
  const lines = printed.split("\n");
  const at = lines.findLastIndex((line) => line.startsWith("journal"));
  const facts = at < 0 ? [] : lines.slice(at);
  const fact = (name: string) => facts.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
  if (!facts.includes("end")) throw Object.assign(new Error(`${address}: its answer was cut off`), { broken: true });
  const text = Buffer.from(fact("journal") ?? "", "base64").toString("utf8");
  const journal = parseJournal(text, address);
  const seen = {
    journal,
    text,
    active: fact("active") === "yes",
    masked: fact("masked") === "yes",
    inPlace: fact("placed") === "yes" && journal && mayLieInPlace(journal) ? true : undefined,
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

function createVariables(inputs: CallInputs, { side, states }: SideCall): Variables {
  const { ssh: other } = inputs[side === "old" ? "new" : "old"].host;
  const { text = "", journal: { keyStore } = {} } = states?.[side] ?? {};
  const own = markOwn({
    fenced_store: "",
    rpc_port: inputs[side].rpcPort,
    p2p_port: inputs.p2pPort,
    service: inputs[side].service,
    directory: inputs[side].directory,
    executable: inputs[side].executable,
    other_host_key: other.hostKey,
  });
  const fenced = keyStore === undefined ? {} : { fenced_store: parseFileName(keyStore) };
  return states ? { ...own, ...fenced, journal: encodeBase64(text) } : own;
}

/** Both hosts of a move. */
export class HostPair extends RootPair<SideCall> {
  private readonly inputs: CallInputs;
  private readonly deps: Teller;
  private readonly answered = { old: false, new: false };

  constructor(inputs: CallInputs, deps: Teller) {
    const lease = { what: "this orchestrator", stack: inputs.stack };
    super(openPair(inputs), lease, (call) => createVariables(inputs, call));
    this.inputs = inputs;
    this.deps = deps;
  }

  /** Returns what a step writes, and what it must know of the journal. @throws if the host's journal forbids the step */
  private stepVariables({ side, saga, enter, changes }: StepCall, states: HostStates): Variables {
    const { old, new: fresh } = this.inputs;
    const { address, hostKey } = (side === "old" ? fresh : old).host.ssh;
    const hosts = { old: computeFingerprint(old.host.ssh.hostKey), new: computeFingerprint(fresh.host.ssh.hostKey) };
    const own = { version: journalVersion, move: saga.move, side, other: { address, hostKey } } as const;
    const at = new Date(this.deps.now()).toISOString();
    let { journal, text = "" } = states[side] ?? {};
    const [next = "", last = next] = enter.map((stage) => {
      const entered = enterStage(journal, stage, { ...own, ...createLeg(saga, hosts) }, { at, ...changes });
      if (entered !== journal) text = formatJournal(entered);
      journal = entered;
      return text;
    });
    const may_lie = journal !== undefined && mayLieInPlace(journal);
    return { ...markOwn({ may_lie }), next_journal: encodeBase64(next), last_journal: encodeBase64(last) };
  }

  override async call(call: SideCall): Promise<string> {
    const printed = await super.call(call);
    this.answered[call.side] = true;
    return printed;
  }

  /**
   * Calls a script function that writes its host's journal, and prints the host's state last; says the lines before it.
   * @returns both hosts' state
   */
  async step({ enter, changes, ...call }: StepCall, states: HostStates): Promise<HostStates> {
    const { side } = call;
    const variables = { ...this.stepVariables({ ...call, enter, changes }, states), ...call.variables };
    const { seen, said } = parseHostState(await this.call({ ...call, states, variables }), this.roots[side].address);
    for (const line of said) this.deps.say(`${side} host: ${line}`);
    return { ...states, [side]: seen };
  }

  /**
   * Reads both hosts. Waits for a host that does not answer, longer if it answered before. @param before the last
   * reading: a host that was unreachable in it is not tried again
   */
  async look(before?: HostStates): Promise<HostStates> {
    const read = async (side: WhichHost) => (before && !before[side] ? undefined : this.lookAt(side));
    const [fresh, old] = await Promise.all([read("new"), read("old")]);
    return { old, new: fresh };
  }

  private async lookAt(side: WhichHost): Promise<HostState> {
    const { deps, inputs } = this;
    const delayMs = side === "old" && inputs.restoreFrom !== undefined ? lostRetryDelayMs : retryDelayMs;
    const end = deps.ticks() + (this.answered[side] ? rebootTimeoutMs : firstTimeoutMs);
    for (let isFirst = true; ; isFirst = false) {
      try {
        return parseHostState(await this.call({ side, name: "orchestrator_side" }), this.roots[side].address).seen;
      } catch (error) {
        const { message } = error as Error;
        if (!isBroken(error) || deps.ticks() >= end) assertProxyWorks(this.roots[side].address, error as LoginError);
        // With another host key it is another machine: the old host is gone.
        if (side === "old" && hasKind(error, "otherHostKey")) {
          deps.say(`${takeFirstLine(message)}: the old host counts as unreachable`);
          return undefined;
        }
        if (!isBroken(error)) throw error;
        if (isFirst) deps.say(`the ${side} host does not answer: ${takeFirstLine(message)}`);
        if (deps.ticks() >= end) return undefined;
      }
      await deps.sleep(delayMs);
    }
  }

  /**
   * Takes the lease on each host that answered; waits until another run's ends. Reads both hosts again, because another
   * run may have changed them until then.
   */
  async lock(before: HostStates): Promise<HostStates> {
    for (const side of bothSides.filter((each) => before[each]))
      await this.takeLease({ side, name: "orchestrator_take_lease" }, this.deps);
    return this.look(before);
  }
}
