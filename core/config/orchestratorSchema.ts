import { z } from "zod";
import { coversEverybody } from "../util/networks.ts";
import { network } from "./hostSchema.ts";
import {
  acknowledged,
  block,
  duration,
  ownDirectory,
  port,
  releaseSchema,
  requiredSha256,
  service,
  text,
  word,
} from "./schemaParts.ts";

const ownPath = z
  .string()
  .min(1)
  // No shell reads it: a folder of this name would be made in the checkout.
  .regex(/^(?!~[^/])[^$]*$/, "needed a path without $ and ~user: write it out, or begin with ~/")
  .meta({ form: "local path" });

/** Requires this folder name: the orchestrator works in the .orchestrator of its home, wherever it is started. */
const home = ownDirectory
  .regex(/\/\.orchestrator$/, "needed the folder .orchestrator of the orchestrator's home, as /root/.orchestrator")
  .meta({ form: "absolute path that ends in `/.orchestrator`" });

const everybody =
  "lets everybody ask: the orchestrator gives two answers a second in all, and anybody could use them up";

const startNumber = z.int().min(1).max(100_000);

/** Names of the orchestrator on another host. */
export const otherOrchestrator = block({
  service: service.optional().meta({ description: "Its systemd service there", otherwise: "`orchestrator.service`" }),
  directory: home.optional().meta({ description: "Its directory there", otherwise: "`orchestrator.directory`" }),
  executable: word.optional().meta({
    description: "The name of the orchestrator's process on that host, with or without the release's `-linux-amd64`",
    otherwise: "`orchestrator.executable`",
  }),
}).describe("The orchestrator's names on that host");

/** The newest release of the orchestrator that this program knows. */
export const knownRelease =
  "https://github.com/HyperCore-Team/orchestrator/releases/download/v0.0.9a-alphanet/orchestrator-linux-amd64.zip";

/** Keys by which an operator confirms something for one start of the orchestrator. */
const confirmations = {
  firstMove: acknowledged
    .optional()
    .describe(
      "Confirms that no move of this orchestrator ever began. Needed if neither the event log nor a journal has a move. Remove this setting afterwards",
    ),
  laterThanMove: startNumber.optional().meta({
    description:
      "The number of the last known move, if you brought the orchestrator to its host by hand after that move, or if the event log of that move is lost. The orchestrator must be unable to start anywhere else",
    form: "number",
    see: "orchestrator.md#after-a-move-by-hand",
  }),
  lostLine: text(/^[0-9a-f]{12}$/, "needed the 12 hexadecimal digits that the refusal names", "hash")
    .optional()
    .meta({
      description:
        "The hash of a line that the event log lacks and that is lost for good. Confirms that no move began in it, or that the orchestrator can start nowhere else",
      see: "safety.md#confirmations",
    }),
  noKeyShare: startNumber.optional().meta({
    description: "Confirms that this orchestrator has no key share, for the start with this number",
    form: "number",
    see: "safety.md#confirmations",
  }),
  haltedBridge: startNumber.optional().meta({
    description:
      "Moves the orchestrator although the bridge is halted, by the start with this number; it starts halted on the new host",
    form: "number",
    see: "safety.md#confirmations",
  }),
};

export type ConfirmationKey = keyof typeof confirmations;
export const confirmationKeys = Object.keys(confirmations) as readonly ConfirmationKey[];

/** Keys that are for a move alone. */
export const moveKeys = ["rollback", "restoreFrom", ...confirmationKeys] as const;

const version = text(
  /^v\d+\.\d+\.\d+[a-z]?$/,
  "needed the release's version, such as v0.0.9 or v0.0.9a",
  "version",
).meta({ description: "The release's version; the executable must report the same", examples: ["v0.0.9a"] });

export const orchestratorSchema = block({
  service: service.default("orchestrator").describe("The orchestrator's service"),
  directory: home.default("/root/.orchestrator").describe("The orchestrator's directory"),
  executable: word
    .default("orchestrator")
    .describe(
      "The orchestrator's executable in `/usr/local/bin`; in a release's archive the file has this name, or ends in `-linux-amd64`",
    ),
  rpcPort: port.default(55000).describe("The port of the orchestrator's RPC. Reserved on the host"),
  p2pPort: port
    .default(55055)
    .describe(
      "The port for the orchestrator's peers. Reserved on the host; with `move` or `release` it is open to everybody, and stays open while the event log has an orchestrator on the host",
    ),
  rpcFrom: z
    .array(network.meta({ form: "network in CIDR form, never everybody", examples: ["192.0.2.0/24"] }))
    .refine((networks) => !coversEverybody(networks), everybody)
    .default([])
    .describe(
      "Networks that may ask the orchestrator for its status, on `rpcPort`. This sets the firewall of a server at a cloud provider; elsewhere your own firewall decides",
    ),
  // The hash is required, since the download runs as root and holds the bridge's key share.
  release: releaseSchema("the orchestrator's release", "release", version)
    .safeExtend({ sha256: requiredSha256("release").describe("The release's hash, from its release page") })
    .optional()
    .describe("The release to install if the orchestrator is missing"),
  move: z.boolean().default(false).meta({
    description: "Moves the orchestrator from the old host (`oldHost`) to this one",
    see: "orchestrator.md",
  }),
  rollback: z.boolean().default(false).describe("Moves the orchestrator back to the old host; with `move`"),
  attempt: z.number().int().min(1).default(1).describe("Raise it to move the orchestrator again after a rollback"),
  unattended: z.boolean().default(false).describe("Moves the orchestrator also in a run that had to wait for the sync"),
  restoreFrom: ownPath.optional().meta({
    description:
      "A backup that takes the place of the old host, which is lost and fenced. The command `restore` sets it",
    see: "restore.md",
  }),
  ...confirmations,
  backup: block({
    directory: ownPath.optional().meta({
      description: "Where the backups are stored",
      otherwise: "`$XDG_DATA_HOME/pillar-host/records/<Pillar>`",
    }),
    identityFile: ownPath.optional().meta({
      description: "An age identity that opens the backups; the program only reads it",
      otherwise: "created on first use",
    }),
  }).meta({ description: "The encrypted backups that are made before the move", see: "orchestrator.md#backups" }),
  startTimeout: duration("1m")
    .prefault("25m")
    .describe(
      "How long a started orchestrator may take to answer: it searches for its peers for up to 5 minutes, and without a key share it computes prime numbers for up to 15",
    ),
  steadySeconds: z.number().min(1).max(600).default(12).meta({
    description:
      "How long a started orchestrator is watched: its unit must stay up without a restart. Must be longer than the unit's `RestartSec` (10), so that a crash loop is noticed",
    unit: "seconds",
  }),
}).meta({
  description: "The bridge's orchestrator: its service, files and ports on the host, and its move",
  see: "orchestrator.md",
});
