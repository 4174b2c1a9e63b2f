import { isIP } from "node:net";
import { z } from "zod";
import type { SchemaFault } from "./configFaults";
import { supportedDistributions } from "./distributions";
import { duration } from "./duration";
import { address, hostKey, word } from "./schemaParts";

/** Ideal for the initial sync (docs/specification.md, 8). */
export const ideal = { cores: 8, memoryGb: 16 };

const common = {
  minimums: z
    .strictObject({
      cores: z.number().int().min(1).default(4).meta({ description: "Processor cores" }),
      memoryGb: z.number().positive().default(4).meta({
        description: "Memory. A tenth less is accepted, because the kernel does not report all of it",
        unit: "GB",
      }),
      diskGb: z.number().positive().default(40).meta({
        description: "Free space where the data directory will be",
        unit: "GB",
      }),
      bandwidthMbps: z.number().nonnegative().default(100).meta({
        description: "Bandwidth to the release's server, which the host should exceed. The program only warns",
        unit: "Mbit/s",
      }),
    })
    .prefault({})
    .meta({ description: "The least that the host must have" }),
  acceptDistributions: z
    .array(word.meta({ examples: ["debian-12"] }))
    .default([])
    .meta({
      description:
        `Distributions to accept beside ${supportedDistributions.join(", ")}. They need apt, which the controller's Deploy uses: ` +
        "CentOS and Fedora are refused",
    }),
};

export const network = z
  .string()
  .refine(isNetwork, "needed a network in CIDR form, such as 192.0.2.1/32 for one address or 192.0.2.0/24")
  .meta({ form: "network in CIDR form", examples: ["192.0.2.1/32"] });

const cloud = (locations: readonly [string, ...string[]], token: z.ZodType<string, string>) => ({
  token: token.meta({
    description:
      "An API token with read and write permission. The token of the provider's own Pulumi plugin (`hcloud:token`, `digitalocean:token`) works as well",
    needed: "an API token with read and write permission",
    secret: true,
  }),
  locations: z
    .array(word)
    .min(1, `needed at least one, such as ${locations[0]}`)
    .default([...locations])
    .meta({ description: "The provider's locations, tried in this order" }),
  plan: word
    .default("auto")
    .meta({ description: "`auto`: the cheapest plan that meets the minimums; or a plan's name" }),
  image: word.default("ubuntu-22.04").meta({
    description: "The server's distribution, if the provider has it",
    examples: ["debian-11"],
  }),
  sshFrom: z.array(network).default([]).meta({
    description: "Networks that may connect to ssh. Yours must be among them; an active stack needs at least one",
  }),
  backups: z
    .boolean()
    .default(false)
    .meta({ description: "Turns on the provider's own backups, at the provider's price" }),
  // Takes a text, too: `pulumi config set --path` writes 24.50 as a text.
  maxMonthly: z
    .union([z.number(), z.string().regex(/^\d+(\.\d+)?$/, "needed a number, such as 25 or 24.50")])
    .transform(Number)
    .refine((price) => price > 0, "needed a price for a month in the provider's currency, more than 0")
    .optional()
    .meta({
      description: "The most that the server may cost a month; a dearer one is never ordered",
      form: "number",
      unit: "the provider's currency",
      examples: [25, "24.50"],
      otherwise: "the price that the first preview showed, plus a quarter",
    }),
  startTimeout: duration("1s").prefault("15m").meta({
    description: "How long a new server may take to be created, and then to boot and accept a login",
  }),
  importId: z
    .union([z.string(), z.number()])
    .transform(String)
    .refine((id) => /^[1-9][0-9]*$/.test(id), "needed the server's number at the provider")
    .optional()
    .meta({
      description: "With `lifecycle: adopted`: the server's number at the provider",
      form: "whole number",
      see: "clouds.md",
    }),
  hostKey: hostKey.optional().meta({
    description: "The ssh host key of a server that exists already and that this state did not order",
    otherwise: "created with the ordered server",
    see: "operating.md#lost-laptop",
  }),
  ...common,
});

const token = z.string().min(1);
const madeHere = "A server that this program orders";

export const hostSchema = z
  .discriminatedUnion("provider", [
    z.strictObject({
      provider: z.literal("existing").meta({ description: "A server that exists already" }),
      address: address.meta({ description: "The host's IP address or name" }),
      hostKey: hostKey.optional().meta({
        description: "The host's ssh key; a host that shows another key is refused",
        otherwise:
          "recorded on first contact; with a password, sudoPassword or migrateFrom that run then ends, so that you can compare the key",
      }),
      ...common,
    }),
    z.strictObject({
      provider: z.literal("hetzner").meta({ description: madeHere, see: "clouds.md" }),
      ...cloud(
        ["fsn1", "nbg1", "hel1"],
        token.refine(
          (text) => /^[A-Za-z0-9]{64}$/.test(text),
          "needed an API token of Hetzner Cloud: 64 letters and digits",
        ),
      ),
    }),
    z.strictObject({
      provider: z.literal("digitalocean").meta({ description: madeHere, see: "clouds.md" }),
      ...cloud(["fra1", "ams3", "lon1", "nyc3"], token),
    }),
  ])
  .meta({ description: "Where the host comes from, and what it must have" });

type HostConfig = z.output<typeof hostSchema>;
export type HostProvider = HostConfig["provider"];
export type ExistingHostConfig = Extract<HostConfig, { provider: "existing" }>;
export type CloudHostConfig = Exclude<HostConfig, { provider: "existing" }>;

interface Around {
  readonly host: HostConfig;
  readonly lifecycle: "active" | "adopted" | "retiring";
  readonly ssh: {
    readonly user: string;
    readonly port: number;
    readonly privateKey?: string | undefined;
    readonly privateKeyFile?: string | undefined;
  };
}

export function findHostFaults({ host, lifecycle, ssh }: Around): SchemaFault[] {
  if (host.provider === "existing") return [];
  const faults: SchemaFault[] = [];
  if (lifecycle === "adopted" && host.importId === undefined)
    faults.push([
      ["host", "importId"],
      "missing, needed with lifecycle adopted: the number of the server to adopt",
      { set: "host.importId", toWord: "NUMBER" },
    ]);
  if (lifecycle !== "active") return faults;
  if (host.importId !== undefined)
    faults.push([
      ["host", "importId"],
      "is for lifecycle adopted only; an active stack orders its own server",
      { remove: "host.importId" },
    ]);
  if (host.sshFrom.length === 0)
    faults.push([
      ["host", "sshFrom"],
      "needed the networks that may connect to ssh, yours among them: without them pulumi could not reach the host. " +
        "The command finds your address, such as 192.0.2.1/32; 0.0.0.0/0 lets everybody try",
      { set: "host.sshFrom[0]", toWord: '"$(curl -4 -s https://ifconfig.co)/32"' },
    ]);
  if (ssh.privateKey === undefined && ssh.privateKeyFile === undefined)
    faults.push([
      ["ssh", "privateKeyFile"],
      "missing: a new server at a cloud provider accepts only the operator's ssh key, such as ~/.ssh/id_ed25519",
      { set: "ssh.privateKeyFile", to: "~/.ssh/id_ed25519" },
    ]);
  if (ssh.user !== "root")
    faults.push([["ssh", "user"], `found ${ssh.user}, needed root on a new server`, { set: "ssh.user", to: "root" }]);
  if (ssh.port !== 22)
    faults.push([["ssh", "port"], `found ${ssh.port}, needed 22 on a new server`, { set: "ssh.port", to: 22 }]);
  const accepted = [...supportedDistributions, ...host.acceptDistributions];
  if (!accepted.includes(host.image))
    faults.push([
      ["host", "image"],
      `found ${host.image}, needed one of ${accepted.join(", ")}, which the controller's release supports (or add yours to host.acceptDistributions)`,
      { set: "host.image", to: accepted[0] ?? "" },
    ]);
  return faults;
}

function isNetwork(text: string): boolean {
  const [, address = "", bits = ""] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const family = isIP(address);
  if (family === 0 || Number(bits) > (family === 4 ? 32 : 128)) return false;
  // Refuses host bits as providers do: 192.0.2.1/24 is no network.
  return family === 6 || (Number(bits) === 0 ? 0 : parseIPv4(address) << Number(bits)) === 0 || Number(bits) === 32;
}

const parseIPv4 = (address: string) => address.split(".").reduce((sum, part) => (sum << 8) | Number(part), 0);
