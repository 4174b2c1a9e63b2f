import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { LogEvent } from "../../core/eventLog/events.ts";
import { findLogFault } from "../../core/eventLog/logIntegrity.ts";
import type { GuardMemory } from "../../core/retirement/guardMemory.ts";
import { releaseHost } from "../../core/retirement/releaseOnDestroy.ts";
import { asRoot } from "../../core/ssh/root.ts";
import { readRetirementLibrary } from "../../core/steps/libraries.ts";
import { openStore } from "../../core/store/openStore.ts";
import { formatDefaultStore } from "../../core/store/storeDirectory.ts";
import { systemClock } from "../../core/util/clock.ts";
import { say } from "../../core/util/printable.ts";
import { createKeyPair } from "../../providers/hostKey.ts";
import { closedPort, fakeNode, listen, loginTo, type SshHost, sshHost } from "../core/chain/fakes.ts";
import { startS3Double } from "../core/store/s3Double.ts";
import { journeyIn, putEvent } from "../recordIn.ts";
import { scratchDirectory } from "../scratchDirectory.ts";
import { type Outcome, outcomeOf, runProvider } from "./runProvider.ts";

// Those of a bucket, as the operator's environment has them.
Object.assign(process.env, { AWS_ACCESS_KEY_ID: "operator", AWS_SECRET_ACCESS_KEY: "hunter2" });
let host: SshHost;
let node: Awaited<ReturnType<typeof fakeNode>>;
let results: Record<string, unknown>;
const directory = scratchDirectory();
let scratch: string;

beforeEach(async () => {
  scratch = directory();
  host = await sshHost();
  mkdirSync(join(scratch, "znn/wallet"), { recursive: true });
  writeFileSync(join(scratch, "znn/wallet/producer"), "hunter2");
  const now = Math.floor(Date.now() / 1000);
  const pillar = { name: "Anvil", producerAddress: "z1qother", withdrawAddress: "z1qw", currentStats: {} };
  const momentum = { height: 1, timestamp: now, hash: "ab", producer: "z1qother" };
  results = {
    "ledger.getFrontierMomentum": momentum,
    "ledger.getMomentumBeforeTime": null,
    "ledger.getMomentumsByHeight": { list: [momentum] },
    "embedded.pillar.getByName": pillar,
  };
  node = await fakeNode(results, "127.0.0.2");
});
afterEach(() => Promise.all([host.close(), node.close()]));

const run = (...given: Parameters<typeof runProvider>) => withoutSecrets(runProvider(...given));

async function withoutSecrets(work: Promise<Outcome>): Promise<Outcome> {
  const outcome = await work;
  expect(/login-pw|s3cret|hunter2/.test(JSON.stringify([outcome.error, outcome.log]))).toBe(false);
  return outcome;
}

/** Returns the real functions without root, with these facts of the host. */
const library = (facts: readonly string[]) => {
  const [, functions = ""] = readRetirementLibrary().split(asRoot);
  const fake = `host_facts() { printf '%s\\n' ${[...facts, ""].map((line) => `'${line}'`).join(" ")}; printf 'read=%s\\n' $groups; }`;
  const stop = `retire_stop() { echo stopped >> ${scratch}/stopped; }`;
  return `become_root() { "$@"; }\n${asRoot}\n${functions}\nstate=${scratch}/state runs_dir=${scratch}/run\n${fake}\n${stop}\n`;
};
const places = () => ({
  service: "go-node",
  dataDir: `${scratch}/znn`,
  rpcPort: node.port,
  orchestrator: { service: "orchestrator", directory: `${scratch}/signer`, executable: "orchestrator", rpcPort: 1 },
});
const inputs = (changes: object = {}, facts: readonly string[] = []) => ({
  stack: "prod",
  pillar: "Anvil",
  lifecycle: "active",
  isLast: true,
  isOwnServer: false,
  host: { ssh: loginTo(host) },
  places: places(),
  references: [`http://127.0.0.2:${node.port}`],
  node: { ssh: loginTo(host), via: "ssh", address: "127.0.0.2", port: node.port },
  tolerance: 20,
  network: { momentum: 10_000, tickMomentums: 30 },
  epoch: 86_400_000,
  backup: { directory: join(scratch, "backups") },
  library: library(facts),
  ...changes,
});
const log = (event: string, details: object) => {
  const entry = { at: new Date().toISOString(), stack: "prod", pillar: "Anvil", event, details };
  putEvent(join(scratch, "backups"), entry as LogEvent);
};
const journey = () => journeyIn(join(scratch, "backups"), "Anvil");
const events = () => journey().map(({ event }) => event);
const wasStopped = () => readdirSync(scratch).includes("stopped");
const hasNode = ["producer=z1qown", "keyStore=yes", "nodeActive=no", "marked.deploy.done=x"];
const atRest = [...hasNode, "nodeMasked=yes"];
type Inputs = ReturnType<typeof inputs> & { readonly server?: { readonly id: string } };
/** Returns what the state has of a host. */
const storedOf = ({ host: { ssh }, server, places: _, backup: __, library: ___, node: ____, ...rest }: Inputs) => ({
  ...{ ...rest, address: ssh.address, hostKey: ssh.hostKey, provider: "existing", serverId: server?.id },
});
/** Creates a guard, and returns its state together with what its configuration gives. */
const create = async (changes: object = {}, facts: readonly string[] = []) => {
  const given = inputs(changes, facts) as Inputs;
  const { result } = await run(["RetirementGuard", given], "create", storedOf(given));
  return { ...given, ...result?.outs } as Inputs & Record<string, unknown>;
};
/** Logs the host as its first guard does, before the node is deployed. */
const begin = () => create({ isLast: false });
const update = async (olds: object, news: Inputs) =>
  run(["RetirementGuard", news], "update", "id", olds, storedOf(news));
/** Releases the host as the provider's delete does, with the state's functions, which are this test's. */
const remove = (olds: object, override?: string) =>
  withoutSecrets(
    outcomeOf(() => {
      const state = olds as Parameters<typeof releaseHost>[0] & GuardMemory;
      return releaseHost(state, state, { ...systemClock, say, override });
    }),
  );

/** Returns the state of a guard, as the engine hands it to delete. */
const guardOf = (changes: object = {}) => ({ ...inputs(changes), createdAt: new Date().toISOString() });

describe("the guard", () => {
  test("logs a synced node's momentum on create, and releases an empty host on delete", async () => {
    const outs = await create();
    expect(outs).toMatchObject({ isReached: true, isOwnWork: true, recorded: { height: 1, hash: "ab" } });
    expect(events()).toEqual(["recorded"]);
    const { error, log: said } = await remove(outs);
    expect(error).toBeUndefined();
    expect(said.join("\n")).toContain("127.0.0.1 has neither a node nor an orchestrator on it");
    expect(events()).toEqual(["recorded", "released"]);
  });

  test("records the host on create of the host's guard, without a login", async () => {
    const outs = await create({ isLast: false, lifecycle: "adopted" });
    expect(outs).toMatchObject({ isReached: true, isOwnWork: false });
    const details = { address: "127.0.0.1", hostKey: host.hostKey, provider: "existing", isOwnWork: false };
    expect(journey()[0]).toMatchObject({ event: "host", details });
  });

  test("counts as reached for a retiring stack if the event log says so since the last release", async () => {
    const isReached = async () => (await create({ lifecycle: "retiring" })).isReached;
    expect(await isReached()).toBe(false);
    log("shutDown", { address: "a", evidence: [] });
    expect(await isReached()).toBe(true);
    log("released", { evidence: [] });
    expect(await isReached()).toBe(false);
  });

  const mark = () => readFileSync(join(scratch, "state/stack"), "utf8");
  const putMark = (text: string) => {
    mkdirSync(join(scratch, "state"), { recursive: true });
    writeFileSync(join(scratch, "state/stack"), text);
  };

  const ownAddress = (name: string) => {
    results["embedded.pillar.getByName"] = { name, producerAddress: "z1qown", withdrawAddress: "z1qw" };
  };

  test("corrects a name that was never registered, in mark and event log, and once", async () => {
    results["embedded.pillar.getByName"] = null;
    putMark("pillar-host/prod Anvil\n");
    const olds = await create({ isLast: false }, hasNode);
    const { result, log: said } = await update(olds, inputs({ isLast: false, pillar: "Bolt" }, hasNode));
    expect(said).toContain("pillar-host:pillar.name: corrected from Anvil to Bolt; what is deployed stays");
    expect(result?.outs).toMatchObject({ pillar: "Bolt", createdAt: olds.createdAt, isReached: true });
    const corrected = () => journeyIn(join(scratch, "backups"), "Bolt");
    expect([mark(), corrected()]).toMatchObject([
      "pillar-host/prod Bolt\n",
      [{ event: "host", at: journey()[0]?.at, details: journey()[0]?.details }],
    ]);
    // A run that was killed before the engine stored the name.
    const again = await update(olds, inputs({ isLast: false, pillar: "Bolt" }, hasNode));
    expect(again.result?.outs).toEqual(result?.outs);
    expect(corrected()).toHaveLength(1);
    // From here on the log is whole, and another name is refused once this one is registered.
    ownAddress("Bolt");
    const refused = await update(result?.outs ?? {}, inputs({ isLast: false }, hasNode));
    expect(refused.error?.message).toContain(
      "host is that of Bolt; nothing was changed\n  found: Anvil\n  found: Bolt has",
    );
  });

  test("takes the event log to the corrected name's place, and knows it there as whole", async () => {
    vi.stubEnv("XDG_DATA_HOME", scratch);
    results["embedded.pillar.getByName"] = null;
    const at = (pillar: string) => ({ isLast: false, pillar, backup: { directory: formatDefaultStore(pillar) } });
    const { result } = await update(await create(at("Anvil")), inputs(at("Bolt")));
    expect(journeyIn(join(scratch, "pillar-host/records/Bolt"), "Bolt")).toMatchObject([{ event: "host" }]);
    const store = openStore(formatDefaultStore("Bolt"));
    expect(await findLogFault(store, "guard", String(result?.outs.logHead))).toBeUndefined();
    vi.unstubAllEnvs();
  });

  test("corrects the name of a host that another program marked, or none, without a change of the mark", async () => {
    results["embedded.pillar.getByName"] = null;
    putMark("pillar-host/other Anvil\n");
    expect((await update(await create({}, hasNode), inputs({ pillar: "Bolt" }, hasNode))).error).toBeUndefined();
    expect(mark()).toBe("pillar-host/other Anvil\n");
  });

  test.each<[string, () => unknown, object?]>([
    ["Anvil had this host's address at ", () => log("registeredTooEarly", { producerAddress: "z1qown" })],
    [
      "a move of the orchestrator of Anvil is in the event log",
      () => {
        const move = { project: "pillar-host", stack: "prod", pillar: "Anvil", attempt: 1 };
        putEvent(join(scratch, "backups"), { at: "2026-11-22T18:00:00Z", move, event: "secured", details: {} });
      },
    ],
    ["Anvil has this host's address on the chain", () => ownAddress("Anvil")],
    ["no node can say who has the name Anvil: ", () => node.close()],
    ["pillar-host:lifecycle is retiring", () => undefined, { lifecycle: "retiring" }],
    ["127.0.0.1 does not answer: ", () => host.close()],
    ["has no line with the hash", () => rmSync(join(scratch, "backups"), { recursive: true })],
  ])("refuses another name if %s", async (found, happens, changes = {}) => {
    putMark("pillar-host/prod Anvil\n");
    const olds = await create({ isLast: false, ...changes }, hasNode);
    await happens();
    const { error } = await update(olds, inputs({ isLast: false, pillar: "Bolt", ...changes }, hasNode));
    expect(error?.message).toContain("this stack's host is that of Anvil; nothing was changed\n  found: Bolt\n");
    expect(error?.message).toContain(found);
    expect(mark()).toBe("pillar-host/prod Anvil\n");
  });

  test("refuses another name of a registered Pillar on update, keeps its memory, and records a missing momentum", async () => {
    const olds = await create({ node: { ...inputs().node, port: await closedPort() }, knownProducer: "z1qown" });
    expect(olds).not.toHaveProperty("recorded");
    ownAddress("Anvil");
    expect((await update(olds, inputs({ pillar: "Bolt" }, hasNode))).error?.message).toBe(
      "pillar-host:pillar.name: this stack's host is that of Anvil; nothing was changed\n  found: Bolt\n" +
        "  found: Anvil has this host's address on the chain\n  needed: set it back: pulumi config set --type string --path pillar-host:pillar.name Anvil -s prod\n" +
        "  Bolt gets a stack of its own: ./pillar-host init NEW",
    );
    const kept = { createdAt: olds.createdAt, knownProducer: "z1qown", recorded: { hash: "ab" } };
    expect((await update(olds, inputs())).result?.outs).toMatchObject(kept);
  });

  test("knows the event log by its newest line, and trusts neither log after an update with another one", async () => {
    log("refused", { reasons: [] });
    const olds = await create({ lifecycle: "adopted" });
    log("refused", { reasons: [] });
    const { result } = await update(olds, inputs({ lifecycle: "adopted" }));
    expect(result?.outs.logHead).not.toBe(olds.logHead);
    rmSync(join(scratch, "backups"), { recursive: true });
    log("shutDown", { address: "127.0.0.1", evidence: [], hasSigner: false });
    const other = await update(result?.outs ?? {}, inputs({ lifecycle: "retiring" }));
    expect(other.result?.outs.logHead).toMatch(new RegExp(`^${result?.outs.logHead} [0-9a-f]{64}$`));
  });

  test("logs on update that a retirement is undone, once, before anything starts on the host", async () => {
    const active = inputs({ isLast: false });
    const taken = await update(await create({ isLast: false, lifecycle: "retiring" }), active);
    expect(journey()).toMatchObject([{ event: "reactivated", details: { address: "127.0.0.1" } }]);
    await update(taken.result?.outs ?? {}, active);
    expect(events()).toEqual(["reactivated"]);
  });

  test("refuses on delete with findings and next command, and changes nothing", async () => {
    const { error } = await remove(await create({ lifecycle: "adopted" }, hasNode));
    expect(error?.message).toContain("- no successor of this host is configured");
    expect(error?.message).toMatch(/Only if a condition can never be met: .*The way around$/);
    expect([events(), wasStopped()]).toEqual([["recorded", "refused"], false]);
    const asked = await remove(await create({ lifecycle: "adopted" }, hasNode), "?");
    const word =
      "PILLAR_HOST_GIVE_UP_ANYWAY='Anvil, stack prod, host 127.0.0.1: I accept to lose momentums and rewards' pulumi destroy -s prod";
    expect(asked.error?.message).toContain(`${word}\n`);
  });

  test("releases a deployed host that never produced, after its final backup, and again if it was started", async () => {
    await begin();
    const olds = await create({}, atRest);
    const first = await remove(olds);
    expect(first.error).toBeUndefined();
    expect(first.log.join("\n")).toMatch(
      /has produced nothing since its deploy[\s\S]*proved by decrypting[\s\S]*is stopped, and stays off/,
    );
    const second = await remove(olds);
    expect([second.error, second.log.join("\n").includes("proved by decrypting")]).toEqual([undefined, false]);
    expect(events()).toEqual(["host", "recorded", "released"]);
    expect(readFileSync(join(scratch, "stopped"), "utf8")).toBe("stopped\n");
    const started = library(hasNode.with(2, "nodeActive=yes"));
    expect((await remove({ ...olds, library: started })).error).toBeUndefined();
    expect(readFileSync(join(scratch, "stopped"), "utf8")).toBe("stopped\nstopped\n");
    // A release from before the guard is of another host.
    const later = { ...olds, createdAt: new Date(Date.now() + 60_000).toISOString() };
    expect((await remove(later)).log.join("\n")).toContain("proved by decrypting");
  });

  test("keeps a host that produced although no line of the event log has it", async () => {
    await begin();
    const olds = await create({}, atRest);
    const now = Math.floor(Date.now() / 1000);
    const before = { height: 1, timestamp: now - 2 * 86_400, hash: "ab", producer: "z1qown" };
    const newest = { height: 2, timestamp: now, hash: "cd", producer: "z1qother" };
    Object.assign(results, {
      "ledger.getFrontierMomentum": newest,
      "ledger.getMomentumsByHeight": { list: [before, newest] },
    });
    expect((await remove(olds)).error?.message).toContain("- no successor of this host is configured");
    expect(wasStopped()).toBe(false);
  });

  test("keeps a host with the event log lost, and recognizes another chain by the state", async () => {
    await begin();
    const olds = await create({}, atRest);
    rmSync(join(scratch, "backups"), { recursive: true, force: true });
    const { error } = await remove({ ...olds, recorded: { height: 1, hash: "x" } });
    expect(error?.message).toContain("momentum 1 is not the one that was recorded");
    expect(error?.message).toContain("- no successor of this host is configured");
    expect(wasStopped()).toBe(false);
  });

  test.each(["registered", "producing"])("keeps a host of which the event log has: %s", async (event) => {
    await begin();
    log(event, { producerAddress: "z1qown", height: 1, switchedAt: new Date().toISOString() });
    const { error } = await remove(await create({}, atRest));
    expect(error?.message).toContain("- no successor of this host is configured");
  });

  test("releases nothing and changes nothing if the event log's bucket can't be read", async () => {
    const bucket = await startS3Double("state");
    const directory = `s3://state?endpoint=${encodeURIComponent(bucket.endpoint)}&s3ForcePathStyle=true#Anvil`;
    const olds = await create({ backup: { directory } }, atRest);
    expect(bucket.objects.size).toBe(1);
    bucket.mood = "forbidden";
    const { error } = await remove(olds);
    bucket.close();
    expect(error?.message).toContain("the bucket of the event log can't be read: s3://state/pillar-host/Anvil");
    expect(error?.message).toContain("403 AccessDenied");
    expect(wasStopped()).toBe(false);
  });

  test("reports an unreadable event log or a failed final backup, before it stops the node", async () => {
    await begin();
    const olds = await create({}, atRest);
    writeFileSync(join(scratch, "file"), "");
    const unread = await remove({ ...olds, backup: { directory: join(scratch, "file/backups") } });
    expect(unread.error?.message).toMatch(
      /^the event log could not be read on this machine: .*\n {2}found: ENOTDIR.*\n {2}needed: .*\n {2}Then run the same command again$/,
    );
    const backup = { directory: join(scratch, "backups"), identityFile: join(scratch, "none") };
    const { error } = await remove({ ...olds, backup });
    expect(error?.message).toMatch(/needed: [\s\S]*\n {2}Then: pulumi destroy -s prod/);
    expect(error?.message).not.toContain("run pulumi up -s prod again");
    expect(wasStopped()).toBe(false);
  });

  describe("of a server at a provider", () => {
    let cloud: Awaited<ReturnType<typeof listen>>;
    let answers: (method?: string) => readonly [status: number, body: object];
    let isProtected: boolean;
    beforeEach(async () => {
      isProtected = true;
      answers = (method) => {
        if (method === "GET") return [200, { server: { status: "running", protection: { delete: isProtected } } }];
        isProtected = false;
        return [201, {}];
      };
      cloud = await listen(
        http.createServer(({ method }, response) => {
          const [status, body] = answers(method);
          response.writeHead(status).end(JSON.stringify(body));
        }),
      );
    });
    afterEach(() => cloud.close());
    const server = () => {
      const endpoint = `http://127.0.0.1:${cloud.port}`;
      return { provider: "hetzner", id: "52", token: "s3cret", endpoint };
    };
    /** Deletes a guard as the engine does: the last one of a stack first. */
    const removed = async (isLast: boolean, facts: readonly string[], changes: object = {}) =>
      remove(await create({ ...changes, isLast, server: server() }, facts));
    const lifted =
      "retirement: the delete protection of server 52 at hetzner is lifted; if the destroy ends before the server is deleted, the next run sets it again";

    test("keeps it if it shows another key, whatever the state remembers", async () => {
      const stranger = { ssh: { ...loginTo(host), hostKey: createKeyPair().publicKey } };
      const olds = guardOf({ server: server(), host: stranger, isOwnServer: true });
      const { error } = await remove({ ...olds, isReached: false, isOwnWork: false });
      expect(error?.message).toContain("answers, and refuses this program's login: its node may still run");
      expect(events()).toEqual(["refused"]);
    });

    test("asks nobody about it if it is gone", async () => {
      answers = () => [404, {}];
      expect(await remove({ ...guardOf({ server: server() }), isReached: true })).toEqual({
        log: [
          "retirement: server 52 is not at hetzner any more: nothing is left to guard. If this run ends in an error about that server: pulumi refresh -s prod && pulumi destroy -s prod",
        ],
      });
      expect(host.connections).toBe(0);
    });

    test("keeps its protection at the first guard; the other guard lifts it last", async () => {
      await begin();
      const first = await removed(true, atRest);
      expect([first.error, isProtected]).toEqual([undefined, true]);
      const details = { serverId: "52", wasProtected: true };
      expect(journey().at(-1)).toMatchObject({ event: "released", details });
      const second = await removed(false, atRest);
      expect([second.error, second.log.at(-1), isProtected]).toEqual([undefined, lifted, false]);
      expect(wasStopped()).toBe(true);
      // Killed before the engine wrote it down, or lifted by hand.
      const again = await removed(false, atRest);
      expect([again.error, again.log.includes(lifted)]).toEqual([undefined, false]);
    });

    test("keeps its protection if the host is not released; names the next command if it can't be lifted", async () => {
      const { error } = await removed(false, hasNode, { lifecycle: "adopted" });
      expect(error?.message).toContain("- no successor of this host is configured");
      expect(isProtected).toBe(true);
      const usual = answers;
      answers = (method) => (method === "GET" ? usual(method) : [403, {}]);
      expect((await removed(false, [])).error?.message).toBe(
        [
          "127.0.0.1, the host of stack prod, is shut down, but server 52 can't be deleted: hetzner protects it",
          "  found: Hetzner answered 403 (no reason given) to POST /servers/52/actions/change_protection",
          "  needed: wait until hetzner's API answers, or use a token that may read and write (a destroy has the token of the last up)",
          "  Then, after a change of the token: pulumi up -s prod && pulumi destroy -s prod; else: pulumi destroy -s prod",
        ].join("\n"),
      );
    });
  });
});

describe("the shutdown of the node", () => {
  const memory = { createdAt: new Date().toISOString(), isReached: true, isOwnWork: true };
  beforeEach(begin);
  const shutdown = (changes: object = {}, facts = hasNode) => ({ ...inputs(changes, facts), memory });
  const shutDown = (given: ReturnType<typeof shutdown>, method = "create", ...before: unknown[]) =>
    run(["NodeShutdown", given], method, ...before, { ...storedOf(given), memory: given.memory });
  const shut = (changes: object = {}, facts = hasNode) => shutDown(shutdown(changes, facts));
  const shutAgain = (olds: object, changes: object = {}) => shutDown(shutdown(changes), "update", "id", olds);

  test("stops it once, and logs it", async () => {
    const { result, error } = await shut();
    expect([error, result?.outs.isOff, events()]).toEqual([undefined, true, ["host", "shuttingDown", "shutDown"]]);
    const olds = result?.outs ?? {};
    const again = await shutAgain(olds);
    expect([again.result?.outs.isOff, again.log]).toEqual([true, []]);
    // A run before this one was cut off, or it is another host or machine now: nobody knows.
    const elsewhere = { host: { ssh: { ...loginTo(host), address: "localhost" } } };
    const before = { ...olds, hostKey: "ssh-ed25519 BEFORE" };
    for (const [state, changes] of [[olds, { run: "2" }] as const, [olds, elsewhere] as const, [before] as const])
      expect((await shutAgain(state, changes)).log.at(-1)).toContain("is stopped, disabled and masked");
  });

  test("is refused while the host is needed, or if a node lacks the recorded momentum", async () => {
    const { error } = await shut({}, ["producer=z1qother", "keyStore=yes"]);
    expect(error?.message).toContain("can't be shut down yet; nothing was changed");
    log("recorded", { height: 1, hash: "another" });
    const stranger = await shut();
    expect(stranger.error?.message).toContain("momentum 1 is not the one that was recorded when this host was synced");
    expect(wasStopped()).toBe(false);
  });

  test("reports a host that does not answer, and tries again in the next run", async () => {
    const ssh = { ...loginTo(host), port: await closedPort() };
    // A lost host's connection is tried once.
    const away = { host: { ssh, isLost: true }, isOwnServer: true, orderedAt: new Date().toISOString() };
    // The registered address produced before the server was ordered.
    results["ledger.getMomentumBeforeTime"] = results["ledger.getFrontierMomentum"];
    const unreached = { ...shutdown(away), memory: { ...memory, isReached: false } };
    const { result, log: said } = await shutDown(unreached);
    expect([result?.outs.isOff, said.at(-1)]).toEqual([false, expect.stringContaining("does not answer (")]);
    expect((await shutAgain(result?.outs ?? {})).result?.outs.isOff).toBe(true);
  });

  test("does not run again after it is done", async () => {
    const olds = { ...shutdown({ run: "1" }), isOff: true };
    const differs = async (news: object) => (await run("NodeShutdown", "diff", "id", olds, news)).result?.changes;
    expect([await differs(shutdown()), await differs(shutdown({ run: "2" }))]).toEqual([false, true]);
  });
});
