import http from "node:http";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, expect, test, vi } from "vitest";
import type { Host } from "../../components/host/host.ts";
import { createLogin } from "../../components/login.ts";
import { registerCutover } from "../../components/node/cutover.ts";
import type { HostReading } from "../../components/node/nodeReading.ts";
import type { PillarNode } from "../../components/node/pillarNode.ts";
import type { LogEvent } from "../../core/eventLog/events.ts";
import type { LastRun } from "../../core/journey/outputs.ts";
import type { MoveTiming } from "../../core/journey/stackFacts.ts";
import { agreeOnPillar } from "../../core/registration/agreeOnRegistration.ts";
import { listen } from "../core/chain/fakes.ts";
import { old, ours, says } from "../core/registration/chains.ts";
import { journeyIn } from "../recordIn.ts";
import { scratchDirectory } from "../scratchDirectory.ts";
import { soon } from "../soon.ts";
import { configOf, least } from "./exampleConfig.ts";
import { type Registered, registeredBy } from "./fakeEngine.ts";

const hostKey = "ssh-ed25519 AAAA";
const synced = { synced: true, known: true, why: "synced" };
const behind = { synced: false, known: true, why: "syncing" };

const directory = scratchDirectory();
afterEach(() => void vi.restoreAllMocks());

interface Look {
  readonly registered: string;
  readonly node?: typeof synced;
  readonly restart?: "on" | "off" | undefined;
  readonly closed?: Promise<void>;
}

const seenOf = ({ registered, node = synced, restart = "off", closed = Promise.resolve() }: Look): HostReading => ({
  node: Promise.resolve(node),
  agreement: Promise.resolve(agreeOnPillar([says("the node of 203.0.113.7", registered)])),
  hourlyRestart: Promise.resolve(restart),
  version: Promise.resolve(undefined),
  setUp: Promise.resolve({ marks: { synced: "2026-01-01T00:00:00Z" }, hasUnit: true }),
  closed,
  close: () => undefined,
});

async function follow(
  seen: Look,
  changes: Record<string, unknown> = {},
  { timing = "now", last = { finished: true } }: { timing?: MoveTiming; last?: LastRun } = {},
) {
  const look = vi.fn(async () => seenOf(seen));
  const config = configOf({
    ssh: { password: "hunter2" },
    orchestrator: { backup: { directory: directory() } },
    ...changes,
  });
  const access = { ...createLogin(config), address: "203.0.113.7", hostKey };
  const host = { config, access, ready: [] } as unknown as Host;
  const gate = { syncedAt: pulumi.output("2026-01-01T00:00:00.000Z") };
  const pillar = { gate, producerAddress: pulumi.output(ours) } as unknown as PillarNode;
  const values: { shown?: unknown } = {};
  const registered = await registeredBy(() => {
    const { formatNextStep, ...outputs } = registerCutover({ host, pillar, look, last, timing });
    const shown = { ...outputs, nextStep: formatNextStep(pulumi.output(undefined)) };
    pulumi.output(shown).apply((value) => {
      values.shown = value;
    });
  });
  await soon(() => expect(values.shown).toBeDefined());
  return {
    registered,
    look,
    shown: values.shown as { registration: Record<string, unknown>; producerAddress?: string; nextStep: string[] },
    named: (name: string) => registered.find((each) => each.name === name) as Registered,
    events: journeyIn(directory(), "Anvil").map(({ event }: LogEvent) => event),
  };
}

test("registers only the crontab's guard, with one lookup for all", async () => {
  const { registered, named, look, shown, events } = await follow({ registered: old });
  expect(registered.map(({ name }) => name)).toEqual(["hourly-restart-kept-off"]);
  const { inputs } = named("hourly-restart-kept-off");
  expect(inputs).toMatchObject({ stack: "prod", address: "203.0.113.7", hostKey });
  expect(inputs).not.toHaveProperty("found");
  expect(look).toHaveBeenCalledTimes(1);
  const registration = { state: "earlier", registered: false, producing: false };
  expect(shown.registration).toEqual({ ...registration, pillar: "Anvil", address: old, earlier: old });
  expect([shown.producerAddress, events]).toEqual([ours, []]);
});

test("takes the address before this host's from an earlier run, unless that asked for another name", async () => {
  const stateAfter = async (pillar: string) => {
    const registration = { state: "earlier" as const, registered: false, earlier: "z1qbefore", pillar };
    return (await follow({ registered: old }, {}, { last: { finished: true, registration } })).shown.registration.state;
  };
  expect([await stateAfter("Anvil"), await stateAfter("Anvill")]).toEqual(["foreign", "earlier"]);
});

test("gives an hourly restart that is on as an input, another one in each run", async () => {
  const { named } = await follow({ registered: old, restart: "on" });
  expect(named("hourly-restart-kept-off").inputs.found).toMatch(/^\d{4}-\d\d-\d\dT/);
});

test("shows an address while the node is behind only if it is registered, and logs that once", async () => {
  const first = await follow({ registered: ours, node: behind });
  expect(first.shown.registration).toMatchObject({ state: "tooEarly", registered: true, address: ours });
  expect(first.shown.producerAddress).toBe(ours);
  expect(first.events).toEqual(["registered", "registeredTooEarly"]);
  expect((await follow({ registered: ours })).events).toEqual(["registered", "registeredTooEarly"]);
  expect((await follow({ registered: old, node: behind })).shown.producerAddress).toBeUndefined();
});

test("shows no address for the wallet while the orchestrator has to move first", async () => {
  for (const timing of ["later", "unwatched"] as const)
    expect((await follow({ registered: old }, {}, { timing })).shown.producerAddress).toBeUndefined();
  expect((await follow({ registered: ours }, {}, { timing: "later" })).shown.producerAddress).toBe(ours);
});

test("adds the ways back of a node that is behind, by the host's mark, and asks to remove a confirmation", async () => {
  const silent = { synced: false, known: false, why: "no answer" };
  const at = `sync.copyAgain ${Date.parse("2026-01-01T00:00:00Z") / 1000} -s prod`;
  expect((await follow({ registered: ours, node: silent })).shown.nextStep.join()).toContain(at);
  const sync = { ...least.sync, copyAgain: 7 };
  const left = (await follow({ registered: ours }, { sync })).shown.nextStep.at(-1);
  expect(left).toContain("Remove it: pulumi config rm --path pillar-host:sync.copyAgain -s prod");
  expect((await follow({ registered: ours })).shown.nextStep.join()).not.toContain("copyAgain");
});

test("notifies the webhook of the registration once; neither notifies nor logs in a preview", async () => {
  const told: string[] = [];
  const hook = await listen(
    http.createServer(async (request, response) => {
      told.push(JSON.parse(Buffer.concat(await request.toArray()).toString()).title);
      response.end();
    }),
  );
  const changes = { notify: `http://127.0.0.1:${hook.port}/s3cret` };
  const dry = vi.spyOn(pulumi.runtime, "isDryRun").mockReturnValue(true);
  expect((await follow({ registered: ours }, changes)).events).toEqual([]);
  dry.mockRestore();
  await follow({ registered: ours }, changes);
  await follow({ registered: ours }, changes);
  await hook.close();
  expect(told).toEqual(["Pillar Anvil (prod): registered"]);
});

test("asks for more momentums only after the first readings, whose end closes the connection", async () => {
  let isClosed = false;
  const closed = new Promise<void>((resolve) => setTimeout(resolve, 300)).then(() => {
    isClosed = true;
  });
  await follow({ registered: ours, closed });
  expect(isClosed).toBe(true);
});
