import { cp, mkdir, readFile, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Backend, startPostgres, startS3 } from "../../lab/backends";
import type { Lab, LabHost } from "../../lab/lab";
import { ensurePackagedImage } from "../../lab/packagedImage";
import type { LabStack } from "../../lab/stack";
import { keepPrinted } from "../../lab/testRun/printed";
import { ensureToolchain } from "../../lab/toolchain";
import { onHost, pastPackages, testLab, testStack } from "./fixture";
import { codeBlocks } from "./readme";

const document = await readFile(join(import.meta.dirname, "../../docs/teams.md"), "utf8");
/** Without the login: the tests' backend is told by a variable. */
const moving =
  codeBlocks(document)
    .find(({ text }) => text.includes("pulumi stack export"))
    ?.text.trim()
    .split("\n")
    .filter((line) => !line.startsWith("pulumi login")) ?? [];
const goOn = ["--", "--yes", "--skip-preview", "--non-interactive"];

describe.each<[string, (lab: Lab) => Promise<Backend>]>([
  ["a bucket of S3", startS3],
  ["a PostgreSQL database", startPostgres],
])("the state in %s", (_what, start) => {
  let lab: Lab;
  let host: LabHost;
  let stack: LabStack;
  let elsewhere: string;
  let home: Record<string, string>;

  /** A second operator: the repository and the stack's file, backend and pass phrase, and nothing else of the first one's. */
  const second = async (...typed: readonly string[]) => {
    const [command = "", ...args] = lab.atOperator(typed);
    const env = { ...stack.env, ...home, HOME: join(elsewhere, "home"), XDG_DATA_HOME: join(elsewhere, "data") };
    const ran = await execa(command, args, { cwd: elsewhere, env, all: true, reject: false, stdin: "ignore" });
    keepPrinted(ran.all);
    return { exitCode: ran.exitCode, out: ran.all };
  };

  beforeAll(async () => {
    lab = await testLab();
    host = await lab.addHost("host1", ensurePackagedImage);
    await pastPackages(lab, host);
    // Far behind and slow: it does not sync before a test lets it.
    await lab.chain("PATCH", "/truth", { height: 20_000, defaults: { behind: 1000, rate: 2 } });
    stack = await testStack(lab, host, {}, "prod", await start(lab));
    elsewhere = join(lab.dir, "elsewhere");
    await cp(stack.programDirectory, elsewhere, { recursive: true, verbatimSymlinks: true });
    home = (await ensureToolchain({ home: join(lab.dir, "elsewhere-home"), plugins: ["command"] })).env;
  });
  afterAll(async () => {
    await stack?.endRuns();
    await lab?.down();
  });

  it("a run that is at work is told to a second operator, who changes nothing", async () => {
    const up = await stack.begin();
    await up.printed(" %, height ");
    const refused = await second("./pillar-host", "resume", "prod", ...goOn);
    expect(refused.exitCode, refused.out).toBe(2);
    expect(refused.out).toContain(
      `prod is locked by a run that is at work: process ${up.pid} of root on ${hostname()}`,
    );
    const told = await second("./pillar-host", "status", "prod");
    expect(told.exitCode, told.out).toBe(1);
    expect(told.out).toMatch(/^stage .*syncing/m);
    expect(told.out).toMatch(/^next +\.\/pillar-host resume prod goes on, and refuses where a run is at work$/m);
    await up.kill();
  });

  it("a run that was killed is gone on with from elsewhere, and every step is done once", async () => {
    const deploys = () => onHost(host, "ls /var/log/pillar-host/deploy-*.log | wc -l");
    const before = await deploys();
    const seen = await second("./pillar-host", "status", "prod");
    expect(seen.out).toContain(
      "a run is at work, or was killed, in the middle of node-sync: which of both can't be seen",
    );
    await lab.chain("PATCH", "/nodes/host1", { rate: 5000 });
    const resumed = await second("./pillar-host", "resume", "prod", ...goOn);
    expect(resumed.exitCode, resumed.out).toBe(0);
    expect(resumed.out).toContain("That run is gone: cleared (pulumi cancel).");
    expect(resumed.out).toContain("cut off: the creation of node-sync");
    expect(await deploys()).toBe(before);
    expect((await stack.outputs()).producerAddress).toMatch(/^z1/);
  });

  it("the first operator finds all of it, with nothing to do", async () => {
    await rm(elsewhere, { recursive: true });
    const { exitCode, output } = await stack.up();
    expect(exitCode, output).toBe(0);
    expect(output).toMatch(/\d+ unchanged/);
    expect(output).not.toMatch(/\d+ (created|updated|replaced|deleted)/);
  });

  it("moves to another backend, by the page's own commands, with nothing to do there", async () => {
    const another = { ...stack.env, PULUMI_BACKEND_URL: `file://${join(lab.dir, "another")}` };
    await mkdir(join(lab.dir, "another"));
    for (const line of moving) {
      const env = line.startsWith("pulumi stack export") ? stack.env : another;
      const [command = "", ...args] = lab.atOperator(["bash", "-c", line.replaceAll("prod-2", "prod")]);
      const ran = await execa(command, args, { cwd: stack.programDirectory, env, all: true, reject: false });
      keepPrinted(ran.all);
      expect(ran.exitCode, ran.all).toBe(0);
    }
    const up = ["pulumi", "up", "--yes", "--skip-preview", "--non-interactive", "-s", "prod"];
    const [command = "", ...args] = lab.atOperator(up);
    const ran = await execa(command, args, { cwd: stack.programDirectory, env: another, all: true, reject: false });
    keepPrinted(ran.all);
    expect(ran.exitCode, ran.all).toBe(0);
    expect(ran.all).not.toMatch(/\d+ (created|updated|replaced|deleted)/);
  });
});
