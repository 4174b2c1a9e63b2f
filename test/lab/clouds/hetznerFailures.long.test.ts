import { expect, test } from "vitest";
import { expectFailure, expectSuccess } from "../fixture";
import { adoptForeign, cloudStage, until } from "./cloudStack";

// The real engine and the plugin against the API on loopback, with its faults.

const stage = cloudStage("hetzner", ["fsn1", "nbg1"]);

test("without capacity for the chosen server, the run says what comes next; the next run does it", async () => {
  stage.cloud.account.faults.add({ kind: "noCapacity", location: "fsn1", shows: "create" });
  const first = await expectFailure(stage.upToServer());
  expect(first).toContain("the next run tries cx33 in nbg1");
  expect(first).toContain("warning: Hetzner has no room for cx33 in fsn1 (");
  const pending = { plan: "cx33", location: "fsn1", reason: expect.stringContaining("(resource_unavailable") };
  expect(await stage.record()).toMatchObject({ attempts: [], pending });
  expect(stage.servers()).toEqual([]);

  const second = await expectSuccess(stage.upToServer());
  expect(second).toMatch(/sold out: cx33 in fsn1 at 20/);
  expect(stage.servers()).toMatchObject([{ location: "nbg1" }]);
  expect(await stage.record()).toMatchObject({ attempts: [], ordered: expect.any(String) });
  await stage.anew();
});

test("an engine killed while it orders leads to one server, taken over and protected by the next run", async () => {
  stage.cloud.account.faults.add({ kind: "slowAction", command: "create_server" });
  await stage.killUpToServer(() => stage.servers().length > 0);
  stage.cloud.account.faults.clear();
  const [{ id } = { id: 0 }] = stage.servers();

  const second = await expectSuccess(stage.upToServer());
  expect(second).toContain(`the creation of server ${id} was interrupted: the server is kept`);
  // A plugin that outlived its engine may still change the server, which the provider then locks.
  await until(() => stage.servers().every((server) => !stage.cloud.account.isBusy(server)));
  await expectSuccess(stage.upToServer());
  expect(stage.servers()).toMatchObject([{ id, isProtected: true }]);
  await stage.anew();
});

test("replaces a half-created server, and ends with exactly one", async () => {
  stage.cloud.account.faults.add({ kind: "noCapacity", location: "fsn1", shows: "action" });
  await expectFailure(stage.upToServer());
  await expectSuccess(stage.upToServer());
  expect(stage.servers()).toMatchObject([{ location: "nbg1", isProtected: true }]);
  expect((await stage.upToServer()).output).toMatch(/\d+ unchanged/);
  expect((await stage.stack.destroy()).output).toContain("because it is protected");
  await stage.anew();
});

test("removes what a failed order left after the engine was killed, although the state does not know it", async () => {
  const slow = stage.cloud.account.faults.add({ kind: "slowAction", command: "create_server" });
  stage.cloud.account.faults.add({ kind: "noCapacity", location: "fsn1", shows: "action" });
  await stage.killUpToServer(() => stage.servers().length > 0);
  stage.cloud.account.faults.clear(slow);
  const [left] = stage.servers();
  await until(() => left?.status === "off");
  const up = await expectSuccess(stage.upToServer());
  expect(up).toContain(`server ${left?.id}, which the failed order left, is removed`);
  expect(stage.servers()).toMatchObject([{ location: "nbg1" }]);
  await stage.anew();
});

test("ends with the provider's words after a 403, and creates no server", async () => {
  const message = "the lab's own 403";
  stage.cloud.account.faults.add({ kind: "answer", method: "POST", path: "/servers", status: 403, message });
  const output = await expectFailure(stage.upToServer());
  stage.cloud.account.faults.clear();
  expect(output).toContain(message);
  for (const secret of [stage.cloud.token, "PRIVATE KEY", "ssh_deletekeys"]) expect(output).not.toContain(secret);
  // The error does not mean a lack of room: the same server is ordered again.
  const { attempts, pending } = (await stage.record()) ?? { attempts: [] };
  expect([attempts, pending?.reason]).toEqual([[], expect.stringContaining(message)]);
  // Resources from before the server stay, and are made once.
  expect(stage.left()).toEqual([0, 1, 1, 0]);
});

test("a lost answer to the order leads to one server, which the next run takes over", async () => {
  stage.cloud.account.faults.add({ kind: "cutAnswer", method: "POST", path: "/servers", times: 1 });
  await expectFailure(stage.upToServer());
  const [made] = stage.servers();
  expect(stage.servers()).toHaveLength(1);
  await expectSuccess(stage.upToServer());
  await expectSuccess(stage.upToServer());
  expect(stage.servers()).toMatchObject([{ id: made?.id, isProtected: true }]);
  await stage.anew();
});

test("adopts a server that somebody else created, and keeps it while no other host produces", () =>
  adoptForeign(stage, "/servers", {
    name: "old-pillar",
    server_type: "cpx32",
    image: "debian-12",
    location: "hel1",
    labels: { mine: "yes" },
  }));
