import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseConnections } from "../../../core/host/facts.ts";
import { asRoot } from "../../../core/ssh/root.ts";
import { formatAssignments } from "../../../core/ssh/shellWords.ts";
import { readOrchestratorLibrary } from "../../../core/steps/libraries.ts";
import { parseFields } from "../../../core/util/fields.ts";
import type { BridgeInfo } from "../../../lab/doubles/chain/index.ts";
import type { Lab, LabHost } from "../../../lab/lab.ts";
import { setUpOrchestrator } from "../../../lab/oldHost/runningOrchestrator.ts";
import { setUpSyncedNode } from "../../../lab/oldHost/syncedNode.ts";
import { realSignerPrograms, setUpRealSigner, setUpWorld, setWorld, worldOf } from "../../../lab/real/realSigner.ts";
import { onHost, testLab } from "../fixture.ts";
import { contract, type Kind } from "./contract.ts";

/** The tested part of config.json. */
interface Config {
  DataPath: string;
  GlobalState: number;
  Networks: Record<string, { Urls: string[] }>;
  TssConfig: { BaseDir: string; PublicKey: string };
  ProducerKeyFileName: string;
  ProducerKeyFilePassphrase: string;
}

/**
 * Sets up an orchestrator on its own host, with its peers and nodes, before a suite's tests, and takes it down after
 * them.
 */
function subjectOf(kind: Kind) {
  const stage: { lab?: Lab; host?: LabHost; passphrase?: string } = {};
  const host = () => stage.host as LabHost;
  const lab = () => stage.lab as Lab;
  const fileOf = (home = "/root") => join(host().root, home, ".orchestrator/config.json");
  beforeAll(async () => {
    stage.lab = await testLab();
    stage.host = await stage.lab.addHost("signer");
    if (kind === "double") {
      await stage.lab.chain("PATCH", "/orchestrators/signer", { syncPollMs: 500, stopMs: 100 });
      await setUpSyncedNode(stage.lab, stage.host);
      stage.passphrase = (
        await setUpOrchestrator(stage.lab, stage.host, { started: false, statusStands: 25 })
      ).passphrase;
    } else {
      await setUpWorld(stage.host);
      stage.passphrase = await setUpRealSigner(stage.host, 1, stage.host.address, {});
    }
  });
  afterAll(async () => stage.lab?.down());
  const unit = kind === "double" ? "go-node" : "signer-world";
  return {
    get host() {
      return host();
    },
    get passphrase() {
      return stage.passphrase ?? "";
    },
    /** Runs it by hand, in another working directory, until it ends or for a while. */
    once: async (home = "/root", seconds = 20) => {
      const code = await onHost(
        host(),
        `cd /tmp; env -i HOME=${home} PATH="$PATH" timeout -s KILL ${seconds} orchestrator > /tmp/out 2> /tmp/log < /dev/null && echo 0 || echo $?`,
      );
      const [out, log] = await Promise.all([onHost(host(), "cat /tmp/out"), onHost(host(), "cat /tmp/log")]);
      return { code: Number(code), out, log };
    },
    /** Starts its unit; returns when its RPC is open. */
    start: async () => {
      await onHost(host(), "systemctl reset-failed orchestrator 2> /dev/null || true; systemctl start orchestrator");
      await expect.poll(() => onHost(host(), "ss -Hltn 'sport = :55000'")).not.toBe("");
    },
    configure: (change: (config: Config) => void) => {
      const config = JSON.parse(readFileSync(fileOf(), "utf8")) as Config;
      change(config);
      writeFileSync(fileOf(), JSON.stringify(config, undefined, 4));
    },
    config: (home?: string) => JSON.parse(readFileSync(fileOf(home), "utf8")) as Config,
    halt: async (is: boolean) => {
      if (kind === "real") await setWorld(host(), { halted: is ? "1" : "0", evmhalted: is ? "1" : "0" });
      else await stage.lab?.chain("PATCH", "/orchestrators/signer", { halted: is });
    },
    /** Reads the bridge's key as the chain has it, in base64. */
    bridgeKey: async () => {
      if (kind === "real") return (await worldOf(host())).Comp;
      return (await lab().chain<BridgeInfo>("GET", "/bridge")).compressedTssECDSAPubKey;
    },
    setBridgeKey: async (key: string) => {
      if (kind === "real") await setWorld(host(), { comp: key });
      else await lab().chain("PATCH", "/bridge", { compressedTssECDSAPubKey: key });
    },
    node: async (is: "there" | "away") => {
      if (is === "away") await onHost(host(), `systemctl stop ${unit}`);
      else if (kind === "double") await onHost(host(), `systemctl start ${unit}`);
      else await setUpWorld(host());
    },
    /** Asks its RPC: status, content type and body. */
    ask: async (body: string, options = "-X POST") => {
      const said = await onHost(
        host(),
        `printf '%s' '${body}' > /tmp/body; curl -s -m 10 ${options} --data-binary @/tmp/body -w '\\n%{http_code} %{content_type}' http://127.0.0.1:55000/any`,
      );
      const at = said.lastIndexOf("\n");
      const [, status, type = ""] = /^(\d+) (.*)$/.exec(said.slice(at + 1)) ?? [];
      return { status: Number(status), type, body: said.slice(0, at).trimEnd() };
    },
  };
}

contract("orchestrator", realSignerPrograms, (kind) => {
  const subject = subjectOf(kind);
  const method = (name: string) => JSON.stringify({ method: name, params: [] });
  const status = async () => {
    const { body } = await subject.ask(method("getStatus"));
    return (JSON.parse(body) as { result: Record<string, unknown> }).result;
  };
  /** Waits because all callers share two requests a second. */
  const pause = () => sleep(1100);

  it("writes its configuration at the first start in an empty home, and ends", async () => {
    await onHost(subject.host, "mkdir -p /srv/empty");
    const { code, out } = await subject.once("/srv/empty");
    expect(code).toBe(1);
    expect(out).toMatch(/^Starting orchestrator\.\n/);
    expect(subject.config("/srv/empty")).toMatchObject({
      DataPath: "/srv/empty/.orchestrator",
      GlobalState: 0,
      ProducerKeyFileName: "producer",
      TssConfig: { BaseDir: "/srv/empty/.orchestrator/tss", PublicKey: "" },
    });
  });

  it("ends if its pass phrase is wrong or its key store is a folder, without an error in the log", async () => {
    const right = subject.passphrase;
    subject.configure((config) => Object.assign(config, { ProducerKeyFilePassphrase: "another" }));
    const wrong = await subject.once();
    subject.configure((config) => Object.assign(config, { ProducerKeyFilePassphrase: right }));
    await onHost(subject.host, "cd /root/.orchestrator && mv producer aside && mkdir producer");
    const folder = await subject.once();
    await onHost(subject.host, "cd /root/.orchestrator && rmdir producer && mv aside producer");
    for (const { code, log } of [wrong, folder]) {
      expect(code, log).toBe(1);
      expect(log).toMatch(/\tINFO\t\S+\tfailed to create the node/);
      expect(log).not.toMatch(/\t(ERROR|FATAL)\t/);
    }
  });

  it("waits neither for a node that is down nor for a node of another chain", async () => {
    await subject.node("away");
    expect(await subject.once()).toMatchObject({ code: 1, log: expect.stringContaining("failed to create the node") });
    await subject.node("there");
    let before: string[] = [];
    subject.configure(({ Networks }) => {
      before = Networks.Ethereum?.Urls ?? [];
      Networks.Ethereum = { ...Networks.Ethereum, Urls: ["ws://127.0.0.1:1"] };
    });
    expect(await subject.once()).toMatchObject({ code: 1, log: expect.stringContaining("failed to create the node") });
    subject.configure(({ Networks }) => {
      Networks.Ethereum = { ...Networks.Ethereum, Urls: before };
    });
  });

  it("ends by DataPath in a moved directory, and stays live without a share by BaseDir", async () => {
    await onHost(subject.host, "mkdir -p /srv/moved && cp -a /root/.orchestrator /srv/moved/");
    subject.configure((config) => Object.assign(config, { DataPath: "/gone/.orchestrator" }));
    expect((await subject.once()).code).toBe(1);
    subject.configure((config) => Object.assign(config, { DataPath: "/root/.orchestrator" }));
    subject.configure(({ TssConfig }) => Object.assign(TssConfig, { BaseDir: "/gone/tss" }));
    expect((await subject.once("/root", 6)).code).toBe(137);
    expect(subject.config().TssConfig.PublicKey).toBe("");
    subject.configure(({ TssConfig }) => Object.assign(TssConfig, { BaseDir: "/root/.orchestrator/tss" }));
  });

  it("uses only the share named after the bridge's key", async () => {
    const own = await subject.bridgeKey();
    const other = Buffer.from(own, "base64");
    other.writeUInt8(other.readUInt8(32) ^ 1, 32);
    const fileOf = (key: Buffer) => `localstate-${key.toString("hex")}.json`;
    const tss = "cd /root/.orchestrator/tss";
    await onHost(subject.host, `${tss} && cp ${fileOf(Buffer.from(own, "base64"))} ${fileOf(other)}`);
    const taken = async () => {
      expect((await subject.once("/root", 6)).code).toBe(137);
      return subject.config().TssConfig.PublicKey;
    };
    expect(await taken()).toBe(own);
    await onHost(subject.host, `${tss} && rm ${fileOf(other)}`);
    await subject.setBridgeKey(other.toString("base64"));
    expect(await taken()).toBe("");
    await subject.setBridgeKey(own);
    expect(await taken()).toBe(own);
  });

  it("starts, finds its share, and listens on all addresses", async () => {
    await subject.start();
    expect(subject.config().TssConfig.PublicKey).toMatch(/^[A-Za-z0-9+/]{44}$/);
    expect(await onHost(subject.host, "ss -Hltn | awk '{print $4}' | grep -E ':55(000|055)$' | sort")).toBe(
      "*:55000\n0.0.0.0:55055",
    );
    const second = await subject.once("/root", 10);
    expect([second.code, second.log]).toEqual([1, expect.stringContaining("unable to acquire file-lock")]);
  });

  it("holds a connection to its node, which is seen", async () => {
    const { port } = new URL(subject.config().Networks.Zenon?.Urls[0] ?? "");
    const functions = readOrchestratorLibrary().split(asRoot)[1] ?? "";
    const seen = await onHost(subject.host, `${functions}\nconnections_of orchestrator`);
    const ends = parseConnections(parseFields(seen));
    expect(ends).toContainEqual({ host: "127.0.0.1", port: Number(port) });
    const held = `ss -Htnp state established dport = :${port} | grep -c '"orchestrator'`;
    expect(Number(await onHost(subject.host, held))).toBeGreaterThan(0);
  });

  it("answers in its own format to any verb, path and type", async () => {
    const type = "text/plain; charset=utf-8";
    await pause();
    const build = await subject.ask(method("getBuildInfo"));
    expect(build).toMatchObject({ status: 200, type });
    expect(build.body).toMatch(
      /^{"result":{"version":"v0\.0\.9a","gitCommit":"[0-9a-f]{40}","goVersion":"go[\d.]+"},"error":""}$/,
    );
    const put = await subject.ask(method("getIdentity"), "-X PUT -H 'content-type: text/html'");
    expect(put.status).toBe(200);
    expect(Object.keys((JSON.parse(put.body) as { result: object }).result)).toEqual([
      ...["producer", "pillarName", "tssPeerPubKey", "tssPeerId", "evmAddress"],
    ]);
    await pause();
    const error = (text: string) => JSON.stringify({ result: null, error: text });
    expect(await subject.ask(method("getNope"))).toEqual({
      status: 404,
      type,
      body: error("Method getNope not found"),
    });
    expect(await subject.ask('{"params":[]}')).toEqual({ status: 404, type, body: error("Method  not found") });
    await pause();
    const given = await subject.ask('{"method":"getStatus","params":[1]}');
    expect(given).toEqual({ status: 500, type, body: error("this method does not accept parameters") });
    expect(await subject.ask("")).toEqual({ status: 400, type, body: error("Invalid request: EOF") });
    const body = method("getBuildInfo");
    const many = await onHost(
      subject.host,
      `for i in 1 2 3 4; do curl -s -d '${body}' -w '%{http_code}\\n' http://127.0.0.1:55000; done`,
    );
    expect(many).toContain(`${error("Too many requests per second. Maximum ")}\n429`);
  });

  it("reports networks and peers, and repeats an answer for 25 seconds", async () => {
    await pause();
    const first = await status();
    const parts = ["state", "stateName", "frontierMomentum", "networks", "peersLen", "peers"];
    expect(Object.keys(first)).toEqual(parts);
    expect(first).toMatchObject({ state: 0, stateName: "LiveState", networks: { Ethereum: {} } });
    expect(Object.keys((first.networks as { Ethereum: object }).Ethereum)).toEqual([
      ...["chainId", "networkClass", "contractAddress", "contractDeploymentHeight", "estimatedBlockTime"],
      ...["confirmationsToFinality", "latestUpdateHeight", "wrapsToSign", "wrapsHash", "unwrapsToSign", "unwrapsHash"],
    ]);
    await sleep(6000);
    expect(await status()).toEqual(first);
    const frontier = async () => (await status()).frontierMomentum;
    await expect.poll(frontier, { interval: 3000 }).toBeGreaterThan(first.frontierMomentum as number);
  });

  it("starts halted while its bridge and all networks are", async () => {
    await onHost(subject.host, "systemctl stop orchestrator");
    await subject.halt(true);
    await subject.start();
    await sleep(3000);
    expect(await status()).toMatchObject({ state: 2, stateName: "HaltedState" });
  });

  it("logs its configuration with the pass phrase at each start; we pass none of it on", async () => {
    const log = await onHost(subject.host, "journalctl -u orchestrator -o cat --no-pager");
    expect(log).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d{4})\tINFO\tapp\/config\.go:30\tUsing the following/m);
    const values = log.split("\n").find((line) => line.includes("app/config.go:32"));
    expect(values?.includes(` ${subject.passphrase} `)).toBe(true);
    const functions = readOrchestratorLibrary().split(asRoot)[1] ?? "";
    const names = { service: "orchestrator", executable: "orchestrator" };
    const place = { ...names, directory: "/root/.orchestrator", p2p_port: "55055", log_lines: "500" };
    const told = await onHost(subject.host, `${functions}\n${formatAssignments(place)}orchestrator_life`);
    expect(told).toContain("ActiveState=active\n");
    expect(told).toMatch(/\tINFO\t/);
    for (const form of [subject.passphrase, JSON.stringify(subject.passphrase).slice(1, -1), "ProducerKeyFile"])
      expect(told.includes(form)).toBe(false);
  });

  it("stops cleanly, and writes its state to config.json", async () => {
    const began = Date.now();
    await onHost(subject.host, "systemctl stop orchestrator");
    expect(Date.now() - began).toBeLessThan(10_000);
    expect(await onHost(subject.host, "systemctl show -p Result --value orchestrator")).toBe("success");
    expect(await onHost(subject.host, "journalctl -u orchestrator -n 60 -o cat")).toMatch(/\tWARN\t\S+\tStopping orch/);
    expect(subject.config().GlobalState).toBe(2);
    await subject.halt(false);
  });

  it("ends when it loses its node, and its unit starts it again", async () => {
    await subject.start();
    await subject.node("away");
    const restarts = () => onHost(subject.host, "systemctl show -p NRestarts --value orchestrator");
    await expect.poll(restarts).not.toBe("0");
    // The first of its three subscriptions to notice ends it, often before another is logged. The real one's world is
    // its node and its other chain in one process.
    const lost =
      "\t(DEBUG\tnetwork/znn\\.go:(793\tlisten mom|828\tlisten accB) err:|ERROR\tnetwork/evm\\.go:584\t) ?websocket: close 1006 ";
    const told = () =>
      onHost(subject.host, `journalctl -u orchestrator -o cat --no-pager | grep -cP '${lost}' || true`);
    await expect.poll(told).not.toBe("0");
    await subject.node("there");
    await expect.poll(() => onHost(subject.host, "ss -Hltn 'sport = :55000'")).not.toBe("");
  });
});
