import { z } from "zod";
import { addressForm } from "../address";

const count = z.number().int().nonnegative();
const ms = z.number().nonnegative();

/** What a test can command of one node (and of the controller on its host). Null means: the natural thing. */
export const nodeSettingsSchema = z.strictObject({
  /** Momentums per second while syncing. */
  rate: z.number().nonnegative(),
  /** How many momentums behind the network a node without stored height starts. */
  behind: count,
  /** Number of peers; with 0 the state is 3, the target 0, and the height stands. */
  peers: count,
  /** How long after a start the RPC refuses connections. */
  startRefusedMs: ms,
  /** How long after that the node has no peers yet: state 3, target 0, the stored height. */
  connectMs: ms,
  /** The target that its best peer claims: a lie, or one below the height. */
  forceTarget: count.nullable(),
  /** The height that it gives of itself and of its newest momentum. */
  forceHeight: count.nullable(),
  /** The target stays where it was when this was set, or at this height: state 2 shows while the node is behind. */
  staleTarget: z.union([z.boolean(), count]),
  /** State alternates between 2 and 1 with this period once the target is reached; a stale one is renewed with the 1. */
  flapMs: ms.nullable(),
  /** The height stands still; everything else goes on. */
  stall: z.boolean(),
  /** Connections are accepted and never answered, the height stands still, no report is made. */
  freeze: z.boolean(),
  /** Every answer is late by this much. */
  slowMs: ms,
  /** The RPC port is closed while the process lives. */
  rpcDown: z.boolean(),
  /** The process ends with a panic this long after each start. */
  crashAfterMs: ms.nullable(),
  /** Every RPC request is answered with this instead. */
  rawAnswer: z.strictObject({ status: count, body: z.string(), contentType: z.string().optional() }).nullable(),
  /** Answers are cut off in the middle. */
  cutAnswer: z.boolean(),
  /** embedded.pillar.getByName gives null, as to a name that nobody registered. */
  nullPillar: z.boolean(),
  /** The producer address that embedded.pillar.getByName claims. */
  forceProducer: z.string().regex(addressForm, "is no address").nullable(),
  /** Momentums have the hashes of another chain, at the same heights and times. */
  otherChain: z.boolean(),
  /** The methods that tell of rewards do not exist: -32601. */
  noRewards: z.boolean(),
  /** The version that it tells: that of another build. It is the process's own, so it changes at its next start. */
  version: z.string().nullable(),
  /** How long the controller's build takes, in seconds. */
  buildSeconds: z.number().nonnegative().nullable(),
  /** How many lines the controller's build prints. */
  buildLines: count.nullable(),
  /** The controller's build fails. */
  failBuild: z.boolean().nullable(),
  /** The text of one more yes/no question in Deploy. */
  unknownQuestion: z.string().nullable(),
  /** Cores that the controller sees. */
  cores: count.nullable(),
  /** Bytes of memory that the controller sees. */
  memoryBytes: count.nullable(),
});

/** The settings of one node. */
export type NodeSettings = z.infer<typeof nodeSettingsSchema>;

/** A change of settings: the keys that are given. */
export type NodeSettingsPatch = { [K in keyof NodeSettings]?: NodeSettings[K] | undefined };

/** What a test can command of one orchestrator. Null means: the natural thing. */
export const orchestratorSettingsSchema = z.strictObject({
  /** How often it asks its node whether that is synced, until it is. */
  syncPollMs: ms,
  /** It goes on waiting for its node, synced or not. */
  waits: z.boolean(),
  /** The version it gives of itself; before v0.0.8 it has no RPC. */
  version: z.string().nullable(),
  /** Peers in getStatus. */
  peers: count,
  /** Requests in getStatus that wait for a signature, of each network. */
  toSign: count,
  /** The bridge is halted: so is it, and GlobalState says so. */
  halted: z.boolean(),
  /** What getStatus says, whatever is so: 0 live, 1 key generation, 2 halted, 3 emergency, 4 re-sign. */
  state: z.number().int().min(0).max(4).nullable(),
  /** The RPC port is closed while the process lives and signs. */
  rpcDown: z.boolean(),
  /** RPC connections are accepted and never answered; the process goes on signing. */
  freeze: z.boolean(),
  /** Every RPC request is answered with this instead. */
  rawAnswer: z.strictObject({ status: count, body: z.string(), contentType: z.string().optional() }).nullable(),
  /** The process ends with a panic this long after each moment from which it may sign. */
  crashAfterMs: ms.nullable(),
  /** How long a stop takes; it signs and holds its lock until the end of it. */
  stopMs: ms,
});

/** The settings of one orchestrator. */
export type OrchestratorSettings = z.infer<typeof orchestratorSettingsSchema>;

/** A change of settings: the keys that are given. */
export type OrchestratorSettingsPatch = { [K in keyof OrchestratorSettings]?: OrchestratorSettings[K] | undefined };
