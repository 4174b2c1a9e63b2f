import { ideal } from "../config/hostSchema.ts";
import { deriveConfiguredPublicKey } from "../ssh/configuredLogin.ts";
import { type Commands, commandsFor } from "../util/commands.ts";
import { type Chosen, chooseOffer, describeOffer, formatAttempt, formatPrice, type Offer } from "./chooseOffer.ts";
import {
  type Cloud,
  type CloudConfig,
  type CloudInventory,
  describeServer,
  findOrder,
  type SentOrder,
  type ServerNow,
} from "./cloud.ts";
import {
  computePriceLimit,
  type FirstPrice,
  keepFirstPrice,
  type Order,
  type OrderRecord,
  type PriceLimit,
  settleOrder,
} from "./orderRecord.ts";

export interface MakeDecision {
  readonly kind: "make";
  readonly offer: Offer;
  readonly found: CloudInventory;
  readonly attempts: readonly Order[];
  readonly shown: FirstPrice;
  readonly leftover?: ServerNow | undefined;
}

export interface KeepDecision {
  readonly kind: "keep";
  readonly server: ServerNow;
  readonly found: CloudInventory;
  /** True if the server's creation was interrupted: firewall, protection or login may be missing. */
  readonly isHalfMade: boolean;
}

export type ServerDecision = MakeDecision | KeepDecision | { readonly kind: "gone" };

interface HostDecision {
  readonly plan: ServerDecision;
  readonly lines: readonly string[];
  readonly warnings: readonly string[];
}

export interface HostRefusal {
  readonly faults: readonly string[];
  /** True if every plan and location was tried: the next run begins anew. */
  readonly isExhausted?: boolean;
}

type Decided = HostDecision | HostRefusal;

/** Decides, without any change, what this run does about the server. @throws ProblemError `cloud` */
export async function decideServer(config: CloudConfig, cloud: Cloud, record: OrderRecord): Promise<Decided> {
  const { stack, lifecycle, pillar, host } = config;
  if (host.importId !== undefined) return planAdoption(cloud, stack, host.importId);
  const found = await cloud.readInventory(config, deriveConfiguredPublicKey(config));
  const [server, another] = found.servers;
  if (another)
    return {
      faults: [
        `more than one server at ${cloud.provider} carries the labels of stack ${stack} of Pillar ${pillar.name}:`,
        ...found.servers.map((each) => `  ${describeServer(each, record.sent)}`),
        "needed: delete the servers that are not this stack's host, or remove their labels, in the provider's console. One of another order may be a live Pillar.",
      ],
    };
  const isOrdered = findOrder(record.sent, server?.order) !== undefined;
  // A server whose creation failed in our own order is no host: order another.
  const isLeftover = server?.failure !== undefined && isOrdered;
  if (server && (!isLeftover || lifecycle === "retiring"))
    return planKeeping(config, { kind: "keep", server, found, isHalfMade: isOrdered && record.pending !== undefined });
  if (lifecycle !== "retiring") return planOrder(config, cloud, record, found);
  const { refresh, destroy } = commandsFor(stack);
  const line = `there is no server of this stack at ${cloud.provider}. If the state still has one: ${refresh}, then ${destroy}`;
  return { plan: { kind: "gone" }, lines: [line], warnings: [] };
}

async function planAdoption(cloud: Cloud, stack: string, id: string): Promise<Decided> {
  const server = await cloud.readServer(id);
  if (!server)
    return { faults: [`pillar-host:host.importId: ${cloud.provider} has no server ${id} that this token can see`] };
  return {
    plan: { kind: "keep", server, found: { servers: [server] }, isHalfMade: false },
    lines: [`host: ${stack} adopts server ${id} (${server.name}) at ${cloud.provider} without a change`],
    warnings: [],
  };
}

function planKeeping({ host }: CloudConfig, plan: KeepDecision): HostDecision {
  const { id, plan: size, location, image = host.image } = plan.server;
  const isAsWanted = [size, "auto"].includes(host.plan) && host.locations.includes(location) && host.image === image;
  const warnings: string[] = [];
  if (!isAsWanted)
    warnings.push(
      `server ${id} was made as ${size} in ${location} with ${image}: another plan, location or image in pillar-host:host changes nothing on it`,
    );
  if (plan.isHalfMade)
    warnings.push(
      `the creation of server ${id} was interrupted: the server is kept, and the next run sets its protection`,
    );
  return { plan, lines: [], warnings };
}

async function planOrder(
  { host, stack }: CloudConfig,
  cloud: Cloud,
  record: OrderRecord,
  found: CloudInventory,
): Promise<Decided> {
  const run = commandsFor(stack);
  if (host.hostKey !== undefined)
    return {
      faults: [
        `pillar-host:host.hostKey: it is for an existing server, and ${cloud.provider} has no server of stack ${stack}`,
        `To order a new server: ${run.remove("host.hostKey")} && ${run.up}`,
      ],
    };
  const [offers, images] = await Promise.all([cloud.readOffers(host.backups), cloud.readImages()]);
  const faults = images.includes(host.image)
    ? []
    : [
        `pillar-host:host.image: ${cloud.provider} has no image ${host.image} for x86 machines now, needed one of ${[...images].sort().join(", ")}`,
      ];
  const [leftover] = found.servers;
  const { attempts, failed } = settleOrder(record, cloud.isNoRoom, leftover?.failure);
  const choose = (limit: PriceLimit | undefined, tried: readonly Order[]) =>
    chooseOffer(offers, { ...host, maxMonthly: limit?.monthly }, tried, run);
  const known = computePriceLimit(host, record.shown);
  const choice = choose(known, attempts);
  if ("faults" in choice) {
    const isExhausted = attempts.length > 0 && "offer" in choose(known, []);
    return { faults: [...faults, ...choice.faults, ...(known ? [`The price limit: ${known.from}`] : [])], isExhausted };
  }
  if (faults.length > 0) return { faults };
  const { offer } = choice;
  const shown = keepFirstPrice(host, record.shown, offer);
  const limit = computePriceLimit(host, shown);
  const next = choose(limit, [...attempts, { ...offer, at: "" }]);
  const fallback =
    "offer" in next
      ? `the next run tries ${next.offer.plan} in ${next.offer.location} (${formatPrice(next.offer.monthly, offer)} a month)`
      : "nothing else within the limit is left to try: add locations (pillar-host:host.locations)";
  return {
    plan: { kind: "make", offer, found, attempts, shown, leftover },
    lines: [
      ...attempts.map((attempt) => `sold out: ${formatAttempt(attempt)}`),
      ...formatEarlierOrders(failed, leftover, record, run),
      ...formatOffer(cloud.provider, host, choice, limit),
      `if the provider has no room for this server, ${fallback}`,
    ],
    warnings: leftover
      ? [`the next run protects the server that this run makes: after this run, run ${run.up} again`]
      : [],
  };
}

function formatEarlierOrders(
  failed: Order | undefined,
  left: ServerNow | undefined,
  record: OrderRecord,
  run: Commands,
) {
  const reason = failed?.reason ?? "the run ended before the provider's answer";
  return [
    ...(failed ? [`an order failed: ${formatAttempt({ ...failed, reason })}`] : []),
    ...(left ? [`server ${left.id}, which the failed order left, is removed`] : []),
    ...(record.pending && !left
      ? [`if this run fails because a server does not exist: ${run.refresh} && ${run.up}`]
      : []),
  ];
}

function formatOffer(
  provider: string,
  { backups, image }: CloudConfig["host"],
  { offer, runnerUp }: Chosen,
  limit?: PriceLimit,
): string[] {
  const room = offer.isAvailable ? "" : `; ${provider} lists no room for this server now, but the order is tried`;
  const other = [runnerUp ? describeOffer(runnerUp) : "none"];
  if (runnerUp && limit && runnerUp.monthly > limit.monthly) other.push("dearer than the limit");
  if (runnerUp?.isAvailable === false) other.push("no room is listed for it");
  const lines = [
    `host: a server at ${provider}, ${describeOffer(offer)}${backups ? ", backups included" : ""}; image ${image}${room}`,
  ];
  if (offer.cores < ideal.cores || offer.memoryGb < ideal.memoryGb)
    lines.push(
      `ideal for the initial sync: ${ideal.cores} cores and ${ideal.memoryGb} GB of memory (host.minimums); with less it takes longer`,
    );
  lines.push(`runner-up: ${other.join("; ")}`);
  if (limit)
    lines.push(`limit: no server dearer than ${formatPrice(limit.monthly, offer)} a month is ordered (${limit.from})`);
  return lines;
}

/** Returns the record of an order that is about to be sent. @param sent with this order */
export function createOrderRecord(
  { offer, attempts, shown }: MakeDecision,
  at: Date,
  sent: readonly SentOrder[],
): OrderRecord {
  const pending = { plan: offer.plan, location: offer.location, at: at.toISOString() };
  return { attempts, pending, sent, shown };
}
