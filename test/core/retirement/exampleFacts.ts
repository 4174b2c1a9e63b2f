import type { Journal } from "../../../core/orchestrator/rules/journal.ts";
import type { HostFacts } from "../../../core/retirement/readHost.ts";
import type { RewardsReading } from "../../../core/retirement/readRewards.ts";
import type { GoodReading, RetirementFacts } from "../../../core/retirement/retirementFacts.ts";
import { clientNamed } from "../chain/readings.ts";
import { retirementFactsOf } from "../host/printedFacts.ts";

export const own = "z1qown";
export const next = "z1qnext";
export const key = "ssh-ed25519 NEXT";

export const momentum = (height: number, producer: string) => ({
  height,
  timestamp: height * 1000,
  hash: `h${height}`,
  producer,
});

/** Files of a fenced orchestrator. */
export const signerParts = ["configuration" as const, "key store" as const, "key share" as const];

/** Returns an idle old host: its node is shut down, and it has no orchestrator. */
export function hostFacts(changes: Partial<HostFacts> = {}): HostFacts {
  return { ...retirementFactsOf([`producer=${own}`, "keyStore=yes", "nodeMasked=yes"]), ...changes };
}

/** An orchestrator that was moved to the successor. */
export const fenced: HostFacts["orchestrator"] = {
  ...retirementFactsOf(["orchestratorMasked=yes", "orchestratorDirectory=yes"]).orchestrator,
  lacks: [],
  journal: { other: { address: "192.0.2.2", hostKey: key } } as Journal,
};

const oneSlot = { expected: 1, produced: 1 };

/** Returns a node's answer after the switch. */
export function reading(changes: Partial<GoodReading> = {}, name = "reference A"): GoodReading {
  return {
    client: clientNamed(name),
    newest: momentum(1000, "z1qother"),
    clock: 1_000_000,
    patience: 360_000,
    pillar: { name: "Anvil", producerAddress: next, withdrawAddress: "z1qwithdraw", figures: oneSlot },
    last: { own: momentum(900, own), successor: momentum(999, next), registered: momentum(999, next) },
    alternate: false,
    recent: [],
    ...changes,
  };
}

/** The bridge as the chain reports it, and the name of its share's file. */
export const bridge = {
  known: true,
  state: 0,
  key: "AsAQx1M3LVXCuozDOqO5b9adj/PItYgwZFG/xTDBiZzT",
  why: "live",
} as const;
export const share = "tss/localstate-02c010c753372d55c2ba8cc33aa3b96fd69d8ff3c8b588306451bfc530c1899cd3.json";

const { orchestrator: running } = retirementFactsOf([
  ...["orchestratorActive=yes", "orchestratorDirectory=yes", "orchestratorKeyStore=yes", "orchestratorConfig=yes"],
  ...[`share=${share.slice("tss/".length)}`, "connection=636433C6:01BB"],
]);

export const successor = {
  address: "192.0.2.2",
  hostKey: key,
  look: { facts: hostFacts({ producer: next, node: { active: true, masked: false }, orchestrator: running }) },
  node: { synced: true, known: true, why: "synced" },
};

/** Returns a node's answer about the rewards. */
export function rewards(
  says: RewardsReading["says"],
  text: string,
  changes: Partial<RewardsReading> = {},
): RewardsReading {
  return { says, text, source: "reference A", rewardAddress: "z1qwithdraw", ...changes };
}

/** Returns the complete facts of an adopted host that may be retired. */
export function facts(changes: Partial<RetirementFacts> = {}): RetirementFacts {
  return {
    pillar: "Anvil",
    stack: "prod",
    step: "destroy",
    address: "192.0.2.1",
    host: { facts: hostFacts() },
    memory: { isReached: true, isOwnWork: false },
    successor,
    readings: [reading()],
    isChainKnown: true,
    rewards: [rewards("collected", "epoch 7 was paid")],
    backupFaults: ["no backup in /r"],
    ...changes,
  };
}

/** Places of node and orchestrator on a retired host. */
export const places = {
  service: "go-node",
  dataDir: "/root/.znn",
  rpcPort: 35997,
  orchestrator: {
    service: "orchestrator",
    directory: "/root/.orchestrator",
    executable: "orchestrator",
    rpcPort: 55000,
  },
};
