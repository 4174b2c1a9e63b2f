import { z } from "zod";
import { addressSchema } from "./registration.ts";

const count = z.number().int().nonnegative();
const ms = z.number().nonnegative();

/** Behavior of one node, and of the controller on its host, that a test can command. Null means the normal behavior. */
export const nodeSettingsSchema = z.strictObject({
  /** Momentums per second while syncing. */
  rate: z.number().nonnegative(),
  /** Number of momentums that a node without a stored height starts behind the network. */
  behind: count,
  /**
   * Number of peers that the node finds. With fewer than 8 the state is 3, the height does not change, and no momentum
   * is produced; with 0 the target is 0. (A real node at the tip still takes in momentums that such few peers announce.)
   */
  peers: count,
  /** Time after which one more peer is connected: the first so long after the RPC's start. */
  peerMs: ms,
  /** Time after a start in which the RPC refuses connections. */
  startRefusedMs: ms,
  /**
   * Time in which a version with a cache database reads the whole chain into it at its start, before anything listens.
   * A start takes the part of it that the cache lacks. Null: a version without this database.
   */
  cacheMs: ms.nullable(),
  /** Target that the node's best peer claims: a lie, or a value below the height. */
  forceTarget: count.nullable(),
  /** Height that the node claims for itself and for its newest momentum. */
  forceHeight: count.nullable(),
  /**
   * True: the target keeps the value from when this was set. A number: the target is this height. The node shows state
   * 2 while it is behind the network.
   */
  staleTarget: z.union([z.boolean(), count]),
  /**
   * Period in which the state alternates between 2 and 1 after the node reached the target. While the state is 1, the
   * target is the network's height even if `staleTarget` is set.
   */
  flapMs: ms.nullable(),
  /** True if the height does not change while everything else works. */
  stall: z.boolean(),
  /** True if connections are accepted and never answered, the height does not change, and no report is sent. */
  freeze: z.boolean(),
  /** Delay of every answer. */
  slowMs: ms,
  /** True if the RPC port is closed while the process lives. */
  rpcDown: z.boolean(),
  /** Time from each start until the process ends with a panic. */
  crashAfterMs: ms.nullable(),
  /** Answer to every RPC request. */
  rawAnswer: z.strictObject({ status: count, body: z.string() }).nullable(),
  /** True if answers are cut off in the middle. */
  cutAnswer: z.boolean(),
  /** True if embedded.pillar.getByName returns null, as for a name that nobody registered. */
  nullPillar: z.boolean(),
  /** Producer address that the node names for every Pillar: a lie. */
  forceProducer: addressSchema.nullable(),
  /** Answer of ledger.getMomentumsByHeight while all else is fine: an empty list, or an error. */
  noMomentums: z.enum(["empty", "error"]).nullable(),
  /** True if momentums have the hashes of another chain at the same heights and times. */
  otherChain: z.boolean(),
  /** Height from which on momentums have other hashes, as on a fork; null: no fork. */
  forkFrom: count.nullable(),
  /**
   * True if the network to the peers is cut. As the real node, it says state 2, its own height as target and all peers
   * for half a minute more, then state 3 and no peer. Its height stays. (A real one that produces goes on with a fork of
   * its own in that time: `forkFrom`.)
   */
  cut: z.boolean(),
  /** True if the methods about rewards do not exist (-32601). */
  noRewards: z.boolean(),
  /** Version that the node reports, as if it were another build. Takes effect at the next start of the process. */
  version: z.string().nullable(),
  /** Duration of the controller's build, in seconds. */
  buildSeconds: z.number().nonnegative().nullable(),
  /** Number of lines that the controller's build prints. */
  buildLines: count.nullable(),
  /** True if the controller's build fails. */
  failBuild: z.boolean().nullable(),
  /** Text of one more yes/no question in Deploy. */
  unknownQuestion: z.string().nullable(),
  cores: count.nullable(),
  memoryBytes: count.nullable(),
});

export type NodeSettings = z.infer<typeof nodeSettingsSchema>;

/** Change of settings: holds only the changed values. */
export type NodeSettingsPatch = Partial<NodeSettings>;

/** Behavior of one orchestrator that a test can command. Null means the normal behavior. */
export const orchestratorSettingsSchema = z.strictObject({
  /** Poll interval at which the orchestrator asks whether its node is synced. */
  syncPollMs: ms,
  /** Version that the orchestrator reports. */
  version: z.string().nullable(),
  /** True if the bridge is halted. The orchestrator halts, too, and GlobalState shows it. */
  halted: z.boolean(),
  /**
   * State that getStatus reports instead of the real one: 0 live, 1 key generation, 2 halted, 3 emergency, 4 re-sign.
   */
  state: z.number().int().min(0).max(4).nullable(),
  /** True if the RPC port is closed while the process lives and signs. */
  rpcDown: z.boolean(),
  /** True if the RPC accepts requests and never answers them, while the process lives and signs. */
  freeze: z.boolean(),
  /** Time until the process ends with a panic, counted from the moment at which it may sign. */
  crashAfterMs: ms.nullable(),
  /** Duration of a stop. The orchestrator signs and holds its lock until the end of it. */
  stopMs: ms,
});

export type OrchestratorSettings = z.infer<typeof orchestratorSettingsSchema>;

/** Change of settings: holds only the changed values. */
export type OrchestratorSettingsPatch = Partial<OrchestratorSettings>;
