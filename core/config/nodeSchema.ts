import { z } from "zod";
import type { SchemaFault } from "./configFaults";
import { duration } from "./duration";
import { loginRule, openableKey, otherHostShape, otherNodeShape } from "./loginSchema";
import { releaseSchema } from "./releaseSchema";
import {
  acknowledged,
  address,
  directory,
  ipAddress,
  ownDirectory,
  plainUrl,
  port,
  releaseVersion,
  requiredSha256,
  rpcUrl,
  service,
  webAddress,
  word,
} from "./schemaParts";
import { witnessFaults } from "./witnessFaults";

/** Tells a release from the one that lay behind the same address before. */
const controllerVersion = z
  .string()
  .regex(/^v\d+\.\d+\.\d+[A-Za-z0-9.-]*$/, "needed the release's version, such as v0.0.4 or v0.0.4-alpha")
  .optional()
  .meta({
    description:
      "Its version. Where another one is named it is installed from the same address too; the output tells it",
    form: "version",
    examples: ["v0.0.4-alpha"],
  });

export const controllerSchema = z
  .strictObject({
    release: releaseSchema(
      "the controller's zip archive",
      "archive",
      controllerVersion,
      "the hash of what came is recorded and shown",
    )
      .optional()
      .meta({ description: "The controller's release for linux x86-64. An active stack needs it" }),
    directory: directory
      .default("/root")
      .meta({ description: "The host's directory where the controller is unpacked and run" }),
    executable: word.default("node-controller").meta({
      description: "Its executable. The real network's: `znn-controller`",
    }),
    addresses: z
      .array(plainUrl)
      .default([])
      .meta({
        description:
          "What the controller itself asks for while it runs and deploys; before anything is changed the host has to reach " +
          "them all. Those of the real network stand in `Pulumi.prod.yaml`",
      }),
    source: plainUrl.optional().meta({
      description:
        "The repository whose default branch its Deploy builds. Which Go its `go.mod` wants is looked up before anything is changed",
      otherwise: "nothing is looked up",
      examples: ["https://github.com/zenon-network/go-zenon"],
    }),
    go: z
      .strictObject({
        url: webAddress("needed an http or https address of Go's archive").meta({
          description: "Of a `tar.gz` for linux-amd64, as https://go.dev/dl has them",
          needed: "the address of Go's archive for linux-amd64",
        }),
        sha256: requiredSha256("archive").meta({ description: "Its hash, as that page shows it" }),
      })
      .optional()
      .meta({
        description: "The Go that is put into `/usr/local/go`, from where the controller takes it to build the node",
        otherwise: "the one that lies there, else the controller's own download, 1.20.3",
      }),
    deployTimeout: duration("1m").prefault("2h").meta({ description: "How long its Deploy may take" }),
  })
  .prefault({})
  .meta({ description: "The controller, which sets the node up" });

const signingKey = z
  .strictObject({
    url: webAddress("needed the key's address").meta({ description: "Its address", needed: "the key's address" }),
    fingerprint: z
      .string()
      .regex(/^([0-9A-Fa-f]{4} {0,2}){10}$/, "needed the key's 40 hexadecimal digits")
      .overwrite((text) => text.replaceAll(" ", "").toUpperCase())
      .meta({ description: "Its fingerprint", form: "40 hexadecimal digits", needed: "the key's fingerprint" }),
  })
  .optional()
  .meta({
    description: "The key that signs `SHA256CHECKSUMS.txt` beside the release",
    otherwise: "the hash is enough",
  });

/** The hash is required, since the node produces with the Pillar's key. */
const nodeRelease = releaseSchema(
  "the node's release",
  "release",
  releaseVersion.meta({ description: "Its version, which the node has to tell by its RPC", needed: "its version" }),
)
  .safeExtend({
    sha256: requiredSha256("release").meta({ description: "Its hash, from the release page" }),
    signingKey,
  })
  .optional()
  .meta({
    description:
      "The version that the node is brought to, from an archive or a plain binary, and back where it does not work",
    otherwise: "what the controller deployed stays",
    see: "chain.md#another-version-of-the-node",
  });

export const ownAddress = "127.0.0.1";

export const nodeSchema = z
  .strictObject({
    service: service.default("go-node").meta({ description: "Its systemd service. The real network's: `go-zenon`" }),
    dataDir: ownDirectory.default("/root/.znn").meta({ description: "The directory of its data" }),
    rpc: z
      .enum(["ssh", "direct"])
      .default("ssh")
      .meta({ description: "How its RPC is asked; `direct` where its address can be reached without ssh" }),
    rpcAddress: ipAddress.default(ownAddress).meta({
      description:
        "The node's RPC as the host reaches it, or with `rpc: direct` this machine; an IP address, since the node " +
        "refuses names. With `direct` it is `host.address` by default, where that is one",
    }),
    rpcPort: port.default(35997).meta({ description: "Its RPC over http" }),
    wsPort: port.default(35998).meta({ description: "Its RPC over WebSocket" }),
    p2pPort: port.default(35995).meta({ description: "Where its peers reach it, over TCP and UDP" }),
    release: nodeRelease,
    leastVersion: releaseVersion.optional().meta({
      description:
        "The least version of the nodes here, at any height and on any network: for what the main network requires after this " +
        "program was released. An older node is not synced, whatever else it says",
      otherwise: "what `core/chain/requiredVersions.json` requires of the main network's nodes",
      see: "safety.md",
    }),
  })
  .prefault({})
  .meta({ description: "The node, as the controller sets it up" });

const oldHost = z
  .strictObject({
    ...otherHostShape,
    copyAddress: address.optional().meta({
      description: "Where the new host reaches the old one's ssh",
      otherwise: "`address`",
    }),
    ...otherNodeShape,
  })
  .superRefine(openableKey)
  .meta({
    description: `The Pillar's host of before: a witness of the chain, and the one whose chain is copied with \`from: oldHost\`; \`orchestrator.migrateFrom\` where it is left out. ${loginRule}`,
    see: "operating.md#the-chain-from-the-old-host",
  });

export const syncSchema = z
  .strictObject({
    from: z
      .enum(["network", "oldHost"])
      .optional()
      .meta({
        description:
          "Where the node's chain comes from: `network`, from its peers; `oldHost`, copied from the old host, whose node goes on " +
          "meanwhile",
        otherwise: "`network`",
        see: "operating.md#the-chain-from-the-old-host",
      }),
    oldHost: oldHost.optional(),
    copyMbps: z.number().positive().max(100_000).optional().meta({
      description: "What the copy of the chain may take of the line at most",
      unit: "Mbit/s",
      otherwise: "no limit",
    }),
    hourlyRestart: z.boolean().default(true).meta({ description: "Restarts the node every hour while it syncs" }),
    wait: z
      .enum(["block", "check"])
      .default("block")
      .meta({
        description:
          "`block` waits; `check` looks once and ends in an error where the node is not synced yet: for those who would " +
          "not keep a process for days",
      }),
    confirmations: z.number().int().min(1).max(100).default(3).meta({
      description: 'Good looks in a row before "synced"',
      unit: "looks",
    }),
    confirmSeconds: z.number().nonnegative().max(60).default(4).meta({
      description: "The time that the confirmations must span",
      unit: "seconds",
    }),
    references: z.array(rpcUrl).default([]).meta({
      description:
        "Addresses of independent nodes' RPC, each a witness of the chain; two or more that agree are proof of the height, a single one only warns of another height; a node on another chain than they is not synced",
      see: "operating.md#witnesses-of-the-chain",
    }),
    unverifiedChain: acknowledged.optional().meta({
      description:
        "The producer address may be shown though no witness confirms which chain the node is on: neither a reference nor the old host. Registered on a wrong chain's word, the Pillar produces nothing",
      see: "operating.md#witnesses-of-the-chain",
    }),
    tolerance: z.number().int().min(1).max(1000).default(20).meta({
      description: "By how much the height may differ from the references' median",
      unit: "momentums",
    }),
    stallMinutes: z.number().positive().max(1440).default(15).meta({
      description: "A height that stands still for so long is called a stall",
      unit: "minutes",
    }),
    deadline: duration("1m").prefault("7d").meta({
      description: "How long one run waits; then it ends in an error, and the next one goes on",
    }),
  })
  .prefault({})
  .meta({ description: "How is told that the node has synced, and how long that is waited for" });

export function syncFaults(config: {
  readonly lifecycle: string;
  readonly host: { readonly provider: string; readonly address?: string; readonly hostKey?: string | undefined };
  readonly sync: z.output<typeof syncSchema>;
  readonly orchestrator: { readonly migrateFrom?: { readonly address: string; readonly hostKey: string } | undefined };
}): SchemaFault[] {
  const { sync, orchestrator } = config;
  const faults = witnessFaults(config);
  if (sync.from === "oldHost" && sync.oldHost === undefined && orchestrator.migrateFrom === undefined)
    faults.push([
      ["sync", "oldHost"],
      "needed with sync.from: oldHost: the host whose chain is copied, or orchestrator.migrateFrom",
      { set: "sync.oldHost.address", toWord: "ADDRESS" },
    ]);
  return faults;
}
