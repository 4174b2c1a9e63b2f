import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect } from "vitest";
import { parseConfig, type StackConfig } from "../../core/config/config.ts";
import { supportedDistributions } from "../../core/config/distributions.ts";
import { readAnswer } from "../../core/ssh/answer.ts";
import { createEnvelope, type Step } from "../../core/steps/step.ts";
import { formatStackIdentity } from "../../core/steps/stepVariables.ts";
import { isMachines } from "../../lab/demo/judgement.ts";
import { bundleNode } from "../../lab/doubles/bundle.ts";
import type { ChainTruth } from "../../lab/doubles/chain/index.ts";
import type { Slot } from "../../lab/doubles/chain/production.ts";
import type { NodeBuild } from "../../lab/doubles/node/logLines.ts";
import { MoveRecorder } from "../../lab/hosts/moveRecorder.ts";
import { onHost } from "../../lab/hosts/onHost.ts";
import { distributionOf } from "../../lab/images/baseImage.ts";
import { ensurePackagedImage } from "../../lab/images/packagedImage.ts";
import { Lab, type LabHost, ownLabPrefix } from "../../lab/lab.ts";
import { LabStack, type StackFile, type StackOptions } from "../../lab/stack/stack.ts";

export { onHost };

let made = 0;

/** Creates a lab for one test file; take it down in afterAll. */
export async function testLab(): Promise<Lab> {
  made += 1;
  const lab = await Lab.create(`${ownLabPrefix()}${(process.pid % 46656).toString(36)}${made.toString(36)}`);
  lab.recorder = new MoveRecorder();
  return lab;
}

/** A lab, a host in it, and a stack for that host. */
export interface Stage {
  readonly lab: Lab;
  readonly host: LabHost;
  readonly stack: LabStack;
}

/**
 * Creates the stage before the tests of a file or a describe block, and removes it after them.
 *
 * @param ensureImage of the host: by default it has its packages already, so that a stand-up for another purpose is
 * quick
 * @param options of the stack
 */
export function staged(
  changes: (lab: Lab) => StackFile = () => ({}),
  prepare: (lab: Lab, host: LabHost) => Promise<unknown> = async () => undefined,
  ensureImage = ensurePackagedImage,
  options: StackOptions = {},
): Stage {
  const stage: { lab?: Lab; host?: LabHost; stack?: LabStack } = {};
  beforeAll(async () => {
    stage.lab = await testLab();
    stage.host = await stage.lab.addHost("host1", ensureImage);
    await prepare(stage.lab, stage.host);
    stage.stack = await testStack(stage.lab, stage.host, changes(stage.lab), "prod", options);
  });
  afterAll(async () => {
    await stage.stack?.endRuns();
    await stage.lab?.down();
  });
  return stage as Stage;
}

/** Marks a host's packages as installed and lets its node build at once, for tests of later steps. */
export async function pastPackages(lab: Lab, host: LabHost): Promise<void> {
  await lab.chain("PATCH", `/nodes/${host.name}`, { buildSeconds: 1, buildLines: 10 });
  await onHost(host, "mkdir /var/lib/pillar-host && date -u +%FT%TZ > /var/lib/pillar-host/packages.done");
}

/** Acknowledges an unverified chain if no witness is named. Witnesses have their own test files, and cost time. */
function withoutWitness({ sync = {}, oldHost }: StackFile): object {
  const isNamed = Object.keys(sync as object).some((key) => ["references", "unverifiedChain"].includes(key));
  return isNamed || oldHost !== undefined ? (sync as object) : { ...(sync as object), unverifiedChain: "acknowledged" };
}

/** Confirms the first move of an orchestrator, because no orchestrator of a lab moved before its test. */
function withWord(changes: StackFile): StackFile {
  const orchestrator = changes.orchestrator as { readonly move?: boolean } | undefined;
  return orchestrator?.move ? { ...changes, orchestrator: { firstMove: "acknowledged", ...orchestrator } } : changes;
}

/** Returns the smallest configuration that fits a lab host: with the machine's two cores and a newer distribution. */
export function stackFile(lab: Lab, host: LabHost, changes: StackFile = {}): StackFile {
  return {
    pillar: { name: "Anvil" },
    host: {
      provider: "existing",
      address: host.address,
      hostKey: host.hostKey,
      minimums: { cores: 1, diskGb: 1 },
      acceptDistributions: [distributionOf(host.root)].filter((name) => !supportedDistributions.includes(name)),
    },
    controller: { release: { url: lab.releaseUrl() } },
    ...withWord(changes),
    ...(host.user !== "root" && { ssh: { user: host.user, ...(changes.ssh as object | undefined) } }),
    sync: withoutWitness(changes),
  };
}

/** Creates a stack for a host, with the operator's key. */
export async function testStack(
  lab: Lab,
  host: LabHost,
  changes: StackFile = {},
  name = "prod",
  options: StackOptions = {},
): Promise<LabStack> {
  const privateKey = await readFile(lab.privateKeyFile, "utf8");
  return LabStack.create(lab, name, stackFile(lab, host, changes), { "ssh.privateKey": privateKey }, options);
}

/** Returns the momentums that the nodes missed, without those during a stall of this machine. */
export function missedByNodes({ missed, stalls, network }: ChainTruth): Slot[] {
  return missed.filter((slot) => !isMachines(slot, stalls, network.momentumSeconds * 1000));
}

/** Serves a build of the node's double, and returns the value of node.release for it. */
export async function serveNode(lab: Lab, build: NodeBuild) {
  return serveProgram(lab, build.version, Buffer.from(await bundleNode(build)));
}

/** Serves a node's program as a release, and returns the release's settings. */
export async function serveProgram(lab: Lab, version: string, program: Buffer) {
  const name = `node-${version}`;
  await lab.releases("PUT", `/${name}.zip`, program);
  const sha256 = createHash("sha256").update(program).digest("hex");
  return { url: lab.releaseUrl(name), sha256, version };
}

/**
 * Reads how a node's database ended: `open` while it runs, or was killed; `torn` once a start found it open
 * (lab/doubles).
 */
export function databaseOf(host: LabHost): Promise<string> {
  return onHost(host, "cd /root/.znn/nom && ls open torn 2> /dev/null || true");
}

/** Result of a run of the engine. */
type RunResult = { readonly exitCode: number | undefined; readonly output: string };

/** Waits for a run that must succeed, and returns its output. */
export async function expectSuccess(run: RunResult | Promise<RunResult>): Promise<string> {
  const { exitCode, output } = await run;
  expect(exitCode, output).toBe(0);
  return output;
}

/** Waits for a run that must fail, and returns its output. */
export async function expectFailure(run: RunResult | Promise<RunResult>): Promise<string> {
  const { exitCode, output } = await run;
  expect(exitCode, output).not.toBe(0);
  return output;
}

/** Runs `pulumi up` of the first steps only, by the ends of their names: enough for a login or a refusal. */
export async function upTo(stack: LabStack, ...steps: string[]): Promise<{ exitCode: number; output: string }> {
  const targets = [
    "host",
    "first-contact",
    "host-set-up",
    "host-guard",
    "node",
    ...steps.map((step) => `node-${step}`),
  ];
  return stack.up([...targets.flatMap((name) => ["--target", `**::${name}`])]);
}

/**
 * Runs a step on a host as the program sends it, without engine and ssh: for decisions of the script alone, whose
 * messages another test shows.
 */
export async function stepOn(
  { lab, host }: Pick<Stage, "lab" | "host">,
  stepOf: (config: StackConfig, identity: string) => Step,
  changes: StackFile = {},
): Promise<{ exitCode: number; output: string }> {
  const parsed = parseConfig({ ssh: { agent: true }, ...stackFile(lab, host, changes) }, "prod");
  if ("faults" in parsed) throw new Error(parsed.faults.join("\n"));
  const step = stepOf(parsed.config, formatStackIdentity("prod", "Anvil"));
  const script = createEnvelope(step, { hostName: host.address, stack: "prod" });
  const { exitCode, ...printed } = await host.run("bash -euo pipefail -s", script);
  const { stdout, stderr } = readAnswer(script, { stdout: String(printed.stdout), stderr: String(printed.stderr) });
  return { exitCode: exitCode ?? -1, output: `${stdout}\n${stderr}` };
}

/** Files of a host, from /, that hold a text; its running journal counts as one. */
export async function filesWith(host: LabHost, text: string): Promise<string> {
  const search = `grep -rlFsf - --exclude-dir=proc --exclude-dir=sys --exclude-dir=dev / || true`;
  const journal = `IFS= read -r text; journalctl -o export --no-pager | grep -aF -- "$text" > /dev/null && echo journal || true`;
  const run = async (script: string) => String((await host.run(script, `${text}\n`)).stdout);
  return [await run(search), await run(journal)].filter(Boolean).join("\n");
}

/** Removes indentation and colours from the engine's output. */
export function linesOf(output: string): string {
  return output
    .split("\n")
    .map((line) => line.trim())
    .join("\n");
}

/** Replaces a stack's configuration; the operator's key stays. */
export async function reconfigure(stack: LabStack, host: LabHost, changes: StackFile): Promise<void> {
  const privateKey = await readFile(stack.lab.privateKeyFile, "utf8");
  await stack.configure(stackFile(stack.lab, host, changes), { "ssh.privateKey": privateKey });
}

/** Returns the transcripts of all deploys on a host, oldest first. */
export async function transcripts(host: LabHost): Promise<string[]> {
  const texts = await onHost(
    host,
    `for file in /var/log/pillar-host/deploy-*.log; do cat "$file"; printf '\\001'; done`,
  );
  return texts
    .split("\u0001")
    .slice(0, -1)
    .map((text) => text.trimStart());
}

/** Shell text that holds dpkg's lock as dpkg does (fcntl), until the unit other-apt is stopped. */
export const holdLock = `systemd-run -q --unit=other-apt perl -MFcntl=:DEFAULT,:flock -e '
  sysopen(F, "/var/lib/dpkg/lock-frontend", O_RDWR | O_CREAT) or die;
  $$l = pack("s s x4 q q i x4", F_WRLCK, 0, 0, 0, 0); fcntl(F, F_SETLKW, $$l) or die;
  open(R, ">", "/run/locked"); close(R); sleep 300'
timeout 20 sh -c 'until [ -e /run/locked ]; do sleep 0.1; done'`;
