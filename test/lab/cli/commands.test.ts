import { describe, expect, it } from "vitest";
import type { LabHost } from "../../../lab/lab";
import { waitForSigner } from "../../../lab/orchestrator";
import { onHost } from "../fixture";
import { moveStage } from "../orchestrator/moveStage";
import { cli } from "./fixture";

// The node is synced, and the signer's move is next.
describe("what an operator asks between two runs", () => {
  const stage = moveStage();

  it("next: the signer first, and nothing of the wallet", async () => {
    const told = await cli(stage.stack, ["next", "prod"]);
    expect(told.exitCode, told.out).toBe(0);
    expect(told.out).toBe(
      [
        "The orchestrator moves next: this run did not begin with a synced node. Run it again now, and stay with it:",
        "  pulumi up -s prod",
        "The wallet comes after that: that run ends with what to do there for Anvil.",
      ].join("\n"),
    );
  });

  it("check: rehearses the move and forecasts its gap; neither host is written to", { timeout: 180_000 }, async () => {
    // Without what node and signer write by themselves.
    const list = (host: LabHost) =>
      onHost(
        host,
        "find /etc /usr/local /root /var/lib /var/spool/cron -xdev \\( -path '/root/.*node*' -o -path /root/.znn -o -path '/root/.orchestrator/*.log' -o -path '*/logs' -o -path /var/lib/systemd \\) -prune" +
          " -o -type f -exec sha256sum {} + -o -printf '%y %m %u %p %l\\n' | sort",
      );
    const before = [await list(stage.old), await list(stage.fresh)];
    expect(before[0]).toMatch(/ \/root\/\.orchestrator\/\S+/);
    const told = await cli(stage.stack, ["check", "prod", "--json"]);
    expect(told.exitCode, told.out).toBe(0);
    expect([await list(stage.old), await list(stage.fresh)]).toEqual(before);
    const { good, rows } = JSON.parse(told.out) as { good: boolean; rows: { topic: string; lines: string[] }[] };
    expect(good).toBe(true);
    const rehearsed = rows.flatMap(({ topic, lines }) => (topic === "signer's move" ? lines : [])).join("\n");
    expect(rehearsed).toContain("rehearsed: nothing was written on either host");
    expect(rehearsed).toMatch(/MB\/s|MB a second/);
  });

  it("check: names what stands in the way, and ends with 1", { timeout: 180_000 }, async () => {
    await onHost(stage.old, "systemctl stop orchestrator");
    const told = await cli(stage.stack, ["check", "prod", "--json"]);
    await onHost(stage.old, "systemctl start orchestrator");
    await waitForSigner(stage.lab, stage.old, stage.state.identity);
    expect(told.exitCode, told.out).toBe(1);
    const { good, rows } = JSON.parse(told.out) as { good: boolean; rows: { kind: string; lines: string[] }[] };
    expect(good).toBe(false);
    expect(rows.filter(({ kind }) => kind === "fault").map(({ lines }) => lines[0])).toContain(
      `${stage.old.address}: the orchestrator does not run (orchestrator)`,
    );
  });

  it("the run that moves it ends with the clicks in plain lines; next has them while the node is synced", {
    timeout: 300_000,
  }, async () => {
    const { exitCode, output } = await stage.stack.up();
    expect(exitCode, output).toBe(0);
    const { producerAddress } = await stage.stack.outputs<{ producerAddress: string }>();
    expect(output).toMatch(/What comes next:\s+The node of Anvil is synced\. Now, in the desktop wallet:/);
    const told = await cli(stage.stack, ["next", "prod"]);
    expect(told.out).toContain(`  3. Paste this into the producer address field: ${producerAddress}`);

    await onHost(stage.fresh, "systemctl stop go-node");
    const behind = await cli(stage.stack, ["next", "prod", "--json"]);
    expect(behind.exitCode, behind.out).toBe(0);
    expect(behind.out).toContain("Do not touch the wallet: the node of prod is out of sight now");
    expect(behind.out).not.toContain(producerAddress);
  });
});
