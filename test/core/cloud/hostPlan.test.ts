import { describe, expect, test } from "vitest";
import type { Offer } from "../../../core/cloud/chooseOffer";
import type { Cloud, CloudInventory, ServerNow } from "../../../core/cloud/cloud";
import { hetznerNoRoom } from "../../../core/cloud/hetzner";
import { createOrderRecord, type HostSituation, planHost } from "../../../core/cloud/hostPlan";
import type { CloudHostConfig } from "../../../core/config/hostSchema";

const offer = (plan: string, location: string, monthly: number): Offer => ({
  plan,
  location,
  monthly,
  cores: 4,
  memoryGb: 8,
  diskGb: 80,
  currency: "EUR",
  isAvailable: true,
});
const offers = [offer("cx33", "fsn1", 8), offer("cx33", "nbg1", 8), offer("cpx32", "fsn1", 16)];
const server: ServerNow = {
  id: "52",
  name: "pillar-anvil-prod",
  plan: "cx33",
  location: "fsn1",
  image: "ubuntu-22.04",
  address: "203.0.113.7",
  isProtected: true,
};
const host: CloudHostConfig = {
  provider: "hetzner",
  token: "hunter2",
  locations: ["fsn1", "nbg1"],
  plan: "auto",
  image: "ubuntu-22.04",
  sshFrom: [],
  backups: false,
  acceptDistributions: [],
  startTimeout: 900_000,
  minimums: { cores: 4, memoryGb: 4, diskGb: 40, bandwidthMbps: 100 },
};
const shown = { wish: "hetzner, auto, 4 cores, 4 GB, 40 GB", monthly: 8, currency: "EUR" };
const at = "2026-11-21T14:00:00.000Z";
const now = Date.parse(at) + 60_000;

/** What is decided with these servers at the provider, and what the provider was asked for. */
async function decide(
  servers: readonly ServerNow[],
  changes: Partial<HostSituation> = {},
  wish: Partial<CloudHostConfig> = {},
) {
  const asked: string[] = [];
  const note = <T>(what: string, answer: T) => {
    asked.push(what);
    return Promise.resolve(answer);
  };
  const found: CloudInventory = { servers };
  const cloud: Cloud = {
    provider: "Hetzner",
    readOffers: () => note("offers", offers),
    readImages: () => note("images", ["ubuntu-22.04", "debian-12"]),
    readInventory: () => note("found", found),
    readServer: (id) =>
      note(
        `server ${id}`,
        servers.find((each) => each.id === id),
      ),
    checkRights: () => note("rights", undefined),
    isNoRoom: (words) => hetznerNoRoom.test(words),
    limits: "its console",
    describeConsole: () => expect.unreachable(),
    makeRoom: () => expect.unreachable(),
    remove: () => expect.unreachable(),
  };
  const decided = await planHost({
    cloud,
    host: { ...host, ...wish } as CloudHostConfig,
    lifecycle: "active",
    stack: "prod",
    pillar: "Anvil",
    publicKey: undefined,
    record: { attempts: [] },
    now,
    ...changes,
  });
  return { decided, asked, found };
}

describe("a new stack", () => {
  test("gets the choice, in a fixed order of lines", async () => {
    const { decided, found } = await decide([]);
    expect(decided).toEqual({
      plan: { kind: "make", offer: offers[0], found, attempts: [], shown, leftover: undefined },
      lines: [
        "host: a server at Hetzner, cx33 in fsn1: 4 cores, 8 GB of memory, 80 GB of disk, 8.00 EUR a month; image ubuntu-22.04",
        "ideal for the initial sync: 8 cores and 16 GB of memory (host.minimums); with less it takes longer",
        "runner-up: cpx32 in fsn1: 4 cores, 8 GB of memory, 80 GB of disk, 16.00 EUR a month; dearer than the limit",
        "limit: no server dearer than 10.00 EUR a month is ordered (the 8.00 EUR that were shown first and a quarter; pillar-host:host.maxMonthly sets another)",
        "should the provider have no room for it, the next run tries cx33 in nbg1 (8.00 EUR a month)",
      ],
      warnings: [],
    });
  });

  test("is refused an image that is not offered, beside what else is wrong", async () => {
    const { decided } = await decide([], {}, { image: "debian-11", plan: "cx1" });
    expect(decided).toMatchObject({
      faults: [
        "pillar-host:host.image: Hetzner has no image debian-11 for x86 machines now, needed one of debian-12, ubuntu-22.04",
        "pillar-host:host.plan: cx1 is no x86 plan that the provider sells now",
      ],
    });
  });

  test("makes nothing in place of a server that was to be taken over by its key", async () => {
    const { decided, asked } = await decide([], {}, { hostKey: "ssh-ed25519 AAAA" });
    expect(decided).toEqual({
      faults: [
        "pillar-host:host.hostKey: it is for a server that is there already, and Hetzner has none of stack prod",
        "To have one made: pulumi config rm --path pillar-host:host.hostKey -s prod && pulumi up -s prod",
      ],
    });
    expect(asked).toEqual(["found"]);
  });

  test("makes nothing when it is retiring", async () => {
    const { decided, asked } = await decide([], { lifecycle: "retiring" });
    expect(decided).toMatchObject({
      plan: { kind: "gone" },
      lines: [
        "there is no server of this stack at Hetzner. Where the state still knows one: pulumi refresh -s prod, then pulumi destroy -s prod",
      ],
    });
    expect(asked).toEqual(["found"]);
  });
});

describe("the price", () => {
  const dear = { attempts: [], shown: { ...shown, monthly: 6 } };

  test("that was shown first, and a quarter, is the limit, however often it is looked at again", async () => {
    expect((await decide([], { record: dear })).decided).toEqual({
      faults: [
        "pillar-host:host.maxMonthly: what is left costs more than 7.50 EUR a month, the cheapest 8.00 EUR: cx33 in fsn1",
        "To allow it: pulumi config set --path pillar-host:host.maxMonthly 8 -s prod && pulumi up -s prod",
        "Or later, which begins with the first one again: pulumi up -s prod",
        "The limit: the 6.00 EUR that were shown first and a quarter; pillar-host:host.maxMonthly sets another",
      ],
      isExhausted: false,
    });
    const risen = { attempts: [], shown: { ...shown, monthly: 7 } };
    expect((await decide([], { record: risen })).decided).toMatchObject({ plan: { shown: { monthly: 7 } } });
  });

  test("that is configured is the limit instead", async () => {
    const { decided } = await decide([], { record: dear }, { maxMonthly: 20 });
    expect(decided).toMatchObject({ plan: { offer: offers[0] } });
    expect("lines" in decided && decided.lines[3]).toBe(
      "limit: no server dearer than 20.00 EUR a month is ordered (pillar-host:host.maxMonthly)",
    );
    expect((await decide([], {}, { maxMonthly: 5 })).decided).toMatchObject({
      faults: [
        "pillar-host:host.maxMonthly: what is left costs more than 5.00 EUR a month, the cheapest 8.00 EUR: cx33 in fsn1",
        "To allow it: pulumi config set --path pillar-host:host.maxMonthly 8 -s prod && pulumi up -s prod",
        "Or later, which begins with the first one again: pulumi up -s prod",
        "The limit: pillar-host:host.maxMonthly",
      ],
    });
  });

  test("is shown anew for another plan, other minimums or backups, which are the operator's word; not for another location", async () => {
    const limited = (wish: Partial<CloudHostConfig>) => decide([], { record: dear }, wish);
    const minimums = { ...host.minimums, memoryGb: 8 };
    for (const wish of [{ plan: "cpx32" }, { minimums }, { backups: true }])
      expect((await limited(wish)).decided).toMatchObject({ plan: { kind: "make" } });
    expect((await limited({ locations: ["nbg1"] })).decided).toHaveProperty("faults");
  });
});

describe("after an order that came to nothing", () => {
  const pending = { plan: "cx33", location: "fsn1", at };
  const noRoom = { ...pending, reason: "error during placement (resource_unavailable)" };

  test("for want of room, the next location is tried, and it is said why", async () => {
    const { decided } = await decide([], { record: { attempts: [], pending: noRoom, shown } });
    expect(decided).toMatchObject({ plan: { kind: "make", offer: { location: "nbg1" } } });
    expect("lines" in decided && decided.lines[0]).toBe(`no room: cx33 in fsn1 at ${at}: ${noRoom.reason}`);
  });

  test.each([
    ["a quota", "server limit exceeded (resource_limit_exceeded)"],
    ["a token's rights", "insufficient permissions for this request (forbidden)"],
    ["a fault of the API", "the service failed (service_error)"],
    ["a reason that nobody heard", undefined],
  ])("for %s, the same is ordered again", async (_what, reason) => {
    const { decided } = await decide([], { record: { attempts: [], pending: { ...pending, reason }, shown } });
    expect(decided).toMatchObject({ plan: { kind: "make", offer: { plan: "cx33", location: "fsn1" }, attempts: [] } });
    expect("lines" in decided && decided.lines[0]).toBe(
      `the order of cx33 in fsn1 at ${at} failed: ${reason ?? "the run ended before it heard why"}`,
    );
  });

  test("where it left nothing, the state may know a server that is gone: what to type then is said", async () => {
    const advice =
      "should this run end in an error about a server that is not there: pulumi refresh -s prod && pulumi up -s prod";
    const linesOf = async (servers: readonly ServerNow[], record: HostSituation["record"]) => {
      const { decided } = await decide(servers, { record });
      return "lines" in decided ? decided.lines : [];
    };
    expect(await linesOf([], { attempts: [], pending })).toContain(advice);
    expect(await linesOf([{ ...server, failure: "no room" }], { attempts: [], pending })).not.toContain(advice);
    expect(await linesOf([], { attempts: [] })).not.toContain(advice);
  });

  test("what it left is named, with the provider's own reason", async () => {
    const left = { ...server, failure: "resource_unavailable: no room" };
    const { decided } = await decide([left], { record: { attempts: [], pending, shown } });
    expect(decided).toMatchObject({
      plan: {
        kind: "make",
        leftover: left,
        offer: { location: "nbg1" },
        attempts: [{ ...pending, reason: "resource_unavailable: no room" }],
      },
    });
    expect("lines" in decided && decided.lines[1]).toBe("what that left is removed: server 52");
  });

  test("with all tried that it may cost, the error lists them, and the next run begins anew", async () => {
    const attempts = offers.slice(0, 2).map(({ plan, location }) => ({ plan, location, at, reason: "no room" }));
    const { decided } = await decide([], { record: { attempts, shown } });
    expect(decided).toMatchObject({
      faults: [
        "the provider had no room for what was tried:",
        ...["cx33 in fsn1", "cx33 in nbg1"].map((place) => `${place} at ${at}: no room`),
        "pillar-host:host.maxMonthly: what is left costs more than 10.00 EUR a month, the cheapest 16.00 EUR: cpx32 in fsn1",
        expect.stringContaining("host.maxMonthly 16"),
        "Or later, which begins with the first one again: pulumi up -s prod",
        expect.stringContaining("The limit: the 8.00 EUR"),
      ],
      isExhausted: true,
    });
  });

  test("an order is written down with what failed before it, and the price that was shown", async () => {
    const { decided } = await decide([], { record: { attempts: [], pending: noRoom, shown } });
    if (!("plan" in decided) || decided.plan.kind !== "make") return expect.unreachable();
    const record = createOrderRecord(decided.plan, new Date(now));
    expect(record.pending).toEqual({ plan: "cx33", location: "nbg1", at: new Date(now).toISOString() });
    expect(record.attempts).toMatchObject([pending]);
    expect(record.shown).toEqual(shown);
  });
});

describe("a server that is there", () => {
  test("is kept without a look at the market", async () => {
    const { decided, asked, found } = await decide([server]);
    expect(decided).toEqual({ plan: { kind: "keep", server, found, isHalfMade: false }, lines: [], warnings: [] });
    expect(asked).toEqual(["found"]);
  });

  test("keeps what it was made with, and says what is configured in vain", async () => {
    const { decided } = await decide([server], {}, { plan: "cpx32", locations: ["hel1"], image: "debian-12" });
    const kept = "nothing is changed on a live host";
    expect(decided).toMatchObject({
      plan: { kind: "keep" },
      warnings: [
        `pillar-host:host.plan is cpx32, the server was made with cx33: ${kept}`,
        `pillar-host:host.locations is hel1, the server was made with fsn1: ${kept}`,
        `pillar-host:host.image is debian-12, the server was made with ubuntu-22.04: ${kept}`,
      ],
    });
  });

  test("whose creation was cut off is taken over, never made twice", async () => {
    const pending = { plan: "cx33", location: "fsn1", at };
    const { decided } = await decide([{ ...server, isProtected: false }], { record: { attempts: [], pending } });
    expect(decided).toMatchObject({
      plan: { kind: "keep", isHalfMade: true },
      warnings: ["the creation of server 52 was cut off: it is taken over, and the next run sets its protection"],
    });
  });

  test("is never taken for what a failed order left, where no order is on its way", async () => {
    const { decided } = await decide([{ ...server, failure: "resource_unavailable" }]);
    expect(decided).toMatchObject({ plan: { kind: "keep" } });
  });

  test("twice is refused, with both", async () => {
    const { decided } = await decide([server, { ...server, id: "53", address: undefined }]);
    expect(decided).toEqual({
      faults: [
        "more than one server at Hetzner carries the labels of stack prod of Pillar Anvil:",
        "  52 pillar-anvil-prod in fsn1, 203.0.113.7",
        "  53 pillar-anvil-prod in fsn1, no address",
        "needed: one. Delete what is not this stack's host, or take its labels away, in the provider's console.",
      ],
    });
  });
});

test("an adopted server is looked up by its number alone", async () => {
  const there = await decide([server], { lifecycle: "adopted" }, { importId: "52" });
  expect(there.decided).toMatchObject({ plan: { kind: "keep", server } });
  expect(there.asked).toEqual(["server 52"]);
  const said = async (lifecycle: "adopted" | "retiring") =>
    (await decide([server], { lifecycle }, { importId: "52" })).decided;
  expect(await said("adopted")).toMatchObject({
    lines: ["host: server 52 (pillar-anvil-prod) at Hetzner is taken over by prod as it is"],
  });
  // Its node is shut down in this run.
  expect(await said("retiring")).toMatchObject({
    lines: ["host: server 52 (pillar-anvil-prod) at Hetzner is taken over by prod as it is"],
  });
  const { decided } = await decide([server], { lifecycle: "adopted" }, { importId: "7" });
  expect(decided).toEqual({
    faults: ["pillar-host:host.importId: Hetzner has no server 7 that this token can see"],
  });
});
