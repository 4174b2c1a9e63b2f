import { cp, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ensurePackagedImage } from "../../lab/images/packagedImage.ts";
import type { Lab, LabHost } from "../../lab/lab.ts";
import { startS3 } from "../../lab/stack/backends.ts";
import type { LabStack } from "../../lab/stack/stack.ts";
import { keepPrinted } from "../../lab/testRun/printed.ts";
import { expectFailure, expectSuccess, onHost, pastPackages, testLab, testStack } from "./fixture.ts";

let lab: Lab;
let host: LabHost;
let stack: LabStack;
let bucket: Awaited<ReturnType<typeof startS3>>;

beforeAll(async () => {
  lab = await testLab();
  host = await lab.addHost("host1", ensurePackagedImage);
  await pastPackages(lab, host);
  bucket = await startS3(lab);
  await mkdir(join(lab.dir, "state"));
  const backend = { url: `file://${join(lab.dir, "state")}`, env: bucket.env };
  stack = await testStack(lab, host, {}, "prod", { backend });
});
afterAll(async () => {
  await stack?.endRuns();
  await lab?.down();
});

/** Types words at the operator's end, in a directory, with the data of one of two machines. */
async function typed(words: readonly string[], directory = stack.programDirectory, data?: string) {
  const env = { ...stack.warmEnv, ...(data === undefined ? {} : { XDG_DATA_HOME: data }) };
  const ran = await lab.run(words, { cwd: directory, env, all: true, reject: false, stdin: "ignore" });
  keepPrinted(ran.all);
  return { exitCode: ran.exitCode, output: ran.all };
}
const trace = () => onHost(host, "systemctl show go-node -p MainPID,ActiveState; ls /var/log/pillar-host");
const report = async (...where: Parameters<typeof typed> extends [unknown, ...infer R] ? R : never) => {
  const output = await expectSuccess(typed(["./pillar-host", "report", "prod", "--json"], ...where));
  return output;
};

/** Copies this machine's log and backups as docs/unattended.md says, one object a line of the log. */
async function copyRecords(): Promise<void> {
  const log = join(stack.env.XDG_DATA_HOME ?? "", "pillar-host/records/Anvil/record.jsonl");
  const lines = (await readFile(log, "utf8")).split("\n").filter((line) => line !== "");
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: key } = bucket.env;
  const endpoint = new URL(bucket.url).searchParams.get("endpoint");
  const uploads = lines.map(async (line, at) => {
    const name = `${String(at).padStart(15, "0")}-0.json`;
    await writeFile(join(lab.dir, name), `${line}\n`);
    return [
      `url = "${endpoint}/state/pillar-host/Anvil/log/${name}"`,
      `upload-file = "${join(lab.dir, name)}"`,
      `user = "${id}:${key}"`,
      'aws-sigv4 = "aws:amz:us-east-1:s3"',
      "fail",
    ].join("\n");
  });
  await lab.run(["curl", "-sS", "-K", "-"], { input: (await Promise.all(uploads)).join("\nnext\n") });
  await rename(log, `${log}.moved`);
}

it("refuses every decision after the event log was copied to a bucket, until the stack names it", async () => {
  await expectSuccess(stack.up());
  const before = await report();
  await copyRecords();
  const unnamed = await expectFailure(stack.up());
  expect(unnamed).toContain("was moved to a bucket; nothing was changed");
  await expectSuccess(typed(["pulumi", "config", "set", "--path", "pillar-host:store", bucket.url, "-s", "prod"]));
  const up = await expectSuccess(stack.up());
  expect(up).not.toMatch(/\d+ (created|replaced|deleted)/);
  const again = await stack.up();
  expect(again.output).toMatch(/\d+ unchanged/);
  expect(again.output).not.toMatch(/\d+ (created|updated|replaced|deleted)/);
  expect(JSON.parse(await report())).toMatchObject({ stack: (JSON.parse(before) as { stack: string }).stack });
});

it("another machine with repository, state, bucket and pass phrase continues", async () => {
  const elsewhere = join(lab.dir, "elsewhere");
  await cp(stack.programDirectory, elsewhere, { recursive: true, verbatimSymlinks: true });
  const data = join(lab.dir, "elsewhere-data");
  expect(await report(elsewhere, data)).toBe(await report());
  const before = await trace();
  const up = ["pulumi", "up", "--yes", "--skip-preview", "--non-interactive", "-s", "prod"];
  const output = await expectSuccess(typed(up, elsewhere, data));
  expect(output).toMatch(/\d+ unchanged/);
  expect(output).not.toMatch(/\d+ (created|updated|replaced|deleted)/);
  expect(await trace()).toBe(before);
});

it.each<[string, NodeJS.Signals, string]>([
  ["says nothing", "SIGSTOP", "no whole answer within 20 s"],
  ["is gone", "SIGKILL", "ECONNREFUSED"],
])("a bucket that %s ends a run before any decision, and the guards refuse", async (_what, signal, found) => {
  const before = await trace();
  await stack.pulumi(["state", "unprotect", "--all", "--yes"]);
  await execa("kill", ["-s", signal.slice(3), String(bucket.server.pid)]);
  for (const operation of ["up", "destroy"] as const) {
    const output = await expectFailure(stack[operation]());
    expect(output).toContain("the bucket of the event log can't be read: s3://state/pillar-host/Anvil/");
    expect(output).toContain(found);
  }
  expect(await trace()).toBe(before);
  if (signal === "SIGSTOP") await execa("kill", ["-s", "CONT", String(bucket.server.pid)]);
});
