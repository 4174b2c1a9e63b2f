import { describe, expect, it } from "vitest";
import { findValidEvents } from "../../../core/eventLog/guardFacts.ts";
import { formatDynamicType } from "../../../core/util/resourceTypes.ts";
import type { ChainTruth } from "../../../lab/doubles/chain/index.ts";
import { healFaults, setFault } from "../../../lab/faults/index.ts";
import { journeyIn } from "../../recordIn.ts";
import { cli } from "../cli/fixture.ts";
import { databaseOf, expectFailure, expectSuccess, linesOf, onHost, reconfigure } from "../fixture.ts";
import { catchUp, gateStage, livesThrough, progress, wasSynced, watchUp } from "./watch.ts";

interface GateState {
  readonly startedAt: string;
  readonly startHeight?: number;
  readonly syncedAt?: string;
}

const hourly = "0 * * * * /usr/bin/sudo /usr/sbin/service go-node restart";

describe("a node with problems, at the gate", () => {
  const stage = gateStage(() => ({ sync: { wait: "await" } }));

  const gateState = async (): Promise<GateState> => {
    const { resources = [] } = await stage.stack.exported();
    const gate = resources.find(({ type }) => type === formatDynamicType("SyncGate"));
    if (!gate) throw new Error("the state holds no gate");
    return gate.outputs as unknown as GateState;
  };

  it("ends as awaiting while the node syncs: no error, no lock, and nothing behind the gate", async () => {
    for (const _run of ["first", "second"]) {
      const { exitCode, output } = await stage.stack.up();
      expect({ exitCode, output }).toMatchObject({ exitCode: 10 });
      expect(output).toContain("the node is not synced yet (pillar-host:sync.wait is await)");
      expect(output).toMatch(/found: \d+\.\d %, height \d+ of 2\d{4}/);
      expect(output).toMatch(/\n {4}1 awaiting\n/);
      expect(output).not.toMatch(/error|z1q|failed/);
      const { resources = [], pending_operations: pending = [] } = await stage.stack.exported();
      expect(pending).toEqual([]);
      const names = resources.map(({ urn }) => urn.split("::").at(-1));
      expect(names).toContain("node-deploy");
      for (const later of ["node-sync", "node-hourly-restart-off", "node-producer-address", "guard"])
        expect(names).not.toContain(later);
    }
    expect((await cli(stage.stack, ["next", "prod"])).output).toContain("The node is syncing, and no run waits");
  });

  it("looks once and fails with the current state when asked to check only", async () => {
    await reconfigure(stage.stack, stage.host, { sync: { wait: "check" } });
    const output = await expectFailure(stage.stack.up());
    expect(linesOf(output)).toMatch(
      /10\.77\.0\.11: the node is not synced yet \(pillar-host:sync\.wait is check\)\nfound: \d+\.\d %, height \d+ of 2\d{4}.*\nNothing is lost\. To go on waiting, from the same start: pulumi up -s prod/,
    );
    expect(output).not.toMatch(/z1q|\.ts:\d/);
    expect((await gateState()).syncedAt).toBeUndefined();
  });

  it("keeps the progress of an earlier run when it ends as awaiting", async () => {
    const before = await gateState();
    await reconfigure(stage.stack, stage.host, { sync: { wait: "await" } });
    const { exitCode, output } = await stage.stack.up();
    expect({ exitCode, output }).toMatchObject({ exitCode: 10 });
    expect(output).toContain("**update awaiting**");
    const { startedAt, startHeight } = await gateState();
    expect({ startedAt, startHeight }).toEqual({ startedAt: before.startedAt, startHeight: before.startHeight });
  });

  it("survives the hourly restart while it syncs: its database is closed first", async () => {
    expect(await onHost(stage.host, "crontab -l")).toBe(hourly);
    const started = () => onHost(stage.host, "systemctl show -p ExecMainStartTimestampMonotonic --value go-node");
    const before = Number(await started());
    await onHost(stage.host, hourly.replace(/^[0* ]+/, ""));
    expect(Number(await started())).toBeGreaterThan(before);
    const opened = "timeout 30 sh -c 'until [ -e /root/.znn/nom/open ]; do sleep 0.1; done'";
    await onHost(stage.host, opened);
    expect(await databaseOf(stage.host)).toBe("open");
  });

  it("ends at its deadline with the last lookup, and keeps the start for the next run", async () => {
    const before = await gateState();
    await reconfigure(stage.stack, stage.host, { sync: { deadline: "80s", stallMinutes: 0.2 } });
    const up = await watchUp(stage.stack);
    await up.hears(/^sync: /);
    await setFault(stage.lab, "host1", "stall");
    const output = await expectFailure(up.run.end());
    expect(output).toContain("the node has not synced within 1 min (pillar-host:sync.deadline)");
    expect(output).toMatch(
      /sync: stalled: the height has been \d+ for 12 s\. The wait goes on\. On 10\.77\.0\.11:\n.* {2}service: go-node is active/,
    );
    const { startedAt, startHeight } = await gateState();
    expect({ startedAt, startHeight }).toEqual({ startedAt: before.startedAt, startHeight: before.startHeight });
  });

  it("names each problem, waits until it is over, and ends synced when the node is", async () => {
    const before = await gateState();
    await reconfigure(stage.stack, stage.host, { sync: { deadline: "10m", stallMinutes: 0.2 } });
    const up = await watchUp(stage.stack);
    await up.hears(/^sync: stalled: the height has been \d+/);
    await healFaults(stage.lab, "host1");
    await up.hears(/^sync: the stall is over, height \d+/);
    const through = livesThrough.bind(undefined, { up, lab: stage.lab });
    const old = ".*the node says synced, but its newest momentum is \\d{3} s old$";
    const says2 = new RegExp(`^sync: height \\d+ of \\d+, ${old}`);
    await through(["flap", "5s"], says2, progress, says2);
    await through("stale-target", says2);
    // The progress is news again at each twentieth of the way.
    const { network } = await stage.lab.chain<ChainTruth>("GET", "/truth");
    const lie = String(network.height + 3000);
    await through(["lying-target", lie], new RegExp(`^sync: [78]\\d\\.\\d %, height \\d+ of ${lie}`));
    await through(["lying-target", "0"], new RegExp(`^sync: height \\d+ of an unknown target, ${old}`));
    await through(
      "no-peers",
      /height \d+ of an unknown target, .*not enough peers \(0\): is 35995\/tcp and udp open to the world\?$/,
    );
    await through(
      "few-peers",
      /height \d+ of \d+, .*not enough peers \(3\): is 35995\/tcp and udp open to the world\?$/,
    );
    await catchUp(stage.lab);
    await expectSuccess(up.run.end());

    const { startedAt, syncedAt = "" } = await gateState();
    expect(startedAt).toBe(before.startedAt);
    expect(Date.parse(syncedAt)).toBeGreaterThan(Date.parse(startedAt));
    expect(await wasSynced(stage.lab, stage.host, syncedAt)).toBe(true);
    const { sync } = await stage.stack.outputs<{ sync: { proved: string[] } }>();
    expect(sync.proved).toContain("newest momentum is fresh by both clocks");
  });

  it("the report has the sync, with the start of the first of three runs", async () => {
    const { startedAt, startHeight, syncedAt } = await gateState();
    const record = stage.stack.records("Anvil");
    const journey = journeyIn(record, "Anvil");
    const synced = findValidEvents(journey, "prod", "witnessed").at(-1);
    expect(synced?.details).toMatchObject({ startedAt, startHeight, syncedAt });
    const output = await expectSuccess(cli(stage.stack, ["report", "prod"]));
    expect(output).toContain(`synced at height ${synced?.details.currentHeight}`);
  });
});
