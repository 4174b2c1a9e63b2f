import { moveText } from "../../eventLog/moveId";
import { own, type Variables } from "../../ssh/foreign";
import { fingerprintOf } from "../../ssh/publicKey";
import { type CallError, type CallOptions, openRoot, type RootHost } from "../../ssh/root";
import { isFatal } from "../../ssh/sshErrors";
import type { Clock } from "../../util/clock";
import { firstLine } from "../../util/firstLine";
import { parseJournal, type Saga, type SideName, sidesOf } from "../rules/journal";
import type { Looks, SideLook, SideObservation } from "../rules/sagaLooks";
import { heldByAnother } from "./heldByAnother";
import type { PairInputs } from "./moveInputs";

/** Both hosts over two connections that are kept, with what every function of the library is told. */
export interface HostPair {
  readonly roots: Readonly<Record<SideName, RootHost>>;
  /**
   * Looks at both; waits for one that does not answer, longer where it has answered before.
   *
   * @param before what was found just now: one that was out of sight is not waited for again
   */
  look(saga: Saga, before?: Looks): Promise<Looks>;
  /** Calls a function of the library as the owner of the host's lock; errors carry `broken` and `taken`. */
  call(side: SideName, name: string, saga: Saga, variables?: Variables, options?: CallOptions): Promise<string>;
  /** Calls one that ends with a look, and shows what it says before. @returns both hosts, the other one as it was */
  step(
    side: SideName,
    name: string,
    saga: Saga,
    looks: Looks,
    variables?: Variables,
    options?: CallOptions,
  ): Promise<Looks>;
  /** Makes this run the owner on both hosts that are in sight; waits for another run's lease. */
  take(saga: Saga, looks: Looks): Promise<void>;
  drop(saga: Saga, looks: Looks): Promise<void>;
  variables(side: SideName, saga: Saga): Variables;
  close(): void;
}

/** What time is, and who hears of it. */
export interface HostPairDeps extends Pick<Clock, "ticks" | "sleep"> {
  say(line: string): void;
}

const pause = 3000;
/** For a host that boots, and for one that perhaps is gone for good. */
const patienceOnce = 90_000;
const patienceFirst = 20_000;
/** Another run's lease, its longest script, and some more. */
const takePatience = 30 * 60_000;

/** Reads what a step's last lines tell of its host. @returns the look, and what was said before it */
export function readSide(printed: string, address: string): { seen: SideObservation; said: string[] } {
  const lines = printed.split("\n");
  const at = lines.findLastIndex((line) => line.startsWith("journal"));
  const facts = at < 0 ? [] : lines.slice(at);
  const fact = (name: string) => facts.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
  if (!facts.includes("end")) throw Object.assign(new Error(`${address}: its answer was cut off`), { broken: true });
  const text = Buffer.from(fact("journal") ?? "", "base64").toString("utf8");
  const seen = {
    journal: parseJournal(text, address),
    active: fact("active") === "yes",
    masked: fact("masked") === "yes",
    inPlace: fact("inPlace") === "yes" ? true : undefined,
  };
  return { seen, said: lines.slice(0, at).filter((line) => line.trim() !== "") };
}

export function openHostPair(inputs: PairInputs, token: string, deps: HostPairDeps): HostPair {
  const roots = { old: openRoot(inputs.old.host, inputs.library), new: openRoot(inputs.new.host, inputs.library) };
  const answered = { old: false, new: false };
  const other = (side: SideName): SideName => (side === "old" ? "new" : "old");

  const variables = (side: SideName, { move, direction, generation = 0 }: Saga): Variables =>
    own({
      token,
      move: moveText(move),
      direction,
      generation,
      source_key: fingerprintOf(inputs[sidesOf({ direction }).source].host.ssh.hostKey),
      target_key: fingerprintOf(inputs[sidesOf({ direction }).target].host.ssh.hostKey),
      side,
      rpc_port: inputs.rpcPort,
      p2p_port: inputs.p2pPort,
      identity: "",
      service: inputs[side].service,
      directory: inputs[side].directory,
      executable: inputs[side].executable,
      other_address: inputs[other(side)].host.ssh.address,
      other_host_key: inputs[other(side)].host.ssh.hostKey,
    });

  const call: HostPair["call"] = async (side, name, saga, more = {}, options = {}) => {
    try {
      const printed = await roots[side].call(name, { ...variables(side, saga), ...more }, options);
      answered[side] = true;
      return printed;
    } catch (error) {
      const { exitCode } = error as CallError;
      if (exitCode === 75) throw Object.assign(error as Error, { taken: true });
      throw exitCode === undefined && !isFatal(error) ? Object.assign(error as Error, { broken: true }) : error;
    }
  };

  const lookAt = async (side: SideName, saga: Saga): Promise<SideLook> => {
    const end = deps.ticks() + (answered[side] ? patienceOnce : patienceFirst);
    for (let said = false; ; said = true) {
      try {
        return readSide(await call(side, "signer_side", saga), roots[side].address).seen;
      } catch (error) {
        const { broken, message } = error as Error & { broken?: boolean };
        // A machine in its place that is another one is no less gone.
        if (side === "old" && isFatal(error) && Reflect.get(error as Error, "refused") === "hostKey") {
          deps.say(`${firstLine(message)}: taken for out of sight`);
          return "outOfSight";
        }
        if (!broken) throw error;
        if (!said) deps.say(`the ${side} side does not answer: ${firstLine(message)}`);
        if (deps.ticks() >= end) return "outOfSight";
      }
      await deps.sleep(pause);
    }
  };

  const inSight = (looks: Looks) => (["new", "old"] as const).filter((side) => looks[side] !== "outOfSight");

  return {
    roots,
    call,
    variables,
    look: async (saga, before) => {
      const at = async (side: SideName): Promise<SideLook> =>
        before?.[side] === "outOfSight" ? "outOfSight" : lookAt(side, saga);
      const [fresh, old] = await Promise.all([at("new"), at("old")]);
      return { old, new: fresh };
    },
    step: async (side, name, saga, looks, more, options) => {
      const { seen, said } = readSide(await call(side, name, saga, more, options), roots[side].address);
      for (const line of said) deps.say(`${side} side: ${line}`);
      return { ...looks, [side]: seen };
    },
    take: async (saga, looks) => {
      for (const side of inSight(looks)) {
        const end = deps.ticks() + takePatience;
        for (let said = false; ; said = true) {
          const answer = (await call(side, "signer_take_lock", saga)).trim();
          if (answer.endsWith("taken")) break;
          if (deps.ticks() >= end)
            throw new Error(heldByAnother(roots[side].address, answer, takePatience / 60_000, inputs.stack));
          if (!said)
            deps.say(`an earlier run is still at work on the ${side} side (${roots[side].address}); waiting for it`);
          await deps.sleep(pause);
        }
      }
    },
    drop: async (saga, looks) => {
      for (const side of inSight(looks)) await call(side, "signer_drop_lock", saga).catch(() => undefined);
    },
    close: () => {
      roots.old.close();
      roots.new.close();
    },
  };
}
