import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { asRoot } from "../../../core/ssh/root";
import { readRetirementLibrary } from "../../../core/steps/libraries";
import { createKeyPair } from "../../../providers/hostKey";
import { type Outcome, storedProviders } from "../../providers/storedProviders";
import { journeyIn, putEvent } from "../../recordIn";
import { closedPort, fakeNode, listen, loginTo, type SshHost, sshHost } from "../chain/fakes";
import { type Mood, startS3Double } from "../store/s3Double";

// The engine runs a provider from the state's text, in a process without the program's modules.

// Those of a bucket, as the operator's environment has them.
Object.assign(process.env, { AWS_ACCESS_KEY_ID: "operator", AWS_SECRET_ACCESS_KEY: "hunter2" });
const stored = storedProviders<"retirementGuard" | "nodeShutdown">();
let host: SshHost;
let node: Awaited<ReturnType<typeof fakeNode>>;
let scratch: string;

beforeEach(async () => {
  scratch = mkdtempSync(join(tmpdir(), "guard-"));
  host = await sshHost();
  mkdirSync(join(scratch, "znn/wallet"), { recursive: true });
  writeFileSync(join(scratch, "znn/wallet/producer"), "hunter2");
  const now = Math.floor(Date.now() / 1000);
  const momentum = { height: 1, timestamp: now, hash: "ab", producer: "z1qother" };
  node = await fakeNode(
    {
      "ledger.getFrontierMomentum": momentum,
      "ledger.getMomentumBeforeTime": null,
      "ledger.getMomentumsByHeight": { list: [momentum] },
      "embedded.pillar.getByName": {
        name: "Anvil",
        producerAddress: "z1qother",
        withdrawAddress: "z1qw",
        currentStats: {},
      },
    },
    0,
    "127.0.0.2",
  );
});
afterEach(async () => {
  await Promise.all([host.close(), node.close()]);
  rmSync(scratch, { recursive: true });
});

async function run(...given: Parameters<typeof stored.run>): Promise<Outcome> {
  const outcome = await stored.run(...given);
  expect(/login-pw|s3cret|hunter2/.test(JSON.stringify([outcome.error, outcome.log]))).toBe(false);
  return outcome;
}

/** Returns the real functions without root, with these facts of the host. */
const library = (facts: readonly string[]) => {
  const [, functions = ""] = readRetirementLibrary().split(asRoot);
  const fake = `retire_facts() { printf '%s\\n' ${[...facts, "end=yes"].map((line) => `'${line}'`).join(" ")}; }`;
  const stop = `retire_stop() { echo stopped >> ${scratch}/stopped; }`;
  return `become_root() { "$@"; }\n${asRoot}\n${functions}\nstate=${scratch}/state signer_runs=${scratch}/run\n${fake}\n${stop}\n`;
};
const places = () => ({
  service: "go-node",
  dataDir: `${scratch}/znn`,
  rpcPort: node.port,
  signer: { service: "orchestrator", directory: `${scratch}/signer`, executable: "orchestrator", rpcPort: 1 },
});
const inputs = (changes: object = {}, facts: readonly string[] = []) => ({
  stack: "prod",
  pillar: "Anvil",
  lifecycle: "active",
  isLast: true,
  isOwnServer: false,
  __provider: "its text",
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
const events = () => journeyIn(join(scratch, "backups"), "Anvil").map(({ event }) => event);
const hasNode = ["producer=z1qown", "keyStore=yes", "nodeActive=no", "marked.deploy.done=x"];

describe("the guard", () => {
  test("records a synced node's momentum on create, and logs it", async () => {
    const { result, error } = await run("retirementGuard", "create", inputs());
    expect(error).toBeUndefined();
    expect(result?.outs).toMatchObject({ isReached: true, isOwnWork: true, recorded: { height: 1, hash: "ab" } });
    expect(events()).toEqual(["recorded"]);
  });

  test("records the host on create of the host's guard, without a login", async () => {
    const { result } = await run("retirementGuard", "create", inputs({ isLast: false, lifecycle: "adopted" }));
    expect(result?.outs).toMatchObject({ isReached: true, isOwnWork: false });
    expect(journeyIn(join(scratch, "backups"), "Anvil")[0]).toMatchObject({
      event: "host",
      details: { address: "127.0.0.1", hostKey: host.hostKey, provider: "existing", isOwnWork: false },
    });
  });

  test("counts as reached for a retiring stack if the event log says so since the last release", async () => {
    const retiring = inputs({ lifecycle: "retiring", isLast: false });
    const isReached = async () => (await run("retirementGuard", "create", retiring)).result?.outs.isReached;
    expect(await isReached()).toBe(false);
    const entry = { at: "2026-01-01T00:00:00Z", stack: "prod", pillar: "Anvil" };
    putEvent(join(scratch, "backups"), { ...entry, event: "shutDown", details: { address: "a", evidence: [] } });
    expect(await isReached()).toBe(true);
    putEvent(join(scratch, "backups"), { ...entry, event: "released", details: { evidence: [] } });
    expect(await isReached()).toBe(false);
  });

  test("refuses another Pillar's name on update, keeps its memory, and records a missing momentum", async () => {
    const { result } = await run(
      "retirementGuard",
      "create",
      inputs({ node: { ...inputs().node, port: await closedPort() }, knownProducer: "z1qown" }),
    );
    expect(result?.outs).not.toHaveProperty("recorded");
    const olds = result?.outs ?? {};
    const renamed = await run("retirementGuard", "update", "id", olds, inputs({ pillar: "Bolt" }));
    expect(renamed.error?.message).toBe(
      "pillar-host:pillar.name: this stack's host is that of Anvil; nothing was changed\n" +
        "  found: Bolt\n  needed: set it back: pulumi config set --type string --path pillar-host:pillar.name Anvil -s prod\n" +
        "  Bolt gets a stack of its own: ./pillar-host init NEW",
    );
    const kept = await run("retirementGuard", "update", "id", olds, inputs());
    expect(kept.result?.outs).toMatchObject({
      createdAt: olds.createdAt,
      knownProducer: "z1qown",
      recorded: { hash: "ab" },
    });
  });

  test("logs on update that a retirement is undone, once, before anything starts on the host", async () => {
    const first = inputs({ isLast: false, lifecycle: "retiring" });
    const { result } = await run("retirementGuard", "create", first);
    const active = inputs({ isLast: false });
    const { result: taken } = await run("retirementGuard", "update", "id", result?.outs, active);
    expect(journeyIn(join(scratch, "backups"), "Anvil")).toMatchObject([
      { event: "reactivated", details: { address: "127.0.0.1" } },
    ]);
    await run("retirementGuard", "update", "id", taken?.outs, active);
    expect(events()).toEqual(["reactivated"]);
  });

  test("releases an empty host on delete, and logs it", async () => {
    const { result } = await run("retirementGuard", "create", inputs());
    const { error, log } = await run("retirementGuard", "delete", "id", result?.outs);
    expect(error).toBeUndefined();
    expect(log.join("\n")).toContain("127.0.0.1 has neither a node nor an orchestrator on it");
    expect(events()).toEqual(["recorded", "released"]);
  });

  test("refuses on delete with findings and next command, and changes nothing", async () => {
    const { result } = await run("retirementGuard", "create", inputs({ lifecycle: "adopted" }, hasNode));
    const { error } = await run("retirementGuard", "delete", "id", result?.outs);
    expect(error?.message).toContain("- no successor of this host is configured");
    expect(error?.message).toMatch(
      /PILLAR_HOST_GIVE_UP_ANYWAY='Anvil: I accept to lose momentums and rewards' pulumi destroy -s prod$/,
    );
    expect(error?.unsendable).toBeUndefined();
    expect([events(), readdirSync(scratch).includes("stopped")]).toEqual([["recorded", "refused"], false]);
  });

  test("releases a deployed host that never produced, after its final backup", async () => {
    const facts = [...hasNode, "nodeMasked=yes"];
    const { result } = await run("retirementGuard", "create", inputs({}, facts));
    const first = await run("retirementGuard", "delete", "id", result?.outs);
    expect(first.error).toBeUndefined();
    expect(first.log.join("\n")).toMatch(
      /has produced nothing since it joined this stack[\s\S]*proved by decrypting[\s\S]*is stopped, and stays off/,
    );
    const second = await run("retirementGuard", "delete", "id", result?.outs);
    expect(second.error).toBeUndefined();
    expect(second.log.join("\n")).not.toContain("proved by decrypting");
    expect(events()).toEqual(["recorded", "released"]);
    expect(readFileSync(join(scratch, "stopped"), "utf8")).toBe("stopped\n");
  });

  describe("with the event log lost", () => {
    const facts = [...hasNode, "nodeMasked=yes"];
    const deleted = async (remembered: object | undefined) => {
      const begun = await run("retirementGuard", "create", inputs({ isLast: false }, facts));
      const known = inputs({ isLast: false, ...(remembered ? { remembered } : {}) }, facts);
      const kept = await run("retirementGuard", "update", "id", { ...begun.result?.outs }, known);
      // A fact that a run omits stays known.
      const again = await run(
        "retirementGuard",
        "update",
        "id",
        { ...kept.result?.outs },
        inputs({ isLast: false }, facts),
      );
      rmSync(join(scratch, "backups"), { recursive: true, force: true });
      return run("retirementGuard", "delete", "id", again.result?.outs);
    };

    test("keeps a host that produced by the state, even without momentums on the chain", async () => {
      const { error } = await deleted({ produced: "seen" });
      expect(error?.message).toContain("- no successor of this host is configured");
      expect(readdirSync(scratch)).not.toContain("stopped");
    });

    test("takes a node without the state's momentum for one of another chain", async () => {
      const { error } = await deleted({ recorded: { height: 1, hash: "another" } });
      expect(error?.message).toContain("momentum 1 is not the one that was recorded when this host was synced");
      expect(readdirSync(scratch)).not.toContain("stopped");
    });

    test("asks the chain if the state has neither", async () => {
      const { error, log } = await deleted(undefined);
      expect(error).toBeUndefined();
      expect(log.join("\n")).toContain("has produced nothing since it joined this stack");
    });
  });

  test.each<[Mood, string]>([
    ["forbidden", "403 AccessDenied"],
    ["cut", "aborted"],
  ])("releases nothing and changes nothing if the event log's bucket is %s", async (mood, found) => {
    const bucket = await startS3Double("state");
    const address = `s3://state?endpoint=${encodeURIComponent(bucket.endpoint)}&s3ForcePathStyle=true#Anvil-${mood}`;
    const { result, error } = await run(
      "retirementGuard",
      "create",
      inputs({ backup: { directory: address } }, [...hasNode, "nodeMasked=yes"]),
    );
    expect([error, bucket.objects.size]).toEqual([undefined, 1]);
    bucket.mood = mood;
    const refused = await run("retirementGuard", "delete", "id", result?.outs);
    bucket.close();
    expect(refused.error?.message).toContain(
      "the bucket of the event log can't be read: s3://state/pillar-host/Anvil-",
    );
    expect(refused.error?.message).toContain(found);
    expect(readdirSync(scratch)).not.toContain("stopped");
  });

  test("keeps a host that produced by the event log, with the state lost", async () => {
    const entry = { at: new Date().toISOString(), stack: "prod", pillar: "Anvil" };
    const details = { producerAddress: "z1qown", height: 1, switchedAt: entry.at };
    putEvent(join(scratch, "backups"), { ...entry, event: "producing", details });
    const { result } = await run("retirementGuard", "create", inputs({}, [...hasNode, "nodeMasked=yes"]));
    const { error } = await run("retirementGuard", "delete", "id", result?.outs);
    expect(error?.message).toContain("- no successor of this host is configured");
  });

  test("finds a node that was started again after the release", async () => {
    const { result } = await run("retirementGuard", "create", inputs({}, [...hasNode, "nodeMasked=yes"]));
    await run("retirementGuard", "delete", "id", result?.outs);
    const again = {
      ...result?.outs,
      library: library([...hasNode.filter((line) => line !== "nodeActive=no"), "nodeActive=yes"]),
    };
    expect((await run("retirementGuard", "delete", "id", again)).error).toBeUndefined();
    expect(readFileSync(join(scratch, "stopped"), "utf8")).toBe("stopped\nstopped\n");
  });

  test("takes no release of another host, nor one from before the guard", async () => {
    const { result } = await run("retirementGuard", "create", inputs({}, [...hasNode, "nodeMasked=yes"]));
    await run("retirementGuard", "delete", "id", result?.outs);
    const later = { ...result?.outs, createdAt: new Date(Date.now() + 60_000).toISOString() };
    expect((await run("retirementGuard", "delete", "id", later)).log.join("\n")).toContain("proved by decrypting");
  });

  test("reports an unreadable event log in words", async () => {
    const { result } = await run("retirementGuard", "create", inputs());
    writeFileSync(join(scratch, "file"), "");
    const olds = { ...result?.outs, backup: { directory: join(scratch, "file/backups") } };
    const { error } = await run("retirementGuard", "delete", "id", olds);
    expect(error?.message).toMatch(
      /^the event log could not be read on this machine: .*\n {2}found: ENOTDIR.*\n {2}needed: .*\n {2}Then run the same command again$/,
    );
  });

  test("reports a final backup that fails, before it stops the node", async () => {
    const { result } = await run("retirementGuard", "create", inputs({}, [...hasNode, "nodeMasked=yes"]));
    const directory = join(scratch, "backups");
    const olds = { ...result?.outs, backup: { directory, identityFile: join(scratch, "none") } };
    const { error } = await run("retirementGuard", "delete", "id", olds);
    expect(error?.message).toMatch(/needed: [\s\S]*\n {2}Then: pulumi destroy -s prod/);
    expect(error?.message).not.toContain("run pulumi up -s prod again");
    expect(readdirSync(scratch)).not.toContain("stopped");
  });

  test("knows that its host was reached after it was removed from the state", async () => {
    const retiring = (remembered?: object) =>
      inputs({ lifecycle: "retiring", isOwnServer: true, ...(remembered ? { remembered } : {}) });
    const isReached = async (outcome: Promise<Outcome>) => (await outcome).result?.outs.isReached;
    expect(await isReached(run("retirementGuard", "create", retiring()))).toBe(false);
    expect(await isReached(run("retirementGuard", "create", retiring({ isReached: true })))).toBe(true);
    const olds = { ...retiring(), createdAt: new Date().toISOString(), isReached: false };
    expect(await isReached(run("retirementGuard", "update", "id", olds, retiring({ isReached: true })))).toBe(true);
  });

  test("keeps a server that shows another key, whatever the state remembers", async () => {
    const cloud = await listen(
      http.createServer((_request, response) => response.end('{"server":{"status":"running"}}')),
    );
    const server = { provider: "hetzner", id: "52", token: "s3cret", endpoint: `http://127.0.0.1:${cloud.port}` };
    const stranger = { ssh: { ...loginTo(host), hostKey: createKeyPair().publicKey } };
    const { error } = await run("retirementGuard", "delete", "id", {
      ...inputs({ server, host: stranger, isOwnServer: true }),
      createdAt: new Date().toISOString(),
      isReached: false,
      isOwnWork: false,
    });
    await cloud.close();
    expect(error?.message).toContain("answers, and refuses this program's login: its node may still run");
    expect(events()).toEqual(["refused"]);
  });

  test("asks nobody about a server that is gone", async () => {
    const cloud = await listen(http.createServer((_request, response) => response.writeHead(404).end("{}")));
    const server = { provider: "hetzner", id: "52", token: "s3cret", endpoint: `http://127.0.0.1:${cloud.port}` };
    const outcome = await run("retirementGuard", "delete", "id", {
      ...inputs({ server }),
      createdAt: "",
      isReached: true,
    });
    await cloud.close();
    expect(outcome).toEqual({
      log: [
        "retirement: server 52 is not at hetzner any more: nothing is left to guard. If this run ends in an error about that server: pulumi refresh -s prod && pulumi destroy -s prod",
      ],
    });
    expect(host.connections).toBe(0);
  });

  describe("a server that its provider protects", () => {
    let cloud: Awaited<ReturnType<typeof listen>>;
    let protection: boolean;
    let refuses: number | undefined;
    beforeEach(async () => {
      [protection, refuses] = [true, undefined];
      const answer = (method = "") => {
        if (method === "GET")
          return [200, { server: { status: "running", protection: { delete: protection } } }] as const;
        if (refuses !== undefined) return [refuses, {}] as const;
        protection = false;
        return [201, {}] as const;
      };
      cloud = await listen(
        http.createServer((request, response) => {
          const [status, body] = answer(request.method);
          response.writeHead(status).end(JSON.stringify(body));
        }),
      );
    });
    afterEach(() => cloud.close());

    /** Deletes a guard as the engine does: the last one of a stack first. */
    const deleted = async (isLast: boolean, facts: readonly string[], changes: object = {}) => {
      const server = { provider: "hetzner", id: "52", token: "s3cret", endpoint: `http://127.0.0.1:${cloud.port}` };
      const begun = await run("retirementGuard", "create", inputs({ ...changes, isLast, server }, facts));
      return run("retirementGuard", "delete", "id", begun.result?.outs);
    };
    const lifted =
      "retirement: the delete protection of server 52 at hetzner is lifted; if the destroy ends before the server is deleted, the next run sets it again";

    test("keeps its protection at the first guard; the other guard lifts it last", async () => {
      const facts = [...hasNode, "nodeMasked=yes"];
      const first = await deleted(true, facts);
      expect([first.error, protection]).toEqual([undefined, true]);
      expect(journeyIn(join(scratch, "backups"), "Anvil").at(-1)).toMatchObject({
        event: "released",
        details: { serverId: "52", wasProtected: true },
      });
      const second = await deleted(false, facts);
      expect([second.error, second.log.at(-1), protection]).toEqual([undefined, lifted, false]);
      expect(readdirSync(scratch)).toContain("stopped");
      // Killed before the engine wrote it down, or lifted by hand.
      const again = await deleted(false, facts);
      expect([again.error, again.log.includes(lifted)]).toEqual([undefined, false]);
    });

    test("keeps its protection if the host is not released", async () => {
      const { error } = await deleted(false, hasNode, { lifecycle: "adopted" });
      expect(error?.message).toContain("- no successor of this host is configured");
      expect(protection).toBe(true);
    });

    test("names the next command if the provider does not lift the protection", async () => {
      refuses = 403;
      const { error } = await deleted(false, []);
      expect(error?.message).toBe(
        [
          "127.0.0.1, the host of stack prod, is shut down, but server 52 can't be deleted: hetzner protects it",
          "  found: pillar-host:host.token: Hetzner answered 403 (no reason given)",
          "  needed: wait until hetzner's API answers, or use a token that may read and write (a destroy has the token of the last up)",
          "  Then, after a change of the token: pulumi up -s prod && pulumi destroy -s prod; else: pulumi destroy -s prod",
        ].join("\n"),
      );
    });
  });
});

describe("the shutdown of the node", () => {
  const memory = { createdAt: new Date().toISOString(), isReached: true, isOwnWork: true };
  const shutdown = (changes: object = {}, facts = hasNode) => ({ ...inputs(changes, facts), memory });

  test("stops it once, and logs it", async () => {
    const { result, error } = await run("nodeShutdown", "create", shutdown());
    expect(error).toBeUndefined();
    expect([result?.outs.isOff, events()]).toEqual([true, ["shuttingDown", "shutDown"]]);
    const again = await run("nodeShutdown", "update", "id", result?.outs, shutdown());
    expect([again.result?.outs.isOff, again.log]).toEqual([true, []]);
    // A run before this one was cut off, or it is another host now: nobody knows.
    for (const changes of [{ run: "2" }, { host: { ssh: { ...loginTo(host), address: "localhost" } } }]) {
      const { log } = (await run("nodeShutdown", "update", "id", result?.outs, shutdown(changes))) as Outcome;
      expect(log.at(-1)).toContain("is stopped, disabled and masked");
    }
    // The shutdown of the earlier machine does not count for the new one.
    const before = { ...result?.outs, host: { ssh: { ...loginTo(host), hostKey: "ssh-ed25519 BEFORE" } } };
    const anew = await run("nodeShutdown", "update", "id", before, shutdown());
    expect(anew.log.at(-1)).toContain("is stopped, disabled and masked");
  });

  test("is refused while the host is needed", async () => {
    const { error } = await run("nodeShutdown", "create", shutdown({}, ["producer=z1qother", "keyStore=yes"]));
    expect(error?.message).toContain("can't be shut down yet; nothing was changed");
    expect(readdirSync(scratch)).not.toContain("stopped");
  });

  test("is refused if a node lacks the state's momentum and the event log is lost", async () => {
    const recorded = (hash: string) => shutdown({ remembered: { recorded: { height: 1, hash } } });
    const { error } = await run("nodeShutdown", "create", recorded("another"));
    expect(error?.message).toContain("momentum 1 is not the one that was recorded when this host was synced");
    expect(readdirSync(scratch)).not.toContain("stopped");
    expect((await run("nodeShutdown", "create", recorded("ab"))).error).toBeUndefined();
  });

  test("reports a host that does not answer, and tries again in the next run", async () => {
    const away = { host: { ssh: { ...loginTo(host), port: await closedPort() } }, isOwnServer: true };
    const { result, log } = await run("nodeShutdown", "create", {
      ...shutdown(away),
      memory: { ...memory, isReached: false },
    });
    expect(result?.outs.isOff).toBe(false);
    expect(log.at(-1)).toContain("does not answer (");
    const again = await run("nodeShutdown", "update", "id", result?.outs, shutdown());
    expect(again.result?.outs.isOff).toBe(true);
  });

  test("does not run again after it is done", async () => {
    const olds = { ...shutdown({ run: "1" }), isOff: true };
    const differs = async (news: object) => (await run("nodeShutdown", "diff", "id", olds, news)).result?.changes;
    expect(await differs(shutdown())).toBe(false);
    expect(await differs(shutdown({ run: "2" }))).toBe(true);
  });
});
