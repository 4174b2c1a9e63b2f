import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Lab, LabHost } from "../../../lab/lab";
import type { LabStack } from "../../../lab/stack";
import { linesOf, onHost, reconfigure, testLab, testStack } from "../fixture";

interface GateState {
  readonly startedAt: string;
  readonly startHeight?: number;
  readonly syncedAt?: string;
}

describe("the gate under faults", () => {
  let lab: Lab;
  let host: LabHost;
  let stack: LabStack;

  beforeAll(async () => {
    lab = await testLab();
    // Far behind and slow: it does not sync before a test lets it.
    await lab.chain("PATCH", "/truth", { height: 20_000, defaults: { behind: 1000, rate: 2 } });
    host = await lab.addHost("host1");
    stack = await testStack(lab, host, { sync: { wait: "check" } });
  });
  afterAll(async () => lab?.down());

  const node = (settings: Record<string, unknown>) => lab.chain("PATCH", "/nodes/host1", settings);
  const gateState = async (): Promise<GateState> => {
    const { stdout } = await stack.pulumi(["stack", "export"]);
    const { deployment } = JSON.parse(String(stdout)) as {
      deployment: { resources: { type: string; outputs: GateState }[] };
    };
    const gate = deployment.resources.find(({ type }) => type.endsWith("SyncGate"));
    if (!gate) throw new Error("the state holds no gate");
    return gate.outputs;
  };

  it("looks once and fails with where things stand, when asked to check only", async () => {
    const { exitCode, output } = await stack.up();
    expect(exitCode).not.toBe(0);
    expect(linesOf(output)).toMatch(
      /10\.77\.0\.11: the node is not synced yet \(pillar-host:sync\.wait is check\)\nlast seen: sync: \d+\.\d %, height \d+ of 20\d\d\d.*\nNothing is lost: pulumi up again goes on waiting, with the same start\./,
    );
    expect(output).not.toMatch(/z1q|\.ts:\d/);
    expect((await gateState()).syncedAt).toBeUndefined();
  });

  it("ends at its deadline with the last look, and keeps the start for the next run", async () => {
    const before = await gateState();
    await reconfigure(stack, host, { sync: { deadline: "60s", stallMinutes: 0.1 } });
    await node({ stall: true });
    const { exitCode, output } = await stack.up();
    expect(exitCode).not.toBe(0);
    expect(output).toContain("the node has not synced within 1 min (pillar-host:sync.deadline)");
    expect(output).toMatch(
      /sync: stalled: the height stands at \d+ since 6 s\. Going on to wait\. Look on 10\.77\.0\.11 at: systemctl status go-node/,
    );
    const { startedAt, startHeight } = await gateState();
    expect({ startedAt, startHeight }).toEqual({ startedAt: before.startedAt, startHeight: before.startHeight });
    await node({ stall: false });
  });

  it("tells faults apart, waits all of them through, and ends synced", async () => {
    const before = await gateState();
    await reconfigure(stack, host, { sync: { deadline: "10m" } });
    const running = stack.up();
    await sleep(12_000);
    const faults: [Record<string, unknown>, Record<string, unknown>][] = [
      [{ rpcDown: true }, { rpcDown: false }],
      [{ peers: 0 }, { peers: 8 }],
      [{ rawAnswer: { status: 429, body: "" } }, { rawAnswer: null }],
      [{ rawAnswer: { status: 200, body: "" } }, { rawAnswer: null }],
      [{ rawAnswer: { status: 200, body: "<html>hello" } }, { rawAnswer: null }],
      [
        { forceState: 2, forceTarget: 0 },
        { forceState: null, forceTarget: null },
      ],
    ];
    for (const [fault, mended] of faults) {
      await node(fault);
      await sleep(17_000);
      await node(mended);
    }
    await onHost(host, "systemctl restart go-node; pkill -f 'sshd: root@[n]otty' || true");
    await node({ rate: 2000 });
    const { exitCode, output } = await running;
    expect(exitCode).toBe(0);
    expect(output).toContain("sync: no answer from the node yet: ");
    expect(output).toContain("not enough peers (0): is 35995/tcp and udp open to the world?");
    expect(output).toContain("the RPC answers 429, too many requests");
    expect(output).toContain("the RPC gives an empty answer");
    expect(output).toContain("the RPC's answer is not JSON: cut off, or another service on its port");
    expect(output).toMatch(/the node says synced, but its newest momentum is \d+ s old/);

    const { startedAt, syncedAt } = await gateState();
    expect(startedAt).toBe(before.startedAt);
    expect(Date.parse(syncedAt ?? "")).toBeGreaterThan(Date.parse(startedAt));
    const truth = await lab.chain<{ network: { height: number } }>("GET", "/truth");
    const { sync } = await stack.outputs<{ sync: { currentHeight: number; proved: string[] } }>();
    expect(truth.network.height - sync.currentHeight).toBeLessThan(20);
    expect(sync.proved).toContain("newest momentum is fresh by both clocks");
  });
});
