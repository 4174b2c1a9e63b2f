import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { formatDynamicType } from "../../core/util/resourceTypes.ts";
import { keepPrinted } from "../../lab/testRun/printed.ts";
import { watching } from "./cli/watcher.ts";
import { expectFailure, expectSuccess, onHost } from "./fixture.ts";
import { configureMove, moveStage, signersOf } from "./orchestrator/moveStage.ts";
import { codeBlocks } from "./readme.ts";

const blocks = codeBlocks(await readFile(join(import.meta.dirname, "../../docs/unattended.md"), "utf8"));
const commandBelow = (heading: string) =>
  blocks.find((each) => each.language === "sh" && each.heading === heading)?.text.trim() ?? "";
const [set] = blocks;

describe("an unattended run, as its page documents", () => {
  // This stage allows unattended moves; the job's variable overrides that.
  const stage = moveStage({ bare: true, hasPassphrase: true });
  const watch = watching(stage);

  /** Types a line in a job's shell, which begins with the variable. */
  const job = async (line: string) => {
    const { lab, stack } = stage;
    const typed = `${set?.text}${line.replaceAll("-s prod-2", `-s ${stack.name}`)}`;
    const ran = await lab.run(["bash", "-c", typed], {
      cwd: stack.programDirectory,
      env: stack.warmEnv,
      all: true,
      reject: false,
      stdin: "ignore",
    });
    keepPrinted(ran.all);
    return { exitCode: ran.exitCode, output: ran.all };
  };
  const journals = async () =>
    Promise.all(
      [stage.old, stage.fresh].map((host) => onHost(host, "ls /var/lib/pillar-host/orchestrator.json 2>&1 || true")),
    );

  it("previews a change", async () => {
    const output = await expectSuccess(job(commandBelow("A change of a stack's file")));
    expect(output).not.toContain(formatDynamicType("OrchestratorMove"));
  });

  it("looks once on a schedule, and ends as awaiting while the node syncs", async () => {
    await stage.lab.chain("PATCH", "/truth", { height: 20_000 });
    await stage.lab.chain("PATCH", `/nodes/${stage.fresh.name}`, { behind: 1000, stall: true });
    // The old host's node is higher than the chain of this test, and witnesses nothing.
    await stage.stack.pulumi(["config", "set", "--path", "pillar-host:sync.unverifiedChain", "acknowledged"]);
    await stage.stack.pulumi(["config", "set", "--type", "float", "--path", "pillar-host:sync.stallMinutes", "0.05"]);
    await watch.begin();
    const { exitCode, output } = await job(commandBelow("On a schedule"));
    expect(exitCode, output).toBe(10);
    expect(output).toContain("the node is not synced yet (pillar-host:sync.wait is await)");
    expect(output).not.toContain("z1q");
    expect((await watch.heard()).appeared).not.toContain("stalls");
  });

  it("fails while the height stalls from run to run, and tells job and monitor's receiver once", async () => {
    const events = async () => (await watch.notices()).map(({ body }) => body.event);
    const stalled = "the sync stalls: height ";
    for (const round of [1, 2]) {
      const { exitCode, output } = await job(commandBelow("On a schedule"));
      expect(exitCode, output).not.toBe(10);
      expect(output).toContain("find out why the height does not advance");
      const { appeared } = await watch.heard();
      if (round === 1) expect(appeared).toContain(stalled);
      else expect(appeared).not.toContain(stalled);
    }
    expect((await events()).filter((event) => event === "stalled")).toHaveLength(1);
    await stage.lab.chain("PATCH", `/nodes/${stage.fresh.name}`, { stall: false, rate: 2 });
    const { exitCode, output } = await job(commandBelow("On a schedule"));
    expect(exitCode, output).toBe(10);
    expect((await events()).at(-1)).toBe("over");
    expect((await watch.heard()).over).toContain(`Solved: ${stalled}`);
  });

  it("does everything but the orchestrator's move, and says who moves it", async () => {
    await stage.lab.chain("PATCH", `/nodes/${stage.fresh.name}`, { rate: 1e6 });
    const output = await vi.waitFor(
      async () => {
        const ran = await expectSuccess(job(commandBelow("On a schedule")));
        return ran;
      },
      { timeout: 240_000, interval: 1000 },
    );
    expect(output).toContain("The orchestrator moves next, but not in an unattended run");
    expect(await signersOf(stage)).toEqual(["old"]);
    for (const found of await journals()) expect(found).toContain("No such file");
  });

  it("destroys nothing", async () => {
    const output = await expectFailure(job("pulumi destroy -s prod-2 --yes --non-interactive"));
    // The engine does not even ask the guard of an active stack.
    expect(output).toMatch(/host:Retirement\$\S+::guard" cannot be deleted/);
    expect(await onHost(stage.fresh, "systemctl is-active go-node")).toBe("active");
    expect((await stage.stack.outputs<{ nextStep: string[] }>()).nextStep).not.toEqual([]);
  });

  it("does not move back what a person moved", async () => {
    // This types the printed command in the same shell.
    await expectSuccess(
      job("env -u PILLAR_HOST_UNATTENDED pulumi up -s prod-2 --yes --skip-preview --non-interactive"),
    );
    expect(await signersOf(stage)).toEqual(["new"]);
    await expectSuccess(job(commandBelow("On a schedule")));
    await configureMove(stage, { rollback: true });
    const output = await expectFailure(job(commandBelow("On a schedule")));
    expect(output).toContain("refusing to move the orchestrator in an unattended run; nothing was changed");
    expect(output).toContain("The key is on the new host");
    expect(await signersOf(stage)).toEqual(["new"]);
  });
});
