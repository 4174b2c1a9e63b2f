import type { PairCall } from "../../../core/host/rootPair.ts";
import type { Requirements } from "../../../core/orchestrator/checks/survey.ts";
import { HostPair } from "../../../core/orchestrator/hosts/hostPair.ts";
import type { MoveInputs } from "../../../core/orchestrator/hosts/moveInputs.ts";
import { confirmFor } from "../../../core/orchestrator/rules/confirmations.ts";
import { type HostState, type Journal, journalVersion } from "../../../core/orchestrator/rules/journal.ts";
import type { Stage } from "../../../core/orchestrator/rules/journalStages.ts";
import { commandsFor } from "../../../core/util/commands.ts";
import { moveNamed } from "../../moveNamed.ts";

export const exampleMove = moveNamed("pillar-host/prod/Anvil/1");
/** The hosts as errors name them. */
export const examplePlaces = {
  old: "198.51.100.7",
  new: "203.0.113.9",
  services: { old: "signer", new: "orchestrator" },
  stack: "prod",
};
/** Output of orchestrator_copy_key. */
export const exampleCopyKey = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"A".repeat(43)} pillar-host-copy\n203.0.113.9\n`;

export const exampleStages: readonly Stage[] = [
  ...(["stopping", "fenced", "moved", "restoring", "restored"] as const),
  ...(["staging", "staged", "switched", "starting", "running", "abandoned"] as const),
];

/** A journal as in its file. */
export type WrittenJournal = Partial<Omit<Journal, "move">> &
  Readonly<Partial<Record<"move" | "open" | "mayRun", string>>>;

/** Returns a journal of a move from the host with the key A to the one with the key B. */
export const exampleJournal = (
  side: Journal["side"],
  stage: Journal["stage"],
  more: Partial<Journal> = {},
): Journal => ({
  version: journalVersion,
  move: exampleMove,
  direction: "forward",
  generation: 1,
  source: "A",
  target: "B",
  side,
  stage,
  at: "",
  identity: null,
  history: [],
  other: { address: "", hostKey: "" },
  ...more,
});

/**
 * Returns a host's state from words: its stage or `-` (`gone`: unreachable) and perhaps `@` with its generation, then
 * what differs from a stopped and masked orchestrator, such as `signs`, `active`, `unmasked`.
 */
export function exampleState(side: Journal["side"], words: string, more: Partial<Journal> = {}): HostState {
  const [at = "", ...flags] = words.split(" ");
  const [stage, generation = 1] = at.split("@");
  if (stage === "gone") return undefined;
  const journal = { ...more, generation: Number(generation) };
  return {
    journal: stage === "-" ? undefined : exampleJournal(side, stage as Journal["stage"], journal),
    active: flags.includes("active") || flags.includes("signs"),
    masked: !flags.includes("unmasked") && !flags.includes("signs"),
    inPlace: flags.includes("inPlace") || undefined,
  };
}

export const exampleHost = (address: string, more: Partial<MoveInputs["new"]> = {}): MoveInputs["new"] => ({
  host: { stack: "prod", ssh: { address, port: 22, user: "root", hostKey: "ssh-ed25519 AAAA" } },
  service: "orchestrator",
  directory: "/root/.orchestrator",
  executable: "orchestrator",
  nodeDirectory: "/root/.node",
  rpcPort: 55000,
  ...more,
});

/** A confirmation that the operator gave. */
export const given = { isGiven: true, command: "" };

export const confirmed = (inputs: MoveInputs) =>
  confirmFor(inputs, { generation: 0, started: 0 }, commandsFor(inputs.stack));

export const exampleInputs = (more: Partial<MoveInputs> = {}): MoveInputs => ({
  move: exampleMove,
  stack: "prod",
  pillar: "Anvil",
  rollback: false,
  old: exampleHost("198.51.100.7"),
  new: exampleHost("203.0.113.9"),
  copyAddress: "198.51.100.7",
  sshPort: 22,
  sshUser: "root",
  hostKey: "ssh-ed25519 AAAA",
  noKeyShare: undefined,
  haltedBridge: undefined,
  laterThanMove: undefined,
  firstMove: undefined,
  lostLine: undefined,
  restoreFrom: undefined,
  release: undefined,
  backups: { directory: "/nowhere", identityFile: undefined },
  references: [],
  tolerance: 0,
  node: {} as MoveInputs["node"],
  library: "",
  log: { directory: "/nowhere", stack: "prod", pillar: "Anvil" },
  witnessHost: undefined,
  notify: undefined,
  p2pPort: 55055,
  answerWithin: 60_000,
  steadyFor: 12_000,
  ...more,
});

/** Returns both hosts with these parts replaced. */
export function pairDouble(parts: Partial<HostPair>): HostPair {
  const deps = { now: () => 0, ticks: () => 0, sleep: async () => undefined, say: () => undefined };
  const pair = new HostPair(exampleInputs(), deps);
  return Object.assign(pair, { variables: ({ variables }: PairCall) => variables, close: () => undefined }, parts);
}

/** Requirements of a move between the hosts `old` and `new`. */
export const exampleRequirements: Requirements = {
  ...confirmed(
    exampleInputs({
      hostKey: "ssh-ed25519 KEY",
      copyAddress: "old",
      backups: { directory: "/b", identityFile: undefined },
    }),
  ),
  run: commandsFor("prod"),
  old: { ...exampleHost("old"), address: "old" },
  new: { ...exampleHost("new"), address: "new" },
  release: { version: "v0.0.9a" },
  backupDirectory: "/b",
  known: { generation: 1, started: 0 },
  salt: "",
};
