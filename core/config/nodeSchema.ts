import { z } from "zod";
import {
  acknowledged,
  block,
  downloadUrl,
  duration,
  ipAddress,
  ownDirectory,
  plainUrl,
  port,
  releaseSchema,
  releaseVersion,
  requiredSha256,
  rpcUrl,
  service,
  sharedDirectory,
  text,
  word,
} from "./schemaParts.ts";

/** Distinguishes a release from an earlier one at the same address. */
const controllerVersion = text(
  /^v\d+\.\d+\.\d+[A-Za-z0-9.-]*$/,
  "needed the release's version, such as v0.0.4 or v0.0.4-alpha",
  "version",
)
  .optional()
  .meta({
    description:
      "The controller's version. After a change the controller is installed again, even from the same address; the output reports the version",
    examples: ["v0.0.4-alpha"],
  });

export const controllerSchema = block({
  release: releaseSchema(
    "the controller's zip archive",
    "archive",
    controllerVersion,
    "the hash of the downloaded file is recorded and shown",
  )
    .optional()
    .describe("The controller's release for linux x86-64. An active stack needs it"),
  directory: sharedDirectory
    .default("/root")
    .describe("The directory on the host where the controller is unpacked and run"),
  executable: word
    .default("node-controller")
    .describe("The controller's executable. On the real network: `znn-controller`"),
  addresses: z
    .array(plainUrl)
    .default([])
    .describe(
      "The addresses that the controller itself needs while it runs and deploys. Before anything is changed the host must reach all of them. `Pulumi.prod.yaml` has those of the real network",
    ),
  source: plainUrl.optional().meta({
    description:
      "The repository whose default branch Deploy builds. Before anything is changed, the program looks up which Go its `go.mod` requires, and which version of the node it is",
    otherwise: "nothing is looked up",
    examples: ["https://github.com/zenon-network/go-zenon"],
  }),
  go: z
    .strictObject({
      url: downloadUrl("Go's archive").describe("The address of a `tar.gz` for linux-amd64, as on https://go.dev/dl"),
      sha256: requiredSha256("archive").describe("The archive's hash, as shown on https://go.dev/dl"),
    })
    .optional()
    .meta({
      description: "The Go to install in `/usr/local/go`, with which the controller builds the node",
      otherwise: "the Go that is there, else the controller's own download, 1.20.3",
    }),
  deployTimeout: duration("1m").prefault("2h").describe("How long Deploy may take"),
}).describe("The controller, which sets up the node");

/** The hash is required, since the node produces with the Pillar's key. */
export const nodeRelease = releaseSchema(
  "the node's release",
  "release",
  releaseVersion.describe("The release's version; the node's RPC must report the same"),
)
  .safeExtend({ sha256: requiredSha256("release").describe("The release's hash, from its release page") })
  .optional()
  .meta({
    description:
      "The version of the node to install, from an archive or a plain binary, also on an adopted host. If it does not work, the previous version is restored",
    otherwise: "the version that the controller deployed stays",
    see: "chain.md#another-version-of-the-node",
  });

export const ownAddress = "127.0.0.1";

export const nodeSchema = block({
  service: service.default("go-node").describe("The node's service. On the real network: `go-zenon`"),
  dataDir: ownDirectory.default("/root/.znn").describe("The node's data directory"),
  rpc: z
    .enum(["ssh", "direct"])
    .default("ssh")
    .describe("How the node's RPC is reached: `ssh`, or `direct` to its address"),
  rpcAddress: ipAddress
    .default(ownAddress)
    .describe(
      "The IP address of the RPC as seen from the host, or with `rpc: direct` from this machine; the node refuses names. With `direct` the default is `host.address`, if that is an IP address",
    ),
  rpcPort: port.default(35997).describe("The port of the node's RPC over http"),
  wsPort: port.default(35998).describe("The port of the node's RPC over WebSocket"),
  p2pPort: port.default(35995).describe("The port for the node's peers, over TCP and UDP"),
  release: nodeRelease,
  leastVersion: releaseVersion.optional().meta({
    description:
      "The least version that nodes must have, at any height and on any network: for versions that the main network requires after this program's release. An older node never counts as synced, nor as a witness",
    otherwise: "what `core/chain/requiredVersions.json` requires on the main network",
    see: "safety.md",
  }),
}).describe("The node, as the controller sets it up");

export const syncSchema = block({
  from: z.enum(["network", "oldHost"]).optional().meta({
    description:
      "Where the node's chain comes from: `network`, from its peers; `oldHost`, copied from the old host, whose node keeps running",
    otherwise: "`network`",
    see: "sync.md#the-chain-from-the-old-host",
  }),
  copyAgain: z.int().min(1).max(100_000_000_000).optional().meta({
    description:
      "Confirms that the chain of `oldHost` is copied to this host although it has passed its gate, because its node stands still: the number that a run and `status` print for this moment. Remove this setting afterwards",
    form: "number",
    see: "troubleshooting.md#a-damaged-database",
  }),
  copyMbps: z.number().positive().max(100_000).optional().meta({
    description: "The most bandwidth that the chain copy may use",
    unit: "Mbit/s",
    otherwise: "no limit",
  }),
  hourlyRestart: z.boolean().default(true).describe("Restarts the node every hour while it syncs"),
  wait: z.enum(["block", "check", "await"]).optional().meta({
    description:
      "`block` waits; `await` asks once and ends the run as awaiting, with exit code 10; `check` asks once and fails if the node is not synced yet",
    otherwise: "`block`; in an unattended run `await`",
    see: "unattended.md#on-a-schedule",
  }),
  confirmations: z.number().int().min(1).max(100).default(3).meta({
    description: 'Good lookups in a row before "synced"',
    unit: "lookups",
  }),
  confirmSeconds: z.number().nonnegative().max(60).default(4).meta({
    description: "The time that the good lookups must span",
    unit: "seconds",
  }),
  references: z.array(rpcUrl).default([]).meta({
    description:
      "RPC addresses of independent nodes, each a witness of the chain. Two or more that agree prove the height; a single one only warns of another height. A node on another chain than the references is not synced",
    see: "sync.md#witnesses-of-the-chain",
  }),
  unverifiedChain: acknowledged.optional().meta({
    description:
      "Shows the producer address even if no witness (reference or old host) confirms the node's chain. If the chain is the wrong one, the registered Pillar produces nothing",
    see: "sync.md#witnesses-of-the-chain",
  }),
  tolerance: z.number().int().min(1).max(1000).default(20).meta({
    description: "The most that the height may differ from the references' median",
    unit: "momentums",
  }),
  stallMinutes: z.number().positive().max(1440).default(15).meta({
    description: "A height that does not change for this long counts as a stall",
    unit: "minutes",
  }),
  deadline: duration("1m")
    .prefault("7d")
    .describe(
      "How long one run waits. Then it fails, and the next run continues the wait. With `sync.wait: await` counted from the first run",
    ),
}).describe("How the program decides that the node is synced, and how long it waits");
