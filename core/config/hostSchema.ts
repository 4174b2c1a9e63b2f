import { z } from "zod";
import { parseNetwork } from "../util/networks.ts";
import { supportedDistributions } from "./distributions.ts";
import { address, block, duration, hostKey, word } from "./schemaParts.ts";

/** Ideal for the initial sync (docs/specification.md, 8). */
export const ideal = { cores: 8, memoryGb: 16 };

const common = {
  minimums: block({
    cores: z.number().int().min(1).max(1024).default(4).describe("Processor cores"),
    memoryGb: z.number().positive().max(2048).default(4).meta({
      description: "Memory. A tenth less is accepted, because the kernel does not report all of it",
      unit: "GB",
    }),
    diskGb: z.number().positive().max(20_000).default(40).meta({
      description: "Free space where the data directory will be",
      unit: "GB",
    }),
    bandwidthMbps: z.number().nonnegative().max(400_000).default(100).meta({
      description: "Bandwidth to the release's server, which the host should exceed. The program only warns",
      unit: "Mbit/s",
    }),
  }).describe("The least that the host must have"),
  acceptDistributions: z
    .array(word.meta({ examples: ["ubuntu-26.04"] }))
    .default([])
    .describe(
      `Distributions to accept beside ${supportedDistributions.join(", ")}. They need apt, which the controller's Deploy uses: CentOS and Fedora are refused`,
    ),
};

export const network = z
  .string()
  .refine(
    (text) => parseNetwork(text) !== undefined,
    "needed a network in CIDR form, such as 192.0.2.1/32 for one address or 192.0.2.0/24",
  )
  .meta({ form: "network in CIDR form", examples: ["192.0.2.1/32"] });

const needsPrice = "needed a price for a month in the provider's currency, such as 25 or 24.50, at most 100000";
const needsNumber = "needed the server's number at the provider";

const cloud = (locations: readonly [string, ...string[]], token: z.ZodType<string, string>) => ({
  token: token.meta({
    description:
      "An API token with read and write permission. The token of the provider's own Pulumi plugin (`hcloud:token`, `digitalocean:token`) works as well",
    secret: true,
  }),
  locations: z
    .array(word)
    .min(1, `needed at least one, such as ${locations[0]}`)
    .default([...locations])
    .describe("The provider's locations, tried in this order"),
  plan: word.default("auto").describe("`auto`: the cheapest plan that meets the minimums; or a plan's name"),
  image: word
    .default("ubuntu-22.04")
    .meta({ description: "The server's distribution, if the provider has it", examples: ["debian-11"] }),
  sshFrom: z
    .array(network)
    .default([])
    .describe("Networks that may connect to ssh. Yours must be among them; an active stack needs at least one"),
  backups: z.boolean().default(false).describe("Turns on the provider's own backups, at the provider's price"),
  // Takes a text, too: `pulumi config set --path` writes 24.50 as a text.
  maxMonthly: z
    .union([z.number(), z.string()], needsPrice)
    // Number() alone would read Infinity, 1e9 and 0x40 as prices, which limit nothing.
    .refine((price) => typeof price === "number" || /^\d+(\.\d+)?$/.test(price), needsPrice)
    .transform(Number)
    .refine((price) => price > 0 && price <= 100_000, needsPrice)
    .optional()
    .meta({
      description: "The most that the server may cost a month; a dearer one is never ordered",
      form: "number",
      unit: "the provider's currency",
      examples: [25, "24.50"],
      otherwise: "the price that the first preview showed, plus a quarter",
    }),
  startTimeout: duration("1s")
    .prefault("15m")
    .describe("How long a new server may take to be created, and then to boot and accept a login"),
  importId: z
    .union([z.string(), z.number()], needsNumber)
    .transform(String)
    .refine((id) => /^[1-9][0-9]*$/.test(id), needsNumber)
    .optional()
    .meta({
      description: "With `lifecycle: adopted`: the server's number at the provider",
      form: "whole number",
      see: "clouds.md",
    }),
  hostKey: hostKey.optional().meta({
    description: "The ssh host key of a server that exists already and that this state did not order",
    otherwise: "created with the ordered server",
    see: "troubleshooting.md#lost-laptop",
  }),
  ...common,
});

const token = z.string().min(1);
const madeHere = { description: "A server that this program orders", see: "clouds.md" };

export const hostSchema = z
  .discriminatedUnion("provider", [
    z.strictObject({
      provider: z.literal("existing").describe("A server that exists already"),
      address: address.describe("The host's IP address or name"),
      hostKey: hostKey.optional().meta({
        description: "The host's ssh key; a host that shows another key is refused",
        otherwise:
          "recorded on first contact; with a password, sudoPassword or orchestrator.move that run then ends, so that you can compare the key",
      }),
      ...common,
    }),
    z.strictObject({
      provider: z.literal("hetzner").meta(madeHere),
      ...cloud(
        ["fsn1", "nbg1", "hel1"],
        token.refine(
          (text) => /^[A-Za-z0-9]{64}$/.test(text),
          "needed an API token of Hetzner Cloud: 64 letters and digits",
        ),
      ),
    }),
    z.strictObject({
      provider: z.literal("digitalocean").meta(madeHere),
      ...cloud(["fra1", "ams3", "lon1", "nyc3"], token),
    }),
  ])
  .describe("Where the host comes from, and what it must have");

type HostConfig = z.output<typeof hostSchema>;
export type HostProvider = HostConfig["provider"];
export type ExistingHostConfig = Extract<HostConfig, { provider: "existing" }>;
export type CloudHostConfig = Exclude<HostConfig, { provider: "existing" }>;
