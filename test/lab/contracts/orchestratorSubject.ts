import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import type { BridgeInfo } from "../../../lab/doubles/chain";
import type { Lab, LabHost } from "../../../lab/lab";
import { setUpOrchestrator } from "../../../lab/oldHost/runningOrchestrator";
import { setUpSyncedNode } from "../../../lab/oldHost/syncedNode";
import { setUpRealSigner, setUpWorld, setWorld, worldOf } from "../../../lab/real/realSigner";
import { onHost, testLab } from "../fixture";
import type { Kind } from "./contract";

/** An orchestrator on its own host, with its peers and nodes; the double or the real one. */
export interface Subject {
  readonly host: LabHost;
  readonly passphrase: string;
  /** Runs it by hand, in another working directory, until it ends or for a while. */
  once(home?: string, seconds?: number): Promise<{ code: number; out: string; log: string }>;
  /** Starts its unit; returns when its RPC is open. */
  start(): Promise<void>;
  /** Changes config.json in the home's folder. */
  configure(change: (config: Config) => void): void;
  config(home?: string): Config;
  halt(is: boolean): Promise<void>;
  node(is: "there" | "away"): Promise<void>;
  /** Reads the bridge's key as the chain has it, in base64. */
  bridgeKey(): Promise<string>;
  setBridgeKey(key: string): Promise<void>;
  /** Asks its RPC: status, content type and body. */
  ask(body: string, options?: string): Promise<{ status: number; type: string; body: string }>;
}

/** The tested part of config.json. */
export interface Config {
  DataPath: string;
  GlobalState: number;
  Networks: Record<string, { Urls: string[] }>;
  TssConfig: { BaseDir: string; PublicKey: string };
  ProducerKeyFileName: string;
  ProducerKeyFilePassphrase: string;
}

/** Sets the subject up before a suite's tests, and takes it down after them. */
export function subjectOf(kind: Kind): Subject {
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
    once: async (home = "/root", seconds = 20) => {
      const code = await onHost(
        host(),
        `cd /tmp; env -i HOME=${home} PATH="$PATH" timeout -s KILL ${seconds} orchestrator > /tmp/out 2> /tmp/log < /dev/null && echo 0 || echo $?`,
      );
      const [out, log] = await Promise.all([onHost(host(), "cat /tmp/out"), onHost(host(), "cat /tmp/log")]);
      return { code: Number(code), out, log };
    },
    start: async () => {
      await onHost(host(), "systemctl reset-failed orchestrator 2> /dev/null || true; systemctl start orchestrator");
      await expect.poll(() => onHost(host(), "ss -Hltn 'sport = :55000'")).not.toBe("");
    },
    configure: (change) => {
      const config = JSON.parse(readFileSync(fileOf(), "utf8")) as Config;
      change(config);
      writeFileSync(fileOf(), JSON.stringify(config, undefined, 4));
    },
    config: (home) => JSON.parse(readFileSync(fileOf(home), "utf8")) as Config,
    halt: async (is) => {
      if (kind === "real") await setWorld(host(), { halted: is ? "1" : "0", evmhalted: is ? "1" : "0" });
      else await stage.lab?.chain("PATCH", "/orchestrators/signer", { halted: is });
    },
    bridgeKey: async () => {
      if (kind === "real") return (await worldOf(host())).Comp;
      return (await lab().chain<BridgeInfo>("GET", "/bridge")).compressedTssECDSAPubKey;
    },
    setBridgeKey: async (key) => {
      if (kind === "real") await setWorld(host(), { comp: key });
      else await lab().chain("PATCH", "/bridge", { compressedTssECDSAPubKey: key });
    },
    node: async (is) => {
      if (is === "away") await onHost(host(), `systemctl stop ${unit}`);
      else if (kind === "double") await onHost(host(), `systemctl start ${unit}`);
      else await setUpWorld(host());
    },
    ask: async (body, options = "-X POST") => {
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
