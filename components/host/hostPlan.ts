import type { Cloud, Found, ServerNow } from "../../providers/cloud/cloud";
import { type Order, type OrderRecord, settled } from "./attempts";
import type { CloudHostConfig } from "./hostSchema";
import { type Attempt, choose, describe, type Offer } from "./plan";

/** What this run does about the server of a stack. */
export type HostPlan =
  | {
      readonly kind: "make";
      readonly offer: Offer;
      readonly found: Found;
      /** What was tried in vain. */
      readonly attempts: readonly Attempt[];
      /** The server that a failed creation left. */
      readonly leftover?: ServerNow | undefined;
    }
  | {
      readonly kind: "keep";
      readonly server: ServerNow;
      readonly found: Found;
      /** Its creation was cut off: what was to follow it may be missing. */
      readonly isHalfMade: boolean;
    }
  /** There is nothing, and nothing is to be made. */
  | { readonly kind: "gone" };

/** A plan with what the operator is told of it, in order. */
export interface Decision {
  readonly plan: HostPlan;
  readonly lines: readonly string[];
  readonly warnings: readonly string[];
}

/** A refusal before anything was registered: a line for each fault. */
export interface Refusal {
  readonly faults: readonly string[];
  /** Every plan and location was tried: the next run begins anew. */
  readonly isExhausted?: boolean;
}

/** What is decided on. */
export interface Situation {
  readonly cloud: Cloud;
  readonly host: CloudHostConfig;
  readonly lifecycle: "active" | "adopted" | "retiring";
  readonly stack: string;
  readonly pillar: string;
  readonly publicKey: string | undefined;
  readonly record: OrderRecord;
  readonly now: number;
}

/** Looks at the provider and decides what this run does about the server; it only reads. @throws CloudError */
export async function planHost(situation: Situation): Promise<Decision | Refusal> {
  const { cloud, host, lifecycle, stack, pillar, publicKey, record } = situation;
  if (host.importId !== undefined) return adopt(situation, host.importId);
  const found = await cloud.found({ stack, pillar }, publicKey);
  const [server, another] = found.servers;
  if (another)
    return {
      faults: [
        `more than one server at ${cloud.provider} carries the labels of stack ${stack} of Pillar ${pillar}:`,
        ...found.servers.map(
          ({ id, name, location, address }) => `  ${id} ${name} in ${location}, ${address ?? "no address"}`,
        ),
        "needed: one. Delete what is not this stack's host, or take its labels away, in the provider's console.",
      ],
    };
  // Only what an order of this stack left, which never came back, is not a host.
  const isLeftover = server?.failure !== undefined && record.pending !== undefined;
  if (server && (!isLeftover || lifecycle === "retiring")) return keep(situation, found, server);
  if (lifecycle === "retiring")
    return {
      plan: { kind: "gone" },
      lines: [
        `there is no server of this stack at ${cloud.provider}. Where the state still knows one: pulumi refresh, then pulumi destroy`,
      ],
      warnings: [],
    };
  return order(situation, found, server, settled(record, situation.now, server?.failure));
}

/** A server that is there already, whoever made it. */
async function adopt({ cloud, stack }: Situation, id: string): Promise<Decision | Refusal> {
  const server = await cloud.server(id);
  if (!server)
    return { faults: [`pillar-host:host.importId: ${cloud.provider} has no server ${id} that this token can see`] };
  return {
    plan: { kind: "keep", server, found: { servers: [server] }, isHalfMade: false },
    lines: [
      `host: server ${id} (${server.name}) at ${cloud.provider} is taken over by ${stack}, and nothing on it is changed`,
    ],
    warnings: [],
  };
}

function keep({ host, record }: Situation, found: Found, server: ServerNow): Decision {
  const warnings: string[] = [];
  const differs = (key: string, wanted: string, is: string | undefined) => {
    if (is !== undefined && wanted !== is)
      warnings.push(
        `pillar-host:host.${key} is ${wanted}, the server was made with ${is}: nothing is changed on a live host`,
      );
  };
  if (host.plan !== "auto") differs("plan", host.plan, server.plan);
  if (!host.locations.includes(server.location)) differs("locations", host.locations.join(", "), server.location);
  differs("image", host.image, server.image);
  const isHalfMade = record.pending !== undefined;
  if (isHalfMade)
    warnings.push(
      `the creation of server ${server.id} was cut off: it is taken over, and the next pulumi up sets its protection`,
    );
  return { plan: { kind: "keep", server, found, isHalfMade }, lines: [], warnings };
}

async function order(
  { cloud, host, record, stack }: Situation,
  found: Found,
  leftover: ServerNow | undefined,
  attempts: readonly Attempt[],
): Promise<Decision | Refusal> {
  if (host.hostKey !== undefined)
    return {
      faults: [
        `pillar-host:host.hostKey: it is for a server that is there already, and ${cloud.provider} has none of stack ${stack}`,
        "To have one made: pulumi config rm --path pillar-host:host.hostKey, then pulumi up",
      ],
    };
  const [offers, images] = await Promise.all([cloud.offers(host.backups), cloud.images(), cloud.checkRights()]);
  const faults: string[] = [];
  if (!images.includes(host.image))
    faults.push(
      `pillar-host:host.image: ${cloud.provider} has no image ${host.image} for x86 machines now, needed one of ${[...images].sort().join(", ")}`,
    );
  const choice = choose(offers, host, attempts);
  if (choice.kind === "none") {
    const isExhausted = attempts.length > 0 && choose(offers, host, []).kind === "chosen";
    return { faults: [...faults, ...choice.faults], isExhausted };
  }
  if (faults.length > 0) return { faults };
  const { offer, runnerUp } = choice;
  const next = choose(offers, host, [...attempts, { ...offer, at: "", reason: "" }]);
  const free = `${offer.currency} a month`;
  const lines = [
    ...attempts.map(({ plan, location, at, reason }) => `tried in vain: ${plan} in ${location} at ${at}: ${reason}`),
    ...(leftover ? [`what that left is removed: server ${leftover.id}`] : []),
    ...(record.pending && !leftover
      ? ["should this run end in an error about a server that is not there: pulumi refresh, then pulumi up"]
      : []),
    `host: a server at ${cloud.provider}, ${describe(offer)}${host.backups ? ", backups included" : ""}; image ${host.image}`,
    runnerUp
      ? `runner-up: ${describe(runnerUp)}${runnerUp.isAvailable ? "" : "; no room for it there now"}`
      : "runner-up: none",
    next.kind === "chosen"
      ? `should the provider have no room for it, the next pulumi up tries ${next.offer.plan} in ${next.offer.location} (${next.offer.monthly.toFixed(2)} ${free})`
      : "should the provider have no room for it, there is nothing else to try: add locations (pillar-host:host.locations)",
  ];
  const warnings = leftover
    ? ["the server that this run makes is protected by the next pulumi up: run it once more when this one is done"]
    : [];
  return { plan: { kind: "make", offer, found, attempts, leftover }, lines, warnings };
}

/** The record once an order is about to go out (pure). */
export function ordered(plan: HostPlan & { kind: "make" }, at: Date): OrderRecord {
  const pending: Order = { plan: plan.offer.plan, location: plan.offer.location, at: at.toISOString() };
  return { attempts: plan.attempts, pending };
}
