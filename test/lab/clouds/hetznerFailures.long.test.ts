import { afterEach, describe, expect, test } from "vitest";
import { linesOf } from "../fixture";
import { hetznerStage, READ_ONLY } from "./hetznerStage";
import { type OrderFaults, passing, refused } from "./orderFaults";
import { vanish } from "./vanish";

// As hetznerFailures.test.ts, what comes to pass less often.

const stage = hetznerStage();
const { servers, anew } = stage;

afterEach(() => stage.hetzner.cloud.faults.clear());

const goneAdvice = "should this run end in an error about a server that is not there: pulumi refresh, then pulumi up";

test("a token that can only read is refused before anything is made", async () => {
  await stage.cloud.stack.pulumi(["config", "set", "--secret", "--path", "pillar-host:host.token"], {
    input: READ_ONLY,
  });
  const { output, exitCode } = await stage.cloud.stack.preview();
  await stage.cloud.configure({});
  expect(exitCode).not.toBe(0);
  expect(linesOf(output)).toContain(
    "error: The host of stack prod cannot be had from Hetzner; nothing was changed:\n" +
      "pillar-host:host.token: Hetzner answered 403 (",
  );
  expect(output).not.toMatch(/rrrr| at \//);
  expect(stage.hetzner.requests.filter(({ status, method }) => method !== "GET" && status < 400)).toEqual([]);
});

test("a creation that does not end is given up in time; deleted in the console, the run says what to type", async () => {
  await stage.cloud.configure({}, { startTimeout: "3s" });
  stage.hetzner.cloud.faults.add({ kind: "slowAction", command: "create_server", seconds: 60 });
  const first = await stage.cloud.upToServer();
  expect(first.exitCode).not.toBe(0);
  expect(first.output).toContain("context deadline exceeded");
  expect(servers().length).toBe(1);

  stage.hetzner.cloud.faults.clear();
  vanish(stage.hetzner);
  await stage.cloud.configure({});
  const second = await stage.cloud.upToServer();
  expect(second.exitCode).not.toBe(0);
  expect(second.output).toContain(goneAdvice);
  await stage.cloud.refresh();
  const third = await stage.cloud.upToServer();
  expect(third.exitCode, third.output).toBe(0);
  expect(servers().length).toBe(1);
  await anew();
});

test("nowhere: the error lists what was tried, and the next run begins anew", async () => {
  await stage.cloud.configure({}, { plan: "cpx32" });
  stage.hetzner.cloud.faults.add({ kind: "noCapacity", shows: "create" });
  await stage.cloud.upToServer();
  await stage.cloud.upToServer();
  const { output, exitCode } = await stage.cloud.upToServer();
  expect(exitCode).not.toBe(0);
  expect(linesOf(output)).toMatch(
    /the provider had no room for what was tried:\ncpx32 in fsn1 at .*\ncpx32 in nbg1 at .*\nAdd locations/,
  );
  expect(await stage.cloud.record()).toEqual({ attempts: [], shown: expect.objectContaining({ monthly: 41.04 }) });
  await anew();
});

describe("faults of the API in the plugin's own calls", () => {
  const faults: OrderFaults = {
    cloud: () => stage.cloud,
    path: "/servers",
    counts: async () => [servers().length, stage.hetzner.cloud.firewalls.size, stage.hetzner.cloud.sshKeys.size],
  };

  test("403 and 503: each ends the run in the provider's words, and makes no server", () => refused(faults));

  test("429 passes; an answer to the order that is lost: one server, taken over by the next run", async () => {
    await passing(faults, [429]);
    stage.hetzner.cloud.faults.add({ kind: "cutAnswer", method: "POST", path: "/servers", done: true, times: 1 });
    const first = await stage.cloud.upToServer();
    expect(first.exitCode, first.output).not.toBe(0);
    const orders = stage.hetzner.requests.filter(({ method, path }) => method === "POST" && path === "/v1/servers");
    expect(orders.slice(-2).map(({ status }) => status)).toEqual([429, 0]);
    const made = servers().map(({ id }) => id);
    expect(made.length).toBe(1);
    const second = await stage.cloud.upToServer();
    expect(second.exitCode, second.output).toBe(0);
    expect(servers().map(({ id }) => id)).toEqual(made);
    expect((await stage.cloud.upToServer()).exitCode).toBe(0);
    expect(servers()[0]?.protection).toEqual({ delete: true, rebuild: true });
  });
});
