import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { expectSuccess, pastPackages, staged } from "../fixture.ts";
import { cli } from "./fixture.ts";

const goOn = ["--", "--yes", "--skip-preview", "--non-interactive"];

describe("pillar-host resume", () => {
  // Far behind and slow: it does not sync before a test lets it.
  const stage = staged(undefined, async (lab, host) => {
    await pastPackages(lab, host);
    await lab.chain("PATCH", "/truth", { height: 20_000, defaults: { behind: 1000, rate: 2 } });
  });

  it("refuses while a run is active; clears a killed run's lock once, and completes", {
    timeout: 600_000,
  }, async () => {
    const up = await stage.stack.begin();
    await up.printed(" %, height ");
    const refused = await cli(stage.stack, ["resume", "prod", ...goOn]);
    expect(refused.exitCode).toBe(2);
    expect(refused.output).toContain(
      `prod is locked by a run that is still running: process ${up.pid} of root on ${hostname()}, since `,
    );
    expect(refused.output).toContain(`or: kill -INT ${up.pid}), then: ./pillar-host resume prod`);
    expect(refused.output).not.toContain("going on");

    await up.kill();
    const before = await cli(stage.stack, ["status", "prod"]);
    expect(before.exitCode).toBe(1);
    expect(before.output).toContain(`a run was killed: process ${up.pid} of root on ${hostname()}`);
    expect(before.output).toMatch(/^next +\.\/pillar-host resume prod$/m);

    await stage.lab.chain("PATCH", "/nodes/host1", { rate: 5000 });
    const both = await Promise.all([1, 2].map(() => cli(stage.stack, ["resume", "prod", ...goOn])));
    // Either of them may be the one that clears.
    const first = both.find(({ output }) => output.includes(", which has ended"));
    const second = both.find((one) => one !== first);
    expect(first?.exitCode).toBe(0);
    expect(first?.output).toContain(`cleared: the lock of process ${up.pid} of root on ${hostname()}, since `);
    expect(first?.output).toContain("cleared: the interrupted creation of node-sync (pulumi-nodejs:sync:Gate)");
    expect(first?.output).toContain("running: pulumi up -s prod --yes");
    expect(first?.output).not.toContain("CLI was interrupted");
    // It gives up while the first is at work, or comes after it: then there is nothing left to clear.
    expect(second?.output).not.toContain("cleared:");
    if (second?.exitCode === 2) expect(second.output).toContain("a resume of prod already runs on this machine");
    else expect(second?.exitCode).toBe(0);
    expect((await stage.stack.outputs()).producerAddress).toMatch(/^z1/);
  });

  it("continues without anything to clear, and the next up prints no warning", async () => {
    const output = await expectSuccess(cli(stage.stack, ["resume", "prod", ...goOn]));
    expect(output).toMatch(/^Reading prod …\nrunning: pulumi up/);
    expect(output).toMatch(/\d+ unchanged/);
    expect(output).not.toContain("interrupted");
  });
});
