import { writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import ssh2 from "ssh2";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { frameScript } from "../../core/ssh/answer.ts";
import { computeFingerprint } from "../../core/ssh/publicKey.ts";
import { chainGap } from "../../core/sync/decideSynced.ts";
import { hashToken } from "../../providers/retirementGuard.ts";
import { configOf, least } from "../components/exampleConfig.ts";
import {
  closedPort,
  fakeNode,
  keyPair,
  listen,
  loginTo,
  type SshHost,
  sshHost,
  synced,
  use,
} from "../core/chain/fakes.ts";
import { libraryOf } from "../core/host/printedFacts.ts";
import { evilText, harmless } from "../evilText.ts";
import { journeyIn } from "../recordIn.ts";
import { scratchDirectory } from "../scratchDirectory.ts";
import { provideConfig } from "./provideConfig.ts";
import { runProvider as run } from "./runProvider.ts";

const scratch = scratchDirectory();

let host: SshHost;
let node: Awaited<ReturnType<typeof fakeNode>>;

beforeEach(async () => {
  host = await sshHost();
  node = await fakeNode(synced());
});

afterEach(() => Promise.all([host.close(), node.close()]));

/** Lets the node sync. */
const beginSync = async () => {
  await node.close();
  node = await fakeNode({ "stats.syncInfo": { state: 1, currentHeight: 40, targetHeight: 100 } });
};

const gateHost = (changes: object = {}) => ({ stack: "prod", address: "127.0.0.1", hostKey: host.hostKey, ...changes });

/** Runs the gate with these inputs, as the configuration would give them. */
const gate = (method: string, given: object, ...states: object[]) =>
  run(
    ["SyncGate", given],
    method,
    ...(method === "create" ? [] : ["sync-gate"]),
    ...(states.length === 0 ? [gateHost()] : states),
  );

const inputs = (changes: Record<string, unknown> = {}) => ({
  target: { ssh: loginTo(host), via: "ssh", address: "127.0.0.1", port: node.port },
  confirmations: 1,
  confirmSpan: 0,
  tolerance: 20,
  deadline: 60_000,
  stallAfter: 900_000,
  wait: "block",
  stack: "prod",
  service: "go-node",
  references: [],
  isChainUnverified: true,
  title: "Pillar Anvil (prod)",
  ports: [],
  host: { stack: "prod", ssh: loginTo(host) },
  node: configOf().node,
  library: libraryOf("echo log=full; printf 'read=%s\n' $groups"),
  log: { directory: join(scratch(), "log"), stack: "prod", pillar: "Anvil" },
  ...changes,
});

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const proved = ["height 100 reached target 100", "newest momentum is fresh by both clocks"];
const unproved = ["height agrees with independent nodes (sync.references)", chainGap];

describe("SyncGate", () => {
  test("create proves the sync over ssh, and logs it", async () => {
    const { result, log, error } = await gate("create", inputs());
    expect(error).toBeUndefined();
    expect(result).toEqual({
      id: "sync-gate",
      outs: {
        ...gateHost(),
        state: 2,
        currentHeight: 100,
        targetHeight: 100,
        startHeight: 100,
        startedAt: time,
        syncedAt: time,
        durationSeconds: expect.any(Number),
        rate: 0,
        proved,
        unproved,
        stateVersion: 1,
      },
    });
    expect(log).toEqual([
      expect.stringMatching(
        /^sync: watching the node on 127\.0\.0\.1, for days if need be\. This terminal may be closed.* To stop: Ctrl-C twice\. To go on: \.\/pillar-host resume prod$/,
      ),
      expect.stringMatching(/^sync: 100\.0 %, height 100 of 100, synced, newest momentum \d s old \(1 of 1 lookups\)$/),
      ...unproved.map((gap) => `sync: not proved: ${gap}`),
      expect.stringMatching(/^sync: synced at height 100 after \d s$/),
    ]);
  });

  test("names the ports that are open and should not be, as this machine sees them", async () => {
    const rule = { what: "the node's RPC", wanted: "closed", listens: true } as const;
    const ports = [
      { ...rule, port: node.port },
      { ...rule, port: await closedPort() },
    ];
    const { log } = await gate("create", inputs({ ports }));
    expect(log).toContain(`ports: ${node.port} open (WRONG). How to correct them: ./pillar-host status prod`);
  });

  test("the deadline's error keeps the resource in the state, with its start", async () => {
    await beginSync();
    const { error } = await gate("create", inputs({ deadline: 0 }));
    expect(error?.message).toContain("127.0.0.1: the node has not synced within 0 s (pillar-host:sync.deadline)\n");
    expect(error).toEqual({
      message: error?.message,
      id: "sync-gate",
      reasons: [error?.message],
      properties: { ...gateHost(), startedAt: time, startHeight: 40, stateVersion: 1 },
    });
  });

  describe("in the event log", () => {
    const record = () => ({ directory: join(scratch(), "backups/Anvil"), stack: "prod-2", pillar: "Anvil" });

    test("logs the proof of the sync", async () => {
      await gate("create", inputs({ log: record() }));
      const whose = { at: time, stack: "prod-2", pillar: "Anvil" };
      const details = { startedAt: time, syncedAt: time, startHeight: 100, currentHeight: 100, proved, unproved };
      expect(journeyIn(record().directory, "Anvil")).toEqual([{ ...whose, event: "synced", details }]);
    });

    test("reports an event that can't be written, and the node counts as synced", async () => {
      writeFileSync(join(scratch(), "backups"), "a file");
      const { result, log } = await gate("create", inputs({ log: record() }));
      expect(result?.outs).toMatchObject({ syncedAt: time });
      const lines = log.filter((line) => line.includes("record"));
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines)
        expect(line).toMatch(/^sync: the event log could not be read on this machine: .*\n {2}found: ENOTDIR/);
    });
  });

  // The engine waits for ever for a message that cannot be sent.
  test("the deadline's error of a silent node can be sent to the engine", async () => {
    const target = { ...inputs().target, via: "direct", port: await closedPort() };
    const { error } = await gate("create", inputs({ target, deadline: 0 }));
    expect(error).toMatchObject({ id: "sync-gate", properties: { startedAt: time } });
  });

  test("a stall shows the host's facts and notifies the webhook, whose address is not printed", async () => {
    await beginSync();
    const heard: string[] = [];
    const hook = http.createServer(async (request, response) => {
      heard.push(JSON.parse(Buffer.concat(await request.toArray()).toString()).title);
      response.end();
    });
    const server = await listen(hook);
    const notify = `http://127.0.0.1:${server.port}/s3cret`;
    const { log, error } = await gate("create", inputs({ notify, stallAfter: 0, deadline: 2500 }));
    await server.close();
    expect(heard).toEqual(["Pillar Anvil (prod): stalled", "Pillar Anvil (prod): deadline"]);
    expect(log).toContain("sync: stalled: the height has been 40 for 0 s. The wait goes on. On 127.0.0.1:");
    expect(log).toContain("  log: full");
    expect(JSON.stringify([log, error?.message])).not.toContain("s3cret");
  });

  test("reports a broken webhook, and continues", async () => {
    const notify = `http://127.0.0.1:${await closedPort()}/s3cret`;
    const { log, result } = await gate("create", inputs({ notify }));
    expect(result?.outs).toMatchObject({ syncedAt: time });
    expect(log).toContain('notify: the webhook (pillar-host:notify) did not receive "synced": ECONNREFUSED');
    expect(log.join()).not.toContain("s3cret");
  });

  test("update continues from the start of a wait that gave up", async () => {
    const olds = { ...gateHost(), startedAt: "2026-01-01T00:00:00.000Z", startHeight: 40 };
    const { result } = await gate("update", inputs({ deadline: 1e15 }), olds, gateHost());
    const { startedAt } = olds;
    expect(result?.outs).toMatchObject({ startedAt, startHeight: 40, currentHeight: 100, syncedAt: time });
  });

  const proof = { startedAt: "2026-01-01T00:00:00.000Z", syncedAt: "2026-01-02T00:00:00.000Z" };

  test("update returns at once after a recorded sync", async () => {
    const { result, log } = await gate("update", inputs(), { ...gateHost(), ...proof }, gateHost());
    expect(result?.outs).toEqual({ ...gateHost(), ...proof, stateVersion: 1 });
    expect({ log, asked: node.asked, connections: host.connections }).toEqual({ log: [], asked: [], connections: 0 });
  });

  /** Runs the gate again with a proof of this machine. */
  const provedOf = (before: object) => gate("update", inputs(), { ...gateHost(before), ...proof }, gateHost());

  test("proves a reinstalled machine again", async () => {
    const { result } = await provedOf({ hostKey: "ssh-ed25519 BEFORE" });
    expect(result?.outs).toMatchObject({ syncedAt: time, currentHeight: 100, hostKey: host.hostKey });
    expect(result?.outs.syncedAt).not.toBe(proof.syncedAt);
  });

  test("keeps a proof from before a host key was recorded, and adds the key", async () => {
    const { result } = await provedOf({ hostKey: undefined });
    expect(result?.outs).toMatchObject({ ...proof, hostKey: host.hostKey });
    expect(node.asked).toEqual([]);
  });

  test("the old host alone confirms the chain over ssh, which is recorded", async () => {
    const directory = scratch();
    const [oldHost, oldNode] = [await sshHost(), await fakeNode(synced())];
    const witnessHost = { ssh: loginTo(oldHost), via: "ssh", address: "127.0.0.1", port: oldNode.port };
    const record = { directory, stack: "prod", pillar: "Anvil" };
    const { result } = await gate("create", inputs({ witnessHost, log: record, isChainUnverified: undefined }));
    await Promise.all([oldHost.close(), oldNode.close()]);
    expect(result?.outs.proved).toContain("the chain is confirmed by the old host's node (127.0.0.1)");
    const details = { witnessed: { height: 100, hash: "ab" } };
    expect(journeyIn(directory, "Anvil").at(-1)).toMatchObject({ event: "synced", details });
  });

  test("await ends as awaiting, and prints the progress", async () => {
    await beginSync();
    const { error, log } = await gate("create", inputs({ wait: "await" }));
    expect(error?.id).toBe("pillar-host:awaiting");
    expect(log.join("\n")).toContain("the node is not synced yet (pillar-host:sync.wait is await)\n  found: 40.0 %");
    expect(log.join("\n")).not.toContain("for days");
  });
});

const newer =
  "written by a newer version of this program; nothing was changed\n" +
  "  found: version 2\n  needed: use the program that wrote it, or data of version 1 (docs/operating.md)\n" +
  "  In the program's directory: git pull && npm ci --omit=dev --omit=optional --ignore-scripts, then run the same command again.";
const none = "not in a version that this program knows; nothing was changed\n  found: no version\n";
test.each([
  ["diff", 2, newer],
  ["update", 2, newer],
  ["diff", undefined, none],
  ["update", undefined, none],
])("%s refuses a state of version %s, with the next command", async (method, stateVersion, words) => {
  const { error } = await gate(method, inputs(), { ...gateHost(), stateVersion }, gateHost());
  expect(error?.message).toContain(`the state of this stack's SyncGate: ${words}`);
  expect(host.connections).toBe(0);
});

describe("FirstContact", () => {
  const place = (changes: Record<string, unknown> = {}) => ({
    address: "127.0.0.1",
    port: host.port,
    stack: "prod",
    login: "hash of the login",
    work: "stand up",
    ...changes,
  });
  beforeEach(() => provideConfig({ ssh: { user: "op", password: "login-pw", port: host.port } }));
  const pinned = () => ({ pinned: host.hostKey, fingerprint: computeFingerprint(host.hostKey) });
  const another = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";

  test("create logs in with the configured key, and prints nothing", async () => {
    const inputs = place({ hostKey: host.hostKey, run: "1" });
    expect(await run("FirstContact", "create", inputs)).toEqual({
      result: { id: `127.0.0.1:${host.port}`, outs: { ...inputs, ...pinned(), stateVersion: 1 } },
      log: [],
    });
  });

  test("create records the host's key if none is configured, prints its fingerprint, and logs in", async () => {
    expect(await run("FirstContact", "create", place())).toEqual({
      result: { id: `127.0.0.1:${host.port}`, outs: { ...place(), ...pinned(), stateVersion: 1 } },
      log: [
        `host key of 127.0.0.1, recorded on first contact: ${pinned().fingerprint}. Compare it with the provider's console.`,
      ],
    });
    expect(host.connections).toBe(2);
  });

  test("create records the key and ends before it sends a secret; the next run continues", async () => {
    const secrets = ["pillar-host:ssh.password"];
    const { error } = await run("FirstContact", "create", place({ secrets }));
    expect(error?.message).toContain(
      `127.0.0.1: its host key is recorded, and this run ends before a secret goes there (pillar-host:ssh.password)\n  found: ${pinned().fingerprint}\n`,
    );
    expect([error?.properties, host.connections]).toEqual([{ ...place({ secrets }), ...pinned(), stateVersion: 1 }, 1]);
    const again = await run("FirstContact", "update", "id", error?.properties, place({ secrets, run: "2" }));
    expect(again.result?.outs).toMatchObject(pinned());
  });

  test("create fails with the login's reason, without the password", async () => {
    provideConfig({ ssh: { user: "op", password: "hunter2", port: host.port } });
    const { error } = await run("FirstContact", "create", place());
    expect(error?.message).toMatch(/^op@127\.0\.0\.1:\d+ refuses the login\n {2}needed: let sshd accept passwords/);
    expect(error?.message).not.toContain("hunter2");
  });

  test("create ends before the first change if the old host's sshd forbids what a witness, copy or move needs", async () => {
    const old = await use(sshHost(undefined, undefined, undefined, { forbidsForwarding: true }));
    const oldHost = (port: number) => ({ oldHost: { address: "localhost", hostKey: old.hostKey, port } });
    const ssh = { user: "op", password: "login-pw", port: host.port };
    provideConfig({ ssh, ...oldHost(old.port) });
    const { error } = await run("FirstContact", "create", place());
    expect(error?.message).toContain("localhost: its sshd forbids forwarding to 127.0.0.1:35997 for op\n");
    expect(error?.message).toContain("\n  Then: pulumi up -s prod");
    // Later, a witness less is no reason to stop.
    const olds = { ...place(), ...pinned() };
    expect((await run("FirstContact", "update", "id", olds, place({ run: "2" }))).error).toBeUndefined();
    provideConfig({ ssh, ...oldHost(await closedPort()) });
    const silent = await run("FirstContact", "create", place());
    expect(silent.error).toBeUndefined();
    expect(silent.log.join()).toMatch(/old host: op@localhost:\d+: .*ECONNREFUSED/);
  });

  test("create ends before the first change if the host's sshd forbids the way to its node", async () => {
    const strict = await use(sshHost(undefined, undefined, undefined, { forbidsForwarding: true }));
    provideConfig({ ssh: { user: "op", password: "login-pw", port: strict.port } });
    const inputs = place({ hostKey: strict.hostKey, port: strict.port });
    const { error } = await run("FirstContact", "create", inputs);
    expect(error?.message).toContain("127.0.0.1: its sshd forbids forwarding to 127.0.0.1:35997 for op\n");
  });

  test("update requires the recorded key at the same address", async () => {
    const olds = { ...place(), pinned: another, fingerprint: "SHA256:old" };
    const { error } = await run("FirstContact", "update", "id", olds, place({ run: "2" }));
    expect(error?.message).toContain("127.0.0.1 shows another host key than the pinned one\n");
  });

  test("update waits for another server of this stack as for a new one", async () => {
    const own = { provider: "Hetzner", name: "pillar-anvil-prod", console: "console", sshFrom: [], startTimeout: 0 };
    const server = (id: string) => ({ ...own, id });
    const port = await closedPort();
    provideConfig({ ssh: { user: "op", password: "login-pw", port } });
    const silent = place({ hostKey: host.hostKey, port, server: server("53") });
    const { error } = await run("FirstContact", "update", "id", { ...silent, server: server("52") }, silent);
    const said = /^server pillar-anvil-prod \(53\) at Hetzner, 127\.0\.0\.1: no login is possible\n.*ECONNREFUSED/;
    expect(error?.message).toMatch(said);
  });

  test("update takes a newly configured key, and asks a host at another address", async () => {
    const olds = { ...place(), pinned: another, fingerprint: "SHA256:old" };
    const configured = place({ hostKey: host.hostKey });
    const taken = await run("FirstContact", "update", "id", olds, configured);
    expect(taken.result?.outs).toEqual({ ...configured, ...pinned(), stateVersion: 1 });
    const moved = await run("FirstContact", "update", "id", { ...olds, address: "203.0.113.9" }, place());
    expect(moved.result?.outs).toEqual({ ...place(), ...pinned(), stateVersion: 1 });
  });

  test.each([
    ["nothing new", {}, {}, false],
    ["no lookup in this run", { run: "1" }, {}, false],
    ["a lookup in this run", { run: "1" }, { run: "2" }, true],
    ["other work", {}, { work: "other" }, true],
    ["another login", {}, { login: "hash of another login" }, true],
    ["a raised version of the state", {}, { stateVersion: 2 }, true],
    ["a key removed from the configuration", { hostKey: "k" }, {}, true],
  ])("decides whether an update is needed: %s", async (_what, before, now, changes) => {
    const olds = { ...place(before), ...pinned() };
    expect((await run("FirstContact", "diff", "id", olds, place(now))).result).toEqual({ changes });
  });
});

describe("the host key of a new server", () => {
  test("is made once, with its fingerprint, and kept by every update", async () => {
    const { result } = await run("HostKey", "create", {});
    const { publicKey, privateKey, fingerprint } = result?.outs ?? {};
    expect(fingerprint).toBe(computeFingerprint(String(publicKey)));
    const parsed = ssh2.utils.parseKey(String(privateKey));
    if (parsed instanceof Error) throw parsed;
    expect(`ssh-ed25519 ${parsed.getPublicSSH().toString("base64")}`).toBe(publicKey);
    const updated = await run("HostKey", "update", "id", result?.outs, { more: "x" });
    expect(updated.result?.outs).toEqual({ ...result?.outs, more: "x" });
  });

  test("is not made for an existing server", async () => {
    const { result, error } = await run("HostKey", "create", { stranger: "it may be a live Pillar" });
    expect([result, error?.message]).toEqual([undefined, "it may be a live Pillar"]);
  });
});

describe("the order of a new server", () => {
  const orders = [
    { number: "0a1b", at: "2026-11-21T14:00:00.000Z" },
    { number: "0c2d", at: "2026-11-21T15:00:00.000Z" },
  ];
  const order = { orders, isOrder: true, owner: { stack: "prod", pillar: { name: "Anvil" } } };

  test("is recorded, and its end is no change", async () => {
    const { result } = await run("ServerOrder", "create", order);
    const olds = { ...order, isOrdered: true, orderedAt: orders[1]?.at, stateVersion: 1 };
    expect(result?.outs).toEqual(olds);
    const later = { ...order, isOrder: false, seen: "0c2d" };
    expect((await run("ServerOrder", "diff", "id", olds, later)).result).toEqual({ changes: false });
    expect((await run("ServerOrder", "update", "id", olds, later)).result?.outs).toMatchObject({ isOrdered: true });
    const other = { ...later, seen: "ffff" };
    expect((await run("ServerOrder", "diff", "id", olds, other)).result).toEqual({ changes: true });
    expect((await run("ServerOrder", "update", "id", olds, other)).result?.outs).toEqual({
      ...other,
      isOrdered: false,
      stateVersion: 1,
    });
    for (const seen of [undefined, ""])
      expect((await run("ServerOrder", "create", { ...later, seen })).result?.outs).toMatchObject({ isOrdered: false });
    expect((await run("ServerOrder", "create", { ...order, orders: [] })).result?.outs).toMatchObject({
      isOrdered: false,
    });
  });

  test("has a number that only a run which orders draws", async () => {
    const { result } = await run("HostKey", "create", { run: "1" });
    const made = result?.outs as MadeKey;
    const first = made.orders[0]?.number;
    expect(first).toMatch(/^[0-9a-f]{16}$/);
    const update = async (news: object) => (await run("HostKey", "update", "id", made, news)).result?.outs;
    const isChange = async (news: object) => (await run("HostKey", "diff", "id", made, news)).result;
    for (const news of [{}, { seen: first, otherOrder: "another" }, { seen: "ffff" }, { run: "1" }]) {
      expect(await isChange(news)).toEqual({ changes: false });
      expect(await update(news)).toMatchObject({ orders: made.orders });
    }
    expect(await isChange({ run: "2" })).toEqual({ changes: true });
    const again = (await update({ run: "2" })) as unknown as MadeKey;
    expect([again.publicKey, again.orders.length, again.orders[1]?.number === first]).toEqual([
      made.publicKey,
      2,
      false,
    ]);
    for (const seen of ["ffff", ""]) {
      expect(await isChange({ seen, otherOrder: "another" })).toEqual({ changes: true });
      expect((await run("HostKey", "update", "id", made, { seen, otherOrder: "another" })).error?.message).toBe(
        "another",
      );
    }
  });
});

interface MadeKey extends Record<string, unknown> {
  readonly orders: readonly { readonly number: string; readonly at: string }[];
}

test("a server of an earlier order is this stack's, whether it comes late or got its lost labels back", async () => {
  const first = (await run("HostKey", "create", { run: "1" })).result?.outs as MadeKey;
  const second = (await run("HostKey", "update", "id", first, { run: "2" })).result?.outs as unknown as MadeKey;
  const late = { seen: first.orders[0]?.number, otherOrder: "another" };
  expect((await run("HostKey", "diff", "id", second, late)).result).toEqual({ changes: false });
  const kept = (await run("HostKey", "update", "id", second, late)).result?.outs as unknown as MadeKey;
  expect(kept.orders).toEqual(second.orders);
  // The run of the first contact and every later one decide alike: the record of orders, which is empty then, has no say.
  const order = { orders: kept.orders, isOrder: false, seen: late.seen };
  const [before, after] = [
    (await run("ServerOrder", "create", order)).result?.outs,
    (await run("ServerOrder", "update", "id", { ...order, isOrdered: true }, order)).result?.outs,
  ];
  expect([before?.isOrdered, before?.orderedAt, after]).toEqual([true, first.orders[0]?.at, before]);
});

describe("a guard whose configuration is that of an up which failed", () => {
  const server = { provider: "hetzner", token: "hunter2a".repeat(8), sshFrom: ["192.0.2.1/32"] } as const;
  const ssh = { privateKey: keyPair().private };
  const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
  const own = { stack: "prod", pillar: "Anvil", lifecycle: "active", provider: "existing", hostKey: key, isLast: true };
  const cloud = { ...own, provider: "hetzner", token: hashToken(configOf({ host: server, ssh }).host), serverId: "52" };

  test.each<[string, object, Record<string, unknown>]>([
    ["pillar.name: Bolt, before Anvil", own, { pillar: { name: "Bolt" } }],
    ["lifecycle: adopted, before active", own, { lifecycle: "adopted", host: { ...least.host, hostKey: key } }],
    ["host.address: 203.0.113.9, before 203.0.113.7", own, { host: { ...least.host, address: "203.0.113.9" } }],
    ["host.provider: hetzner, before existing", own, { host: server }],
    ["host.provider: existing, before hetzner", cloud, {}],
    [
      "host.provider: digitalocean, before hetzner",
      cloud,
      { host: { ...server, provider: "digitalocean", token: `dop_v1_${"0".repeat(64)}` } },
    ],
    ["host.token: another, before the one of this server", cloud, { host: { ...server, token: "hunter3a".repeat(8) } }],
  ])("releases nothing: %s", async (found, guarded, changes) => {
    provideConfig({ ssh, ...changes });
    const state = { ...guarded, address: "203.0.113.7", createdAt: "2026-01-01T00:00:00.000Z" };
    const { error } = await run("RetirementGuard", "delete", "guard", state);
    expect(error?.message).toContain(`nothing was deleted\n  found: pillar-host:${found}`);
    expect(error?.message).not.toContain("hunter");
  });
});

describe("HostSetUp", () => {
  const at = { address: "203.0.113.7" };

  test("changes only in a run that finds nothing of the set-up", async () => {
    const created = await run("HostSetUp", "create", { ...at, lost: "1" });
    const olds = { ...at, lost: "1", setUp: "1", stateVersion: 1 };
    expect(created).toEqual({ result: { id: "host-set-up", outs: olds }, log: [] });
    expect((await run("HostSetUp", "diff", "id", olds, at)).result).toEqual({ changes: false });
    expect((await run("HostSetUp", "update", "id", olds, at)).result?.outs).toMatchObject({ setUp: "1" });
    const lost = { ...at, lost: "2" };
    expect((await run("HostSetUp", "diff", "id", olds, lost)).result).toEqual({ changes: true });
    const { result, log } = await run("HostSetUp", "update", "id", olds, lost);
    expect([result?.outs, log]).toEqual([
      expect.objectContaining({ setUp: "2" }),
      ["203.0.113.7: it carries nothing of this stack's set-up: every step runs on it"],
    ]);
  });
});

describe("HourlyRestartOff", () => {
  const script = "echo hourly restart: off, read back; echo login: $SECRET";
  const off = (changes: object = {}) => ({ stack: "prod", address: "127.0.0.1", hostKey: host.hostKey, ...changes });
  const turnOff = (text: string, method: string, ...states: unknown[]) =>
    run(["HourlyRestartOff", { target: loginTo(host), script: text }], method, ...states);

  test("does nothing if nothing was found", async () => {
    const result = { id: "hourly-restart-off", outs: { ...off(), stateVersion: 1 } };
    expect(await turnOff(script, "create", off())).toEqual({ result, log: [] });
    expect(host.connections).toBe(0);
  });

  test("lets no output of a host control the terminal", async () => {
    const evil = `printf '%s\\n' '${evilText}'`;
    const found = off({ found: "1" });
    const { log } = await turnOff(frameScript(evil, "step"), "update", "id", off(), found);
    expect(log[1]).toBe(harmless);
    const failing = frameScript(`${evil} >&2; exit 1`, "step");
    const { error } = await turnOff(failing, "update", "id", off(), found);
    expect(error?.message).toContain(`found: ${harmless}\n`);
  });

  test("fails if it stays on, with what to do by hand", async () => {
    const { error } = await turnOff("echo no >&2; exit 1", "update", "id", off(), off({ found: "1" }));
    expect(error?.message).toBe(
      "127.0.0.1: the hourly restart is on, and could not be turned off: a producing node misses momentums\n" +
        "  found: no\n  Put a # at the start of its line with crontab -e on the host, then run the same command again.",
    );
  });

  test.each([
    ["a run that finds nothing after a run that did", { found: "1" }, {}, false],
    ["nothing new", {}, {}, false],
    ["found on", {}, { found: "1" }, true],
    ["found on once more", { found: "1" }, { found: "2" }, true],
    ["a raised version of the state", {}, { stateVersion: 2 }, true],
  ])("decides whether an update is needed: %s", async (_what, before, now, changes) => {
    expect((await run("HourlyRestartOff", "diff", "id", off(before), off(now))).result).toEqual({ changes });
  });
});
