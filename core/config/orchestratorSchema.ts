import { z } from "zod";
import type { SchemaFault } from "./configFaults";
import { duration } from "./duration";
import { network } from "./hostSchema";
import { loginRule, openableKey, otherHostShape } from "./loginSchema";
import { releaseSchema } from "./releaseSchema";
import { acknowledged, address, ownDirectory, port, service, word } from "./schemaParts";

const ownPath = z.string().min(1).meta({ form: "path on the machine that runs `pulumi`" });

/** The orchestrator accepts no other folder: it works in this one, wherever it is started. */
const home = ownDirectory
  .regex(/\/\.orchestrator$/, "needed the folder .orchestrator of the orchestrator's home, as /root/.orchestrator")
  .meta({ form: "absolute path that ends in `/.orchestrator`" });

const everybody =
  "is everybody: the orchestrator gives two answers a second to all who ask together, and anybody could use them up";

const migrateFrom = z
  .strictObject({
    ...otherHostShape,
    copyAddress: address.optional().meta({
      description: "Where the new host reaches the old one's ssh",
      otherwise: "`address`",
    }),
    service: service.optional().meta({ description: "Its systemd service there", otherwise: "`orchestrator.service`" }),
    directory: home.optional().meta({ description: "Its directory there", otherwise: "`orchestrator.directory`" }),
    executable: word.optional().meta({
      description: "What the process is called there, with or without the release's `-linux-amd64`",
      otherwise: "`orchestrator.executable`",
    }),
    dataDir: ownDirectory
      .optional()
      .meta({ description: "The directory of the node's data there", otherwise: "`node.dataDir`" }),
    noKeyShare: acknowledged.optional().meta({ description: "This signer has no key share, and you know it" }),
    haltedBridge: acknowledged.optional().meta({
      description:
        "The signer moves while the bridge is halted, and begins halted on the new host. Take it away afterwards",
    }),
    firstMove: acknowledged.optional().meta({
      description:
        "No move of this signer ever began, and you know it. Asked for where neither the record nor a journal knows of one. " +
        "Take it away afterwards",
    }),
    laterThanMove: z
      .int()
      .min(1)
      .optional()
      .meta({
        description:
          "The number of the last move that is known, where this signer came to its host by your own hand after it, or the " +
          "record of that move is lost, and the signer can start nowhere else",
        form: "number",
        see: "orchestrator.md#after-a-restore",
      }),
  })
  .superRefine(openableKey)
  .meta({ description: `The old host, from which the signer is moved. ${loginRule}`, see: "orchestrator.md" });

const version = z
  .string()
  .regex(/^v\d+\.\d+\.\d+[a-z]?$/, "needed the release's version, such as v0.0.9 or v0.0.9a")
  .meta({
    description: "Its version, which the executable has to be",
    needed: "its version, which the executable has to be",
    form: "version",
    examples: ["v0.0.9a"],
  });

export const orchestratorSchema = z
  .strictObject({
    service: service.default("orchestrator").meta({ description: "Its systemd service" }),
    directory: home.default("/root/.orchestrator").meta({ description: "Its directory; its home is above it" }),
    executable: word.default("orchestrator").meta({
      description:
        "Its executable in `/usr/local/bin`; in a release's archive it is called so, or with `-linux-amd64` behind",
    }),
    rpcPort: port.default(55000).meta({ description: "Its RPC. Reserved on the host" }),
    p2pPort: port.default(55055).meta({
      description:
        "Where its peers reach it. Reserved on the host; with `migrateFrom` or `release` it is open to everybody, and " +
        "stays so while this machine's record tells of a signer there",
    }),
    rpcFrom: z
      .array(
        network
          .refine((text) => !text.endsWith("/0"), everybody)
          .meta({ form: "network in CIDR form, never everybody", examples: ["192.0.2.0/24"] }),
      )
      .default([])
      .meta({
        description:
          "Networks that may ask the orchestrator how it does, on `rpcPort`. In the firewall of a server at a cloud " +
          "provider; elsewhere the port is open to whom your firewall lets in",
      }),
    release: releaseSchema(
      "the orchestrator's release",
      "release",
      version,
      "no signer is moved to it, and nothing is installed",
    )
      .optional()
      .meta({ description: "What is installed where it is missing" }),
    migrateFrom: migrateFrom.optional(),
    backup: z
      .strictObject({
        directory: ownPath
          .optional()
          .meta({ description: "Where the backups go", otherwise: "`$XDG_DATA_HOME/pillar-host/records/<Pillar>`" }),
        identityFile: ownPath.optional().meta({
          description: "An age identity that opens the backups; only read",
          otherwise: "made on first use",
        }),
      })
      .prefault({})
      .meta({ description: "The encrypted backups that are made before the move", see: "orchestrator.md#backups" }),
    startTimeout: duration("1m")
      .prefault("25m")
      .meta({
        description:
          "How long a started orchestrator may take to answer: it looks for its peers for up to 5 minutes, and makes prime " +
          "numbers for up to 15 where it has no key share",
      }),
    steadySeconds: z
      .number()
      .min(1)
      .max(600)
      .default(12)
      .meta({
        description:
          "How long a started orchestrator is watched: its unit must stay up, without a restart. Longer than its unit's " +
          "`RestartSec` (10), so that a crash loop shows whole",
        unit: "seconds",
      }),
    unattended: z.boolean().default(false).meta({
      description: "Moves the signer in a run that had to wait for the sync, too",
    }),
    rollback: z.boolean().default(false).meta({ description: "Brings the signer back to the old host" }),
    attempt: z.number().int().min(1).default(1).meta({
      description: "Raised to move it again after it was brought back",
    }),
  })
  .prefault({})
  .meta({ description: "The bridge's orchestrator: its things on the host, and its move", see: "orchestrator.md" });

export function orchestratorFaults(config: {
  readonly node: { readonly service: string };
  readonly sync: { readonly oldHost?: { readonly service?: string | undefined } | undefined };
  readonly orchestrator: z.output<typeof orchestratorSchema>;
}): SchemaFault[] {
  const { migrateFrom: from, rollback, service: own } = config.orchestrator;
  const faults: SchemaFault[] = [];
  const bare = (name: string) => name.replace(/\.service$/, "");
  const oldNode = config.sync.oldHost?.service;
  const pairs = [
    [own, config.node.service, ["orchestrator", "service"]],
    // The old host's names, if one of them differs.
    ...(from && (from.service ?? oldNode)
      ? [[from.service ?? own, oldNode ?? config.node.service, ["orchestrator", "migrateFrom", "service"]] as const]
      : []),
  ] as const;
  for (const [name, nodes, path] of pairs)
    if (bare(name) === bare(nodes))
      faults.push([path, "is the node's service: needed another one, since a move stops and masks it"]);
  if (rollback && from === undefined)
    faults.push([
      ["orchestrator", "rollback"],
      "found true without orchestrator.migrateFrom: needed where the signer is to go back to",
      { set: "orchestrator.migrateFrom.address", toWord: "ADDRESS" },
    ]);
  return faults;
}
