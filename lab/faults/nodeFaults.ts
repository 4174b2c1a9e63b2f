import {
  type ChainTruth,
  defaultNodeSettings,
  type NodeSettings,
  type NodeSettingsPatch,
} from "../doubles/chain/index.ts";
import { minPeers } from "../doubles/node/sync.ts";
import { type FaultKind, type FaultValue, height, milliseconds } from "./kind.ts";

/** A fault that a node plays because the chain double tells it to. */
export interface NodeFault {
  readonly does: string;
  readonly value?: FaultValue;
  /** Returns the settings that play the fault. @param own the node's height @param network the height of all others */
  settings(value: string, own: number, network: number): NodeSettingsPatch;
  isOn(settings: NodeSettings): boolean;
}

const anyHeight = (byDefault: string): FaultValue => ({ form: "HEIGHT", byDefault });

/** Faults of a node or a reference. */
export const nodeFaults = {
  stall: {
    does: "its height stands still",
    settings: () => ({ stall: true }),
    isOn: ({ stall }) => stall,
  },
  flap: {
    does: "its state goes to and fro between 2 and 1: a target that goes stale and is renewed",
    value: { form: "DURATION", byDefault: "5s" },
    settings: (value, own) => ({ flapMs: milliseconds(value), staleTarget: own }),
    isOn: ({ flapMs }) => flapMs !== null,
  },
  "stale-target": {
    does: "its target stands still, so that it says 2 while it is behind",
    value: anyHeight("its own height"),
    settings: (value, own) => ({ staleTarget: value ? height(value) : own }),
    isOn: ({ staleTarget, flapMs }) => staleTarget !== false && flapMs === null,
  },
  "lying-target": {
    does: "its best peer claims a height that is not so",
    value: anyHeight("a million too high"),
    settings: (value, _own, network) => ({ forceTarget: value ? height(value) : network + 1_000_000 }),
    isOn: ({ forceTarget }) => forceTarget !== null,
  },
  "lying-height": {
    does: "it says another height than it has, with a fresh momentum: a reference that lies",
    value: anyHeight("a thousand too high"),
    settings: (value, _own, network) => ({ forceHeight: value ? height(value) : network + 1000 }),
    isOn: ({ forceHeight }) => forceHeight !== null,
  },
  "no-peers": {
    does: "it has no peers: state 3, target 0",
    settings: () => ({ peers: 0 }),
    isOn: ({ peers }) => peers === 0,
  },
  "few-peers": {
    does: "it has three peers, too few to sync and to produce: state 3, an old target",
    settings: () => ({ peers: 3 }),
    isOn: ({ peers }) => peers > 0 && peers < minPeers,
  },
  "rpc-down": {
    does: "its RPC's port is closed while it lives",
    settings: () => ({ rpcDown: true }),
    isOn: ({ rpcDown }) => rpcDown,
  },
  slow: {
    does: "every answer is late by so much",
    value: { form: "DURATION", byDefault: "20s" },
    settings: (value) => ({ slowMs: milliseconds(value) }),
    isOn: ({ slowMs }) => slowMs > 0,
  },
} as const satisfies Record<string, NodeFault>;

/** Returns the value of a fault without one. A height's default depends on the network. */
const defaultOf = ({ value }: NodeFault) => (value?.form === "HEIGHT" ? "" : (value?.byDefault ?? ""));

/** Returns the settings that end a fault. */
export function healed(fault: NodeFault): NodeSettingsPatch {
  const keys = Object.keys(fault.settings(defaultOf(fault), 0, 0)) as (keyof NodeSettings)[];
  return Object.fromEntries(keys.map((key) => [key, defaultNodeSettings[key]]));
}

/** Returns a node's fault as a {@link FaultKind}, played through the lab's chain double. */
export function asKind(fault: NodeFault): FaultKind {
  const { does, value } = fault;
  return {
    does,
    ...(value === undefined ? {} : { value }),
    set: async (lab, host, given) => {
      const { nodes, network } = await lab.chain<ChainTruth>("GET", "/truth");
      const own = nodes[host]?.last?.height ?? network.height;
      await lab.chain("PATCH", `/nodes/${host}`, fault.settings(given || defaultOf(fault), own, network.height));
    },
    heal: async (lab, host) => void (await lab.chain("PATCH", `/nodes/${host}`, healed(fault))),
    isOn: async (lab, host) =>
      fault.isOn((await lab.chain<{ settings: NodeSettings }>("GET", `/nodes/${host}`)).settings),
  };
}
