import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, it } from "vitest";
import { keepPrinted } from "../../lab/testRun/printed";
import { onHost } from "./fixture";
import { configureMove, moveStage, signersOf } from "./orchestrator/moveStage";
import { codeBlocks } from "./readme";

const blocks = codeBlocks(await readFile(join(import.meta.dirname, "../../docs/unattended.md"), "utf8"));
const commandBelow = (heading: string) =>
  blocks.find((each) => each.language === "sh" && each.heading === heading)?.text.trim() ?? "";
const [set] = blocks;

describe("a run without a person, as its page has it", () => {
  const stage = moveStage();

  /** Types a line in a job's shell, which begins with the variable. */
  const job = async (line: string) => {
    const { lab, stack } = stage;
    const typed = `${set?.text}${line.replaceAll("-s prod-2", `-s ${stack.name}`)}`;
    const [command = "", ...args] = lab.atOperator(["bash", "-c", typed]);
    const ran = await execa(command, args, {
      cwd: stack.programDirectory,
      env: stack.env,
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
    const { exitCode, output } = await job(commandBelow("A change of a stack's file"));
    expect(exitCode, output).toBe(0);
    expect(output).not.toContain("OrchestratorMove");
  });

  it("goes on with everything but the signer, whose turn it would be now, and says who moves it", async () => {
    const { exitCode, output } = await job(commandBelow("On a schedule"));
    expect(exitCode, output).toBe(0);
    expect(output).toContain("The orchestrator moves next, in a run that somebody watches");
    expect(await signersOf(stage)).toEqual(["old"]);
    for (const found of await journals()) expect(found).toContain("No such file");
  });

  it("destroys nothing", async () => {
    const { exitCode, output } = await job("pulumi destroy -s prod-2 --yes --non-interactive");
    expect(exitCode).not.toBe(0);
    // Of a stack that is active the engine does not even ask the guard.
    expect(output).toMatch(/HostRetirement\$\S+::guard" cannot be deleted/);
    expect(await onHost(stage.fresh, "systemctl is-active go-node")).toBe("active");
    expect((await stage.stack.outputs<{ nextStep: string[] }>()).nextStep).not.toEqual([]);
  });

  it("brings nothing back that a person moved", async () => {
    // What was printed, typed in the same shell.
    const moved = await job("env -u PILLAR_HOST_UNATTENDED pulumi up -s prod-2 --yes --skip-preview --non-interactive");
    expect(moved.exitCode, moved.output).toBe(0);
    expect(await signersOf(stage)).toEqual(["new"]);
    const unchanged = await job(commandBelow("On a schedule"));
    expect(unchanged.exitCode, unchanged.output).toBe(0);
    await configureMove(stage, { rollback: true });
    const { exitCode, output } = await job(commandBelow("On a schedule"));
    expect(exitCode).not.toBe(0);
    expect(output).toContain("the signer is moved only in a run that somebody watches; this one moved nothing");
    expect(output).toContain("The key is on the new side");
    expect(await signersOf(stage)).toEqual(["new"]);
  });
});
