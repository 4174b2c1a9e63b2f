import { expect, test } from "vitest";
import { expectFailure, expectSuccess } from "../fixture";
import { cloudStage, until } from "./cloudStack";

// Rarer failures than those of hetznerFailures.test.ts.

const stage = cloudStage("hetzner", ["fsn1", "nbg1"]);
const servers = () => stage.servers();

test("replaces a half-created server, and ends with exactly one", async () => {
  stage.cloud.account.faults.add({ kind: "noCapacity", location: "fsn1", shows: "action" });
  await expectFailure(stage.upToServer());
  await expectSuccess(stage.upToServer());
  expect(servers()).toMatchObject([{ location: "nbg1", isProtected: true }]);
  expect((await stage.upToServer()).output).toMatch(/\d+ unchanged/);
  expect((await stage.stack.destroy()).output).toContain("because it is protected");
  await stage.anew();
});

test("removes what a failed order left after the engine was killed, although the state does not know it", async () => {
  const slow = stage.cloud.account.faults.add({ kind: "slowAction", command: "create_server" });
  stage.cloud.account.faults.add({ kind: "noCapacity", location: "fsn1", shows: "action" });
  await stage.killUpToServer(() => servers().length > 0);
  stage.cloud.account.faults.clear(slow);
  const [left] = servers();
  await until(() => left?.status === "off");
  const up = await expectSuccess(stage.upToServer());
  expect(up).toContain(`server ${left?.id}, which the failed order left, is removed`);
  expect(servers()).toMatchObject([{ location: "nbg1" }]);
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
  const [made] = servers();
  expect(servers()).toHaveLength(1);
  await expectSuccess(stage.upToServer());
  await expectSuccess(stage.upToServer());
  expect(servers()).toMatchObject([{ id: made?.id, isProtected: true }]);
});
