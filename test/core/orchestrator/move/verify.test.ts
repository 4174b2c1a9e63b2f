import net from "node:net";
import { test as base, describe, expect } from "vitest";
import type { HostPair } from "../../../../core/orchestrator/hosts/hostPair.ts";
import type { MoveInputs } from "../../../../core/orchestrator/hosts/moveInputs.ts";
import { type MoveDeps, MoveRun } from "../../../../core/orchestrator/move/moveRun.ts";
import { assertOwnNode, verify } from "../../../../core/orchestrator/move/verify.ts";
import type { Saga, WhichHost } from "../../../../core/orchestrator/rules/journal.ts";
import type { RootHost } from "../../../../core/ssh/root.ts";
import { orchestratorRpc } from "../../chain/fakes.ts";
import { confirmed, exampleInputs, exampleMove, pairDouble } from "../exampleMove.ts";

const build = { version: "v0.0.9a", gitCommit: "", goVersion: "go1.26.8" };
const identity = { producer: "z1q", pillarName: "Anvil", tssPeerId: "12D", evmAddress: "0x" };

/** Creates a host whose orchestrator was started: its answers, those of systemd and ss, its log and its config.json. */
async function start() {
  const server = await orchestratorRpc((method) => started.answers[method]);
  let ticks = 0;
  const status = { state: 0, stateName: "LiveState", networks: { Ethereum: { wrapsToSign: 0, unwrapsToSign: 0 } } };
  const started = {
    answers: { getBuildInfo: build, getIdentity: identity, getStatus: status } as Record<string, unknown>,
    life: [
      ...["ActiveState=active", "SubState=running", "NRestarts=0", "MainPID=7"],
      ...["Restart=always", "Home=/root", "Peers=2"],
    ],
    /** Answer of systemd at the end of the check, if it differs. */
    later: undefined as string[] | undefined,
    log: [] as string[],
    config: { TssConfig: { PublicKey: "A81a" } },
    said: [] as string[],
    inputs: {} as Partial<MoveInputs>,
    /** True if its port is open. */
    isOpen: true,
    close: server.close,
    look: async (side: WhichHost = "new") => {
      const forward = async () => {
        if (!started.isOpen) throw new Error("nothing listens on 127.0.0.1:55000");
        return net.connect(server.port, "127.0.0.1");
      };
      const config = async () => JSON.stringify(started.config);
      const root = { address: "203.0.113.9", forward, call: config } as unknown as RootHost;
      const call: HostPair["call"] = async ({ variables }) => {
        const log = started.log.slice(-Number(variables?.log_lines));
        return [...((ticks > 0 && started.later) || started.life), "log", ...log].join("\n");
      };
      const sides = pairDouble({ roots: { old: root, new: root }, call });
      const deps = {
        ticks: () => ticks,
        now: () => 0,
        say: (line: string) => void started.said.push(line),
        sleep: async (milliseconds: number) => {
          ticks += milliseconds;
        },
      } as unknown as MoveDeps;
      const saga: Saga = { move: exampleMove, direction: side === "new" ? "forward" : "back" };
      const run = new MoveRun(confirmed(exampleInputs(started.inputs)), sides, deps);
      run.verified = await verify({ run, side, saga, expected: { producer: "z1q" }, startedAt: 0 });
      return { run, saga, verified: run.verified };
    },
  };
  return started;
}
const test = base.extend("started", async ({ task: _task }, { onCleanup }) => {
  const started = await start();
  onCleanup(() => started.close());
  return started;
});

const error = "2026-11-22T05:16:00.000Z\tERROR\tnetwork/evm.go:584\tan event of another kind";

describe("a started orchestrator", () => {
  test("is well if its unit stays, its RPC answers and its identity is the same, also without a connection", async ({
    started,
  }) => {
    started.log = ["2026-11-22T05:16:00.000Z\tINFO\tmain.go:1\tstarted", error];
    expect((await started.look()).verified).toEqual({ build, answeredAt: 0 });
    expect(started.said.join()).not.toContain("ERROR");
    expect(started.said).toContain("the new host is connected with 2 other orchestrators");
    started.life = started.life.with(-1, "Peers=0");
    await started.look();
    const alone =
      "the new host connects to the other orchestrators now, through 55055/tcp; to see how many: ./pillar-host";
    expect(started.said.at(-1)).toContain(alone);
  });

  test("is reported with its log if it is not well", async ({ started }) => {
    started.log = [error];
    started.answers.getIdentity = { ...identity, producer: "z1other" };
    await expect(started.look()).rejects.toThrow(
      /found: it is another orchestrator than before: producer z1other, not z1q\n {2}needed: .*\n {2}log: .*an event of another kind/,
    );
    // The error of the first of the last 50 lines.
    started.log = [error, ...Array.from({ length: 49 }, () => "2026-11-22T05:16:01.000Z\tINFO\tmain.go:1\tstarted")];
    await expect(started.look()).rejects.toThrow("an event of another kind");
    started.log = ["a start that failed is written as INFO"];
    await expect(started.look()).rejects.toThrow("  log: a start that failed is written as INFO");
  });

  test.for([
    ["was restarted by its unit", 2, ["NRestarts=1"], "the orchestrator ended or restarted while it was watched"],
    ["was restarted by hand", 3, ["MainPID=8"], "the orchestrator ended or restarted while it was watched"],
    ["ended", 0, ["ActiveState=failed", "SubState=failed"], "its unit is failed (failed)"],
  ] as const)("is not well if it %s during the check", async ([, at, later, problem], { started }) => {
    started.later = started.life.toSpliced(at, later.length, ...later);
    await expect(started.look()).rejects.toThrow(`found: ${problem}`);
  });

  test("is reported if another file of its unit wins, and its old host's unit is not", async ({ started }) => {
    started.life = started.life.toSpliced(4, 2, "Restart=on-failure", "Home=/home/op");
    await started.look("old");
    expect(started.said.join()).not.toContain("warning");
    await started.look();
    const words =
      "another line of its unit is in force: Restart=on-failure (it ends with exit code 0 when it loses a node, and stays off); " +
      "HOME=/home/op (its directory is /root/.orchestrator); needed: remove that line: systemctl cat orchestrator. " +
      "Then: systemctl daemon-reload && systemctl restart orchestrator";
    expect(started.said).toContain(`warning: ${words}`);
    started.isOpen = false;
    await expect(started.look()).rejects.toThrow(`restarted 0 times\n  found: ${words}\n`);
  });

  test("is not well without a share of the bridge's key, or with another version than the configured one", async ({
    started,
  }) => {
    started.config = { TssConfig: { PublicKey: "" } };
    await expect(started.look()).rejects.toThrow("found: the orchestrator found no share of the bridge's key");
    // It is well on the old host, or if the operator acknowledged a missing share.
    await expect(started.look("old")).resolves.toBeDefined();
    started.inputs = { noKeyShare: 1 };
    await expect(started.look()).resolves.toBeDefined();
    started.inputs = { noKeyShare: 1, release: { version: "v0.0.9" } };
    await expect(started.look()).rejects.toThrow("found: its version is v0.0.9a, not v0.0.9");
    await expect(started.look("old")).resolves.toBeDefined();
  });

  test("is reported at the move's end if it uses a node of the host that it left", async ({ started }) => {
    const check = async () => {
      const { run } = await started.look();
      await assertOwnNode(run, { old: undefined, new: undefined });
    };
    await check();
    expect(started.said.at(-1)).toContain("it is unknown which nodes it uses");
    started.life.push("connection=0100007F:8C9E", "connection=050200C0:01BB");
    await check();
    expect(started.said.at(-1)).not.toContain("unknown");
    started.life.push("connection=076433C6:8C9E");
    await expect(check()).rejects.toThrow(
      /^the orchestrator moved to the new host \(203\.0\.113\.9\) and signs, but it uses a node of the old host .*\n {2}found: its process is connected to 198\.51\.100\.7:35998\n {2}needed: .*stop it, name the node there \(127\.0\.0\.1\) .*\n {2}Then: pulumi up -s prod$/,
    );
  });

  test("is reported with its restarts and last log lines if it does not answer", async ({ started }) => {
    started.isOpen = false;
    started.life = ["ActiveState=activating", "SubState=auto-restart", "NRestarts=5", "MainPID=0"];
    started.log = ["failed to create the node"];
    const needed = "needed: a good answer within 60 s of its start (pillar-host:orchestrator.startTimeout)";
    await expect(started.look()).rejects.toThrow(needed);
    const found = "its unit is activating (auto-restart), restarted 5 times; its last line: failed to create the node";
    expect(started.said[0]).toContain(found);
  });
});
