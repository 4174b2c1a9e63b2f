import { expect, test } from "vitest";
import { createKeyPair } from "../../../providers/hostKey.ts";
import { expectFailure, expectSuccess, linesOf } from "../fixture.ts";
import { adoptForeign, cloudStage, destroyAll, until } from "./cloudStack.ts";

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
  expect(await stage.record()).toEqual({ attempts: [], sent: [expect.anything(), expect.anything()] });
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

test("replaces a half-created server, and ends with exactly one, which has the backups that were asked for", async () => {
  await stage.configure({}, { backups: true });
  stage.cloud.account.faults.add({ kind: "noCapacity", location: "fsn1", shows: "action" });
  await expectFailure(stage.upToServer());
  await expectSuccess(stage.upToServer());
  expect(stage.servers()).toMatchObject([{ location: "nbg1", isProtected: true, backups: "daily" }]);
  expect((await stage.upToServer()).output).toMatch(/\d+ unchanged/);
  expect((await stage.stack.destroy()).output).toContain("because it is protected");
  await stage.anew();
});

test("a creation that does not end times out, and the next runs continue it", async () => {
  await stage.configure({}, { startTimeout: "8s" });
  stage.cloud.account.faults.add({ kind: "slowAction", command: "create_server" });
  const first = linesOf(await expectFailure(stage.upToServer()));
  // The plugin adds the request that was at work, or the actions that it waited for.
  expect(first).toMatch(
    /Hetzner did not finish cx33 in fsn1 in time \([^\n]*context deadline exceeded[^\n]*\)\nIn some minutes: pulumi up -s prod\n/,
  );
  const [{ id } = { id: 0 }] = stage.servers();
  stage.cloud.account.faults.clear();
  await until(() => stage.servers()[0]?.status === "running");
  await expectSuccess(stage.upToServer());
  await expectSuccess(stage.upToServer());
  expect(stage.servers()).toMatchObject([{ id, isProtected: true }]);
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
  expect(stage.servers()).toHaveLength(1);
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

test("a destroy after a killed order refuses until the running server is known", async () => {
  stage.cloud.account.faults.add({ kind: "slowAction", command: "create_server" });
  await stage.killUpToServer(() => stage.servers().length > 0);
  stage.cloud.account.faults.clear();
  const [{ id } = { id: 0 }] = stage.servers();
  await until(() => stage.servers()[0]?.status === "running");
  const refused = linesOf(await expectFailure(stage.stack.destroy(["--skip-preview"])));
  expect(refused).toContain(
    "a server with the labels of stack prod is at Hetzner, and this state does not have it: key and firewall stay",
  );
  expect(refused).toMatch(new RegExp(`found: ${id} pillar-anvil-prod, [0-9.]+, of this stack's order at 20\\S+\n`));
  expect(stage.left()).toEqual([1, 1, 1, 0]);
  // As the refusal says: the next run takes the server over.
  await stage.stack.pulumi(["refresh", "--yes", "--skip-preview", "--clear-pending-creates"]);
  await expectSuccess(stage.upToServer());
  expect(stage.servers()).toMatchObject([{ id }]);
  // Without a reference it is unknown whether a node on a server that no run logged in to is registered.
  await stage.configure({ lifecycle: "retiring", retirement: {} });
  const unknown = linesOf(await expectFailure(stage.stack.up(["--skip-preview"])));
  expect(unknown).toMatch(
    /this stack never logged in to [0-9.]+, and the registered address of Anvil may be of a node there\nfound: no node was asked\nneeded: name a node to ask: pulumi config set --path 'pillar-host:retirement.references\[0\]' URL -s prod && pulumi up -s prod;/,
  );
  await destroyAll(stage);
  await stage.anew();
});

test("a server that another machine ordered is neither taken over nor deleted because of a failed order here", async () => {
  stage.cloud.account.faults.add({ kind: "quota" });
  const limited = await expectFailure(stage.upToServer());
  expect(limited).toMatch(/account's limit at Hetzner is reached: no server was ordered \(.*server limit exceeded/);
  stage.cloud.account.faults.clear();
  const labels = { "pillar-host-stack": "prod", "pillar-host-pillar": "Anvil" };
  const order = { name: "pillar-anvil-prod", server_type: "cx33", image: "ubuntu-22.04", location: "fsn1" };
  for (const numbered of [{ "pillar-host-order": "ffffffffffffffff" }, {}]) {
    await stage.cloud.ask("POST", "/servers", { ...order, labels: { ...labels, ...numbered } });
    await until(() => stage.servers()[0]?.status === "running");
    const [{ id } = { id: 0 }] = stage.servers();
    const changes = () => stage.cloud.requests.filter(({ method }) => method !== "GET").length;
    const before = changes();
    const refused = await expectFailure(stage.upToServer());
    expect(refused).toContain(`server pillar-anvil-prod (${id}) at Hetzner`);
    expect(refused).toContain("this state did not order it: it may be a live Pillar. Nothing was changed");
    await stage.configure({ lifecycle: "retiring" });
    await expectFailure(stage.stack.up(["--skip-preview"]));
    await expectFailure(stage.stack.destroy(["--skip-preview"]));
    expect([stage.servers().map((server) => server.id), changes()]).toEqual([[id], before]);
    await stage.configure({});
    stage.cloud.account.servers.clear();
  }
  await stage.anew();
});

/** Returns the keys that the newest server lets in. */
const admitted = () => [...stage.cloud.machines.values()].at(-1)?.order.sshKeys;

test("no order lets in a key that is not the configured one", async () => {
  stage.cloud.account.faults.add({ kind: "answer", method: "POST", path: "/servers", status: 403, message: "no more" });
  await expectFailure(stage.upToServer());
  stage.cloud.account.faults.clear();
  const [leaked] = stage.cloud.account.keys.values();
  const { privateKey, publicKey } = createKeyPair();
  await stage.stack.pulumi(["config", "set", "--secret", "--path", "pillar-host:ssh.privateKey"], {
    input: privateKey,
  });
  await expectSuccess(stage.upToServer());
  const keys = [...stage.cloud.account.keys.values()].map((key) => key.publicKey);
  expect([keys, publicKey === leaked?.publicKey, admitted()]).toEqual([[publicKey], false, [publicKey]]);
  await stage.anew();
});

test("a key object with the stack's name and labels and another key is neither imported nor used", async () => {
  const labels = { "pillar-host-stack": "prod", "pillar-host-pillar": "Anvil" };
  const stolen = createKeyPair().publicKey;
  await stage.cloud.ask("POST", "/ssh_keys", { name: "pillar-anvil-prod", public_key: stolen, labels });
  await expectSuccess(stage.upToServer());
  expect(admitted()).toHaveLength(1);
  expect(admitted()).not.toContain(stolen);
  expect(stage.cloud.account.keys.size).toBe(2);
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
