import { isIP } from "node:net";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { faultsOf, faultsText, hasFormerName, parseValue, project } from "./configFaults";
import { duration } from "./duration";
import { type HostFault, hostFaults, hostSchema } from "./host/hostSchema";
import { loginShape, openableKey } from "./loginSchema";
import { orchestratorFaults, orchestratorSchema } from "./orchestrator/orchestratorSchema";
import { releaseSchema } from "./releaseSchema";
import { cutoverSchema, networkSchema, retirementFaults, retirementSchema } from "./retirement/retirementSchema";
import { directory, plainUrl, port, rpcUrl, word } from "./schemaParts";
import { plainSecrets } from "./secretKeys";

const ssh = z
  .strictObject({
    ...loginShape,
    user: loginShape.user.default("root"),
    port: loginShape.port.default(22),
    agent: loginShape.agent.default(false),
  })
  .refine(({ privateKey, password, agent }) => privateKey ?? password ?? agent, {
    message: "needed one of privateKey, password or agent: true",
  })
  .superRefine(openableKey("ssh"));

/** Asked for so that another release behind the same address can be told from the one before it. */
const controllerVersion = z
  .string()
  .regex(/^v\d+\.\d+\.\d+[A-Za-z0-9.-]*$/, "needed the release's version, such as v0.0.4 or v0.0.4-alpha");

const controller = z
  .strictObject({
    // Needed on an active stack only.
    release: releaseSchema("the controller's zip archive", "archive", controllerVersion.optional()).optional(),
    directory: directory.default("/root"),
    executable: word.default("node-controller"),
    addresses: z.array(plainUrl).default([]),
    deployTimeout: duration("1m").prefault("2h"),
  })
  .prefault({});

/** Where the node's RPC is for its own host. */
const ownAddress = "127.0.0.1";

/** What docs/specification.md calls the node's things, and where its RPC is; all can be set for the real network. */
const nodeSchema = z
  .strictObject({
    service: word.default("go-node"),
    dataDir: directory.default("/root/.znn"),
    rpc: z.enum(["ssh", "direct"]).default("ssh"),
    rpcAddress: z
      .string()
      .regex(/^[0-9a-fA-F.:]+$/, "needed an IP address: the node refuses names")
      .default(ownAddress),
    rpcPort: port.default(35997),
    wsPort: port.default(35998),
    p2pPort: port.default(35995),
  })
  .prefault({});

const sync = z
  .strictObject({
    hourlyRestart: z.boolean().default(true),
    wait: z.enum(["block", "check"]).default("block"),
    confirmations: z.number().int().min(1).max(100).default(3),
    confirmSeconds: z.number().nonnegative().max(60).default(4),
    references: z.array(rpcUrl).default([]),
    tolerance: z.number().int().min(1).max(1000).default(20),
    stallMinutes: z.number().positive().max(1440).default(15),
    deadline: duration("1m").prefault("7d"),
  })
  .prefault({});

/** Its path or its name is the password: an ntfy topic, a Slack hook. */
const webhook = z
  .url({ protocol: /^https?$/, message: "needed the http or https address of a webhook, such as an ntfy topic's" })
  .refine(
    (url) => !/^[^/]*\/\/[^/]*@/.test(url),
    "must not hold user and password: give a token in the address instead",
  );

/** The node answers requests by its IP address only: by a name it would refuse every one, for ever. */
function rpcFaults({
  host,
  node,
}: {
  host: z.output<typeof hostSchema>;
  node: z.output<typeof nodeSchema>;
}): HostFault[] {
  if (node.rpc !== "direct" || node.rpcAddress !== ownAddress) return [];
  if (host.provider !== "existing" || isIP(host.address) !== 0) return [];
  return [
    [
      ["node", "rpcAddress"],
      `needed the IP address of ${host.address} with node.rpc: direct, since the node refuses names (403). ` +
        `Find it with: getent hosts ${host.address}; or leave node.rpc out, which asks through ssh`,
    ],
  ];
}

/** An active stack needs the controller's release. It is looked for in what is not whole yet, too. */
function releaseFault({ lifecycle, controller: block }: Partial<Blocks>, context: z.RefinementCtx): void {
  const isThere = typeof block !== "object" || block === null || block.release !== undefined;
  if (lifecycle !== "active" || isThere || context.issues.some((issue) => hasFormerName(issue, "controller"))) return;
  const path = ["controller", "release", "url"];
  context.addIssue({ code: "invalid_type", expected: "string", input: undefined, path });
}

interface Blocks {
  readonly lifecycle: string;
  readonly controller: z.output<typeof controller> | null;
}

/** The configuration of a stack: the keys below `pillar-host:` in Pulumi.<stack>.yaml (docs/configuration.md). */
export const stackSchema = z
  .strictObject({
    pillar: z.strictObject({
      name: z.string().regex(/^[A-Za-z0-9._-]{1,40}$/, "needed the Pillar's name as registered on chain"),
    }),
    lifecycle: z.enum(["active", "adopted", "retiring"]).default("active"),
    host: hostSchema,
    ssh,
    controller,
    node: nodeSchema,
    sync,
    notify: webhook.optional(),
    orchestrator: orchestratorSchema,
    network: networkSchema,
    cutover: cutoverSchema,
    retirement: retirementSchema,
  })
  .superRefine(releaseFault, { when: () => true })
  .superRefine((config, context) => {
    const faults = [hostFaults, rpcFaults, orchestratorFaults, retirementFaults].flatMap((find) => find(config));
    for (const [path, message] of faults) context.addIssue({ code: "custom", path: [...path], message });
  });

/** The whole configuration, with defaults. Secrets are plain here: wrap them in pulumi.secret before they leave. */
export type StackConfig = z.output<typeof stackSchema> & {
  /** Another address of the cloud's API than the provider's own. */
  readonly apiEndpoint?: string;
};

/**
 * Turns raw configuration values into a StackConfig (pure).
 *
 * @param raw key (without `pillar-host:`) to value, as written in the stack's file
 * @returns the configuration, or one line for each fault: key, what is wrong
 */
export function parseConfig(raw: Readonly<Record<string, unknown>>): { config: StackConfig } | { faults: string[] } {
  const result = stackSchema.safeParse(raw, { reportInput: true });
  const faults = result.success ? [] : result.error.issues.flatMap((issue) => faultsOf(issue, stackSchema));
  return result.success ? { config: result.data } : { faults };
}

/** Reads the stack's configuration. The only reader of it.
 *
 * @throws RunError (shown without a stack trace) that names every fault
 */
export function readConfig(): StackConfig {
  const { raw, apiEndpoint } = rawConfig(pulumi.runtime.allConfig());
  // The engine's own word for which keys hold a secret; the SDK keeps its reading of it to itself.
  const secret: unknown = JSON.parse(process.env.PULUMI_CONFIG_SECRET_KEYS ?? "null");
  if (Array.isArray(secret)) {
    const isSecret = (key: string) => secret.includes(`${project}:${key}`);
    for (const warning of plainSecrets(raw, isSecret, pulumi.getStack())) pulumi.log.warn(warning);
  }
  const parsed = parseConfig(raw);
  if ("config" in parsed) return { ...parsed.config, ...(apiEndpoint === undefined ? {} : { apiEndpoint }) };
  throw new pulumi.RunError(faultsText(pulumi.getStack(), parsed.faults, "; nothing was changed", "pulumi up"));
}

/** The stack's raw values out of all that the engine knows, with what the cloud's own Pulumi keys say (pure). */
export function rawConfig(all: Readonly<Record<string, string>>): {
  raw: Record<string, unknown>;
  apiEndpoint?: string;
} {
  const raw: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(all)) {
    if (key.startsWith(`${project}:`)) raw[key.slice(project.length + 1)] = parseValue(value);
  }
  const { apiEndpoint, token } = standardKeys(raw.host, all);
  if (token !== undefined) raw.host = { token, ...(raw.host as object) };
  return { raw, ...(apiEndpoint === undefined ? {} : { apiEndpoint }) };
}

/** What the keys of the provider's own Pulumi plugin say. */
function standardKeys(host: unknown, all: Readonly<Record<string, string>>): { apiEndpoint?: string; token?: string } {
  const { provider } = (typeof host === "object" && host !== null ? host : {}) as { provider?: unknown };
  const namespaces: Record<string, readonly [token: string, endpoint: string]> = {
    hetzner: ["hcloud:token", "hcloud:endpoint"],
    digitalocean: ["digitalocean:token", "digitalocean:apiEndpoint"],
  };
  const [token, apiEndpoint] = (namespaces[String(provider)] ?? []).map((key) => all[key]);
  return { ...(apiEndpoint ? { apiEndpoint } : {}), ...(token ? { token } : {}) };
}
