import { z } from "zod";
import { duration } from "../duration";
import { network } from "../host/hostSchema";
import { openableKey, otherHostShape } from "../loginSchema";
import { releaseSchema } from "../releaseSchema";
import { address, directory, port, word } from "../schemaParts";

/** A file or directory of the operator's machine. */
const ownPath = z.string().min(1);

/** The orchestrator takes no other: it works in this folder of its home, wherever it is started. */
const home = directory.regex(
  /\/\.orchestrator$/,
  "needed the folder .orchestrator of the orchestrator's home, as /root/.orchestrator",
);

const everybody =
  "is everybody: the orchestrator gives two answers a second to all who ask together, and anybody could use them up";

const acknowledged = z.literal("acknowledged", { error: "needed the word acknowledged, or nothing" });

/** Where the signer comes from. */
const migrateFrom = z
  .strictObject({
    ...otherHostShape,
    copyAddress: address.optional(),
    service: word.optional(),
    directory: home.optional(),
    executable: word.optional(),
    dataDir: directory.optional(),
    noKeyShare: acknowledged.optional(),
    haltedBridge: acknowledged.optional(),
  })
  .superRefine(openableKey("orchestrator.migrateFrom"));

/** What the executable says of itself has to be this. */
const version = z.string().regex(/^v\d+\.\d+\.\d+[a-z]?$/, "needed the release's version, such as v0.0.9 or v0.0.9a");

/** The signer: its things on the host (named as docs/specification.md does), and its move (procedure B). */
export const orchestratorSchema = z
  .strictObject({
    service: word.default("orchestrator"),
    directory: home.default("/root/.orchestrator"),
    executable: word.default("orchestrator"),
    rpcPort: port.default(55000),
    p2pPort: port.default(55055),
    rpcFrom: z.array(network.refine((text) => !text.endsWith("/0"), everybody)).default([]),
    release: releaseSchema("the orchestrator's release", "release", version).optional(),
    migrateFrom: migrateFrom.optional(),
    backup: z.strictObject({ directory: ownPath.optional(), identityFile: ownPath.optional() }).prefault({}),
    startTimeout: duration("1m").prefault("25m"),
    steadySeconds: z.number().min(1).max(600).default(12),
    unattended: z.boolean().default(false),
    rollback: z.boolean().default(false),
    attempt: z.number().int().min(1).default(1),
  })
  .prefault({});

/** What the block says that does not fit to the rest (pure). */
export function orchestratorFaults(config: {
  readonly host: { readonly provider: string; readonly address?: string };
  readonly orchestrator: z.output<typeof orchestratorSchema>;
}): (readonly [path: readonly string[], message: string])[] {
  const { migrateFrom: from, rollback } = config.orchestrator;
  const faults: (readonly [string[], string])[] = [];
  if (rollback && from === undefined)
    faults.push([["orchestrator", "rollback"], "needs orchestrator.migrateFrom: where the signer is to go back to"]);
  if (from !== undefined && config.host.provider === "existing" && from.address === config.host.address)
    faults.push([
      ["orchestrator", "migrateFrom", "address"],
      "is this stack's own host: needed the old host's, from which the signer comes",
    ]);
  return faults;
}
