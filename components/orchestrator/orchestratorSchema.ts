import { z } from "zod";
import { word } from "../host/hostSchema";
import { directory, loginShape, port, privateKeyFault } from "../loginSchema";

const address = z.string().regex(/^[A-Za-z0-9.:-]+$/, "needed an IP address or a host name");

/** A file or directory of the operator's machine. */
const ownPath = z.string().min(1);

/** Where the signer comes from. What is left out of the login is pillar-host:ssh's. */
const migrateFrom = z
  .strictObject({
    address,
    hostKey: z
      .string()
      .trim()
      .regex(
        /^([^ ]+ )?(ssh-ed25519|ecdsa-sha2-nistp(256|384|521)) [A-Za-z0-9+/=]+( .*)?$/,
        "needed a line such as `ssh-ed25519 AAAA…` (get it with: ssh-keyscan -t ed25519 ADDRESS)",
      )
      .transform((line) => /(ssh|ecdsa)-[^ ]+ [^ ]+/.exec(line)?.[0] ?? line),
    ...loginShape,
    user: loginShape.user.optional(),
    port: loginShape.port.optional(),
    agent: loginShape.agent.optional(),
    copyAddress: address.optional(),
    service: word.optional(),
    directory: directory.optional(),
    dataDir: directory.optional(),
    noKeyShare: z.literal("acknowledged", { error: "needed the word acknowledged, or nothing" }).optional(),
  })
  .superRefine((block, context) => {
    const fault = privateKeyFault(block, "orchestrator.migrateFrom");
    if (fault) context.addIssue({ code: "custom", path: [fault[0]], message: fault[1] });
  });

const release = z
  .strictObject({
    url: z.url({ protocol: /^https?$/, message: "needed an http or https address of the orchestrator's release" }),
    sha256: z
      .string()
      .toLowerCase()
      .regex(/^[0-9a-f]{64}$/, "needed 64 hexadecimal digits (sha256sum of the release)")
      .optional(),
    version: z.string().regex(/^v\d+\.\d+\.\d+[a-z]?$/, "needed the release's version, such as v0.0.9 or v0.0.9a"),
  })
  .refine(({ url, sha256 }) => !/^http:/i.test(url) || sha256, {
    path: ["sha256"],
    message:
      "needed with an address that is plain http: the release runs as root, and anybody on the way could replace it",
  });

/** The signer: its things on the host (named as the specification does), and its move (procedure B). */
export const orchestratorSchema = z
  .strictObject({
    service: word.default("orchestrator"),
    directory: directory.default("/root/.orchestrator"),
    executable: word.default("orchestrator"),
    rpcPort: port.default(55000),
    p2pPort: port.default(55055),
    release: release.optional(),
    migrateFrom: migrateFrom.optional(),
    backup: z.strictObject({ directory: ownPath.optional(), identityFile: ownPath.optional() }).prefault({}),
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
      "is this stack's own host: needed the old VM's, from which the signer comes",
    ]);
  return faults;
}
