import { afterEach, expect, test } from "vitest";
import { hetznerStage, TOKEN } from "./hetznerStage";
import { vanish } from "./vanish";

// Rarer failures than those of hetznerFailures.test.ts.

const stage = hetznerStage();
const { servers, anew } = stage;

afterEach(() => stage.hetzner.cloud.faults.clear());

const goneAdvice = "if this run fails because a server does not exist: pulumi refresh -s prod && pulumi up -s prod";

test("a creation that does not end times out; once deleted in the console, the run says what to type", async () => {
  await stage.cloud.configure({}, { startTimeout: "3s" });
  stage.hetzner.cloud.faults.add({ kind: "slowAction", command: "create_server" });
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

test("replaces a half-created server, and ends with exactly one", async () => {
  stage.hetzner.cloud.faults.add({ kind: "noCapacity", location: "fsn1", shows: "action" });
  const first = await stage.cloud.upToServer();
  expect(first.exitCode).not.toBe(0);

  const second = await stage.cloud.upToServer();
  expect(second.exitCode, second.output).toBe(0);
  expect(servers().map(({ place, protection }) => [place, protection])).toEqual([
    ["nbg1", { delete: true, rebuild: true }],
  ]);
  const third = await stage.cloud.upToServer();
  expect(third.output).toMatch(/\d+ unchanged/);
  const destroy = await stage.cloud.stack.destroy();
  expect(destroy.output).toContain("because it is protected");
  await anew();
});

test("removes what a failed order left after the engine was killed, although the state does not know it", async () => {
  const slow = stage.hetzner.cloud.faults.add({ kind: "slowAction", command: "create_server" });
  stage.hetzner.cloud.faults.add({ kind: "noCapacity", location: "fsn1", shows: "action" });
  await stage.cloud.killUpToServer(() => servers().length > 0);
  stage.hetzner.cloud.faults.clear(slow);
  const before = servers().map(({ id }) => id);
  // Its actions advance only when somebody polls them.
  const shown = async () => (await fetch(`${stage.cloud.url}/v1/servers/${before[0]}`, { headers })).json();
  const headers = { authorization: `Bearer ${TOKEN}` };
  await expect.poll(shown).toMatchObject({ server: { status: "off" } });
  const up = await stage.cloud.upToServer();
  expect(up.exitCode, up.output).toBe(0);
  expect(up.output).toContain(`server ${before[0]}, which the failed order left, is removed`);
  expect(servers().map(({ place }) => place)).toEqual(["nbg1"]);
  await anew();
});

test("ends with the provider's words after a 403 or 503, and creates no server", async () => {
  for (const status of [403, 503]) {
    const message = `the lab's own ${status}`;
    stage.hetzner.cloud.faults.add({ kind: "answer", method: "POST", path: "/servers", status, message });
    const { output, exitCode } = await stage.cloud.upToServer();
    stage.hetzner.cloud.faults.clear();
    expect(exitCode, output).not.toBe(0);
    expect(output).toContain(message);
    expect(output).not.toMatch(/PRIVATE KEY|ssh_deletekeys|wwww/);
    // The error does not mean a lack of room: the same server is ordered again.
    const { attempts, pending } = (await stage.cloud.record()) ?? { attempts: [] };
    expect([attempts, pending?.reason]).toEqual([[], expect.stringContaining(message)]);
    // Resources from before the server stay, and are made once.
    const { firewalls, sshKeys } = stage.hetzner.cloud;
    expect([servers().length, firewalls.size, sshKeys.size]).toEqual([0, 1, 1]);
  }
});

test("a lost answer to the order leads to one server, which the next run takes over", async () => {
  stage.hetzner.cloud.faults.add({ kind: "cutAnswer", method: "POST", path: "/servers", times: 1 });
  const first = await stage.cloud.upToServer();
  expect(first.exitCode, first.output).not.toBe(0);
  const made = servers().map(({ id }) => id);
  expect(made.length).toBe(1);
  const second = await stage.cloud.upToServer();
  expect(second.exitCode, second.output).toBe(0);
  expect(servers().map(({ id }) => id)).toEqual(made);
  expect((await stage.cloud.upToServer()).exitCode).toBe(0);
  expect(servers()[0]?.protection).toEqual({ delete: true, rebuild: true });
});
