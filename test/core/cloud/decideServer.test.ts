import { expect, test, vi } from "vitest";
import type { Cloud, CloudInventory, ServerNow } from "../../../core/cloud/cloud.ts";
import { createOrderRecord, decideServer } from "../../../core/cloud/decideServer.ts";
import { hetznerNoRoom } from "../../../core/cloud/hetzner.ts";
import type { OrderRecord } from "../../../core/cloud/orderRecord.ts";
import type { StackConfig } from "../../../core/config/config.ts";
import type { CloudHostConfig } from "../../../core/config/hostSchema.ts";
import { configOf } from "../../components/exampleConfig.ts";
import { keyPair } from "../chain/fakes.ts";
import { offer } from "./exampleOffer.ts";

const offers = [offer("cx33", 8), offer("cx33", 8, { location: "nbg1" }), offer("cpx32", 16)];
const server: ServerNow = {
  id: "52",
  name: "pillar-anvil-prod",
  plan: "cx33",
  location: "fsn1",
  image: "ubuntu-22.04",
  address: "203.0.113.7",
  isProtected: true,
};
const host = { provider: "hetzner", token: "t".repeat(64), locations: ["fsn1", "nbg1"], sshFrom: ["192.0.2.1/32"] };
const config = configOf({ host, ssh: { privateKey: keyPair("").private } });
const shown = { wish: "hetzner, auto, 4 cores, 4 GB, 40 GB", monthly: 8, currency: "EUR" };
const at = new Date(Date.now() - 60_000).toISOString();

/** Returns the decision with these servers at the provider, and the requests to the provider. */
async function decide(
  servers: readonly ServerNow[],
  record: OrderRecord = { attempts: [] },
  wish: Partial<CloudHostConfig> = {},
  lifecycle: StackConfig["lifecycle"] = "active",
) {
  const found: CloudInventory = { servers };
  const cloud = {
    provider: "Hetzner",
    readOffers: vi.fn(async () => offers),
    readImages: async () => ["ubuntu-22.04", "debian-12"],
    readInventory: vi.fn(async () => found),
    readServer: async (id: string) => servers.find((each) => each.id === id),
    isNoRoom: (words: string) => hetznerNoRoom.test(words),
  } as Partial<Cloud> as Cloud;
  const changed = { ...config, lifecycle, host: { ...config.host, ...wish } as CloudHostConfig };
  const decided = await decideServer(changed, cloud, record);
  const said = "faults" in decided ? decided.faults : decided.lines;
  return { decided, said, found, cloud };
}

test("a new stack orders the chosen server, and prints its lines in a fixed order", async () => {
  const { decided, found } = await decide([]);
  expect(decided).toEqual({
    plan: { kind: "make", offer: offers[0], found, attempts: [], shown, leftover: undefined },
    lines: [
      "host: a server at Hetzner, cx33 in fsn1: 4 cores, 8 GB of memory, 80 GB of disk, 8.00 EUR a month; image ubuntu-22.04",
      "ideal for the initial sync: 8 cores and 16 GB of memory (host.minimums); with less it takes longer",
      "runner-up: cpx32 in fsn1: 4 cores, 8 GB of memory, 80 GB of disk, 16.00 EUR a month; dearer than the limit",
      "limit: no server dearer than 10.00 EUR a month is ordered (the price shown first, 8.00 EUR, plus a quarter; pillar-host:host.maxMonthly sets another limit)",
      "if the provider has no room for this server, the next run tries cx33 in nbg1 (8.00 EUR a month)",
    ],
    warnings: [],
  });
});

test("a new stack is refused for an image that is not offered, together with every other problem", async () => {
  expect((await decide([], undefined, { image: "debian-11", plan: "cx1" })).said).toEqual([
    "pillar-host:host.image: Hetzner has no image debian-11 for x86 machines now, needed one of debian-12, ubuntu-22.04",
    "pillar-host:host.plan: no x86 plan cx1 in fsn1, nbg1 meets the minimums (pillar-host:host.minimums)",
    "found: no cx1",
  ]);
});

test.each([
  [
    "if a host key names an existing server",
    { hostKey: "ssh-ed25519 AAAA" },
    "active" as const,
    "To order a new server: pulumi config rm --path pillar-host:host.hostKey -s prod && pulumi up -s prod",
  ],
  [
    "while it is retiring",
    {},
    "retiring" as const,
    "there is no server of this stack at Hetzner. If the state still has one: pulumi refresh -s prod, then pulumi destroy -s prod",
  ],
])("a new stack orders nothing %s", async (_when, wish, lifecycle, line) => {
  const { said, cloud } = await decide([], undefined, wish, lifecycle);
  expect(said.at(-1)).toBe(line);
  expect(cloud.readOffers).not.toHaveBeenCalled();
});

const dear = { attempts: [], shown: { ...shown, monthly: 6 } };

test("the price limit is the price shown first plus a quarter, in every later run", async () => {
  expect((await decide([], dear)).decided).toEqual({
    faults: [
      "pillar-host:host.maxMonthly: all servers left to try cost more than 7.50 EUR a month, the cheapest 8.00 EUR: cx33 in fsn1",
      "To allow that price: pulumi config set --path pillar-host:host.maxMonthly 8 -s prod && pulumi up -s prod",
      "Or try later; that run starts with the first server again: pulumi up -s prod",
      "The price limit: the price shown first, 6.00 EUR, plus a quarter; pillar-host:host.maxMonthly sets another limit",
    ],
    isExhausted: false,
  });
  const risen = { attempts: [], shown: { ...shown, monthly: 7 } };
  expect((await decide([], risen)).decided).toMatchObject({ plan: { shown: { monthly: 7 } } });
});

test("the price limit is the configured price if there is one", async () => {
  const { said } = await decide([], dear, { maxMonthly: 20 });
  expect(said[3]).toBe("limit: no server dearer than 20.00 EUR a month is ordered (pillar-host:host.maxMonthly)");
  const refused = await decide([], undefined, { maxMonthly: 5 });
  expect(refused.said.at(-1)).toBe("The price limit: pillar-host:host.maxMonthly");
});

test.each<[Partial<CloudHostConfig>, "plan" | "faults"]>([
  [{ plan: "cpx32" }, "plan"],
  [{ minimums: { cores: 4, memoryGb: 8, diskGb: 40, bandwidthMbps: 100 } }, "plan"],
  [{ backups: true }, "plan"],
  [{ locations: ["nbg1"] }, "faults"],
])("starts anew for another plan, other minimums or backups, but not for a location: %j: %s", async (wish, result) => {
  expect((await decide([], dear, wish)).decided).toHaveProperty(result);
});

const pending = { plan: "cx33", location: "fsn1", at };
const number = "0123456789abcdef";
const sent = [{ number, at }];
const noRoom = { ...pending, reason: "error during placement (resource_unavailable)" };

test("after a failed order tries the next location for lack of room, and records it with the price shown first", async () => {
  const { decided, said } = await decide([], { attempts: [], pending: noRoom, shown });
  expect(said[0]).toBe(`sold out: cx33 in fsn1 at ${at}: ${noRoom.reason}`);
  if (!("plan" in decided) || decided.plan.kind !== "make") return expect.unreachable();
  const next = { plan: "cx33", location: "nbg1", at };
  const other = "fedcba9876543210";
  const all = [...sent, { number: other, at }];
  expect(createOrderRecord(decided.plan, new Date(at), all)).toEqual({
    attempts: [noRoom],
    pending: next,
    sent: all,
    shown,
  });
});

test.each(["server limit exceeded (resource_limit_exceeded)", "the service failed (service_error)", undefined])(
  "orders the same server again after %s, and prints the command for a state that still has it",
  async (reason) => {
    const { decided, said } = await decide([], { attempts: [], pending: { ...pending, reason }, shown });
    const offer = { plan: "cx33", location: "fsn1" };
    expect(decided).toMatchObject({ plan: { kind: "make", offer, attempts: [] } });
    expect(said.slice(0, 2)).toEqual([
      `an order failed: cx33 in fsn1 at ${at}: ${reason ?? "the run ended before the provider's answer"}`,
      "if this run fails because a server does not exist: pulumi refresh -s prod && pulumi up -s prod",
    ]);
  },
);

test("after a failed order names the server that the order left, with the provider's reason", async () => {
  const left = { ...server, failure: "resource_unavailable: no room", order: number };
  const { decided, said } = await decide([left], { attempts: [], pending, sent, shown });
  const attempts = [{ ...pending, reason: left.failure }];
  expect(decided).toMatchObject({ plan: { kind: "make", leftover: left, offer: { location: "nbg1" }, attempts } });
  expect(said[1]).toBe("server 52, which the failed order left, is removed");
  expect(said.join()).not.toContain("pulumi refresh");
});

test("after a failed order lists all attempts within the limit, and starts anew in the next run", async () => {
  const attempts = offers.slice(0, 2).map(({ plan, location }) => ({ plan, location, at, reason: "no room" }));
  const { decided } = await decide([], { attempts, shown });
  expect(decided).toMatchObject({
    faults: [
      "the provider had no room for these servers:",
      ...["cx33 in fsn1", "cx33 in nbg1"].map((place) => `${place} at ${at}: no room`),
      "pillar-host:host.maxMonthly: all servers left to try cost more than 10.00 EUR a month, the cheapest 16.00 EUR: cpx32 in fsn1",
      expect.stringContaining("host.maxMonthly 16"),
      "Or try later; that run starts with the first server again: pulumi up -s prod",
      expect.stringContaining("The price limit: the price shown first, 8.00 EUR"),
    ],
    isExhausted: true,
  });
});

test("an existing server is kept without reading the offers", async () => {
  const { decided, found, cloud } = await decide([server]);
  expect(decided).toEqual({ plan: { kind: "keep", server, found, isHalfMade: false }, lines: [], warnings: [] });
  expect(cloud.readOffers).not.toHaveBeenCalled();
});

test.each<Partial<CloudHostConfig>>([{ plan: "cpx32" }, { locations: ["hel1"] }, { image: "debian-12" }])(
  "keeps what it was made with, and warns that %j has no effect",
  async (wish) => {
    expect((await decide([server], undefined, wish)).decided).toMatchObject({
      plan: { kind: "keep" },
      warnings: [
        "server 52 was made as cx33 in fsn1 with ubuntu-22.04: another plan, location or image in pillar-host:host changes nothing on it",
      ],
    });
  },
);

test("an existing server of this order is kept after an interrupted creation, and not ordered twice", async () => {
  const made = { ...server, isProtected: false, order: number };
  const { decided } = await decide([made], { attempts: [], pending, sent });
  expect(decided).toMatchObject({
    plan: { kind: "keep", isHalfMade: true },
    warnings: ["the creation of server 52 was interrupted: the server is kept, and the next run sets its protection"],
  });
});

test.each([undefined, "fedcba9876543210"])(
  "an existing server of the order %s is neither taken over nor replaced because of a pending order",
  async (order) => {
    for (const failure of [undefined, "resource_unavailable"]) {
      const { decided } = await decide([{ ...server, failure, order }], { attempts: [], pending, sent });
      expect(decided).toMatchObject({ plan: { kind: "keep", isHalfMade: false }, warnings: [] });
    }
  },
);

test("an existing server is refused with a second server beside it, and both are named", async () => {
  const servers = [
    server,
    { ...server, id: "53", address: undefined, order: "fedcba9876543210" },
    { ...server, id: "54", order: number },
  ];
  expect((await decide(servers, { attempts: [], sent })).said).toEqual([
    "more than one server at Hetzner carries the labels of stack prod of Pillar Anvil:",
    "  52 pillar-anvil-prod, 203.0.113.7, of no order",
    "  53 pillar-anvil-prod, no address, of an order that is not known here",
    `  54 pillar-anvil-prod, 203.0.113.7, of this stack's order at ${at}`,
    "needed: delete the servers that are not this stack's host, or remove their labels, in the provider's console. One of another order may be a live Pillar.",
  ]);
});

test("looks up an adopted server by its number only", async () => {
  const { decided, cloud } = await decide([server], undefined, { importId: "52" }, "adopted");
  const lines = ["host: prod adopts server 52 (pillar-anvil-prod) at Hetzner without a change"];
  expect(decided).toMatchObject({ plan: { kind: "keep", server }, lines });
  expect(cloud.readInventory).not.toHaveBeenCalled();
  expect((await decide([server], undefined, { importId: "7" }, "adopted")).said).toEqual([
    "pillar-host:host.importId: Hetzner has no server 7 that this token can see",
  ]);
});
