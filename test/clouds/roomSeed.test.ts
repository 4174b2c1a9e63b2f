import { expect, test } from "vitest";
import { seedFiles } from "../../lab/clouds/room/seed";
import { Turns } from "../../lab/clouds/room/turns";

const order = { id: "h1", name: "prod-2", image: "debian-11", userData: "#cloud-config\n{}\n", sshKeys: [] };

test("puts the unchanged user data, the server's name and keys into cloud-init's seed", () => {
  const files = seedFiles({ ...order, sshKeys: ["ssh-ed25519 AAAA one\n", "ssh-ed25519 BBBB two"] });
  expect(Object.keys(files)).toEqual(["var/lib/cloud/seed/nocloud/user-data", "var/lib/cloud/seed/nocloud/meta-data"]);
  const [userData, metaData = ""] = Object.values(files);
  expect(userData).toBe(order.userData);
  expect(JSON.parse(metaData)).toEqual({
    "instance-id": "i-h1",
    "local-hostname": "prod-2",
    "public-keys": ["ssh-ed25519 AAAA one", "ssh-ed25519 BBBB two"],
  });
});

test("makes each server a new instance, so that its first boot counts as one", () => {
  const metaData = (id: string) => Object.values(seedFiles({ ...order, id }))[1];
  expect(metaData("h2")).not.toBe(metaData("h1"));
});

test("actions on one machine run in turn, after a failure too; other machines do not wait", async () => {
  const turns = new Turns();
  const seen: string[] = [];
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const first = turns.take("a", async () => {
    await gate;
    seen.push("a1");
    throw new Error("a1 failed");
  });
  const second = turns.take("a", async () => seen.push("a2"));
  await turns.take("b", async () => seen.push("b1"));
  open();
  await expect(first).rejects.toThrow("a1 failed");
  await second;
  expect(seen).toEqual(["b1", "a1", "a2"]);
});
