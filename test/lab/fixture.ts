import { readFile } from "node:fs/promises";
import { Lab, type LabHost, testLabPrefix } from "../../lab/lab";
import { LabStack, type StackFile } from "../../lab/stack";

let made = 0;

/** A lab for one test file; take it down in afterAll. */
export async function testLab(): Promise<Lab> {
  const run = Number(process.env.PILLAR_TEST_RUN ?? process.ppid);
  made += 1;
  return Lab.create(`${testLabPrefix(run)}${(process.pid % 46656).toString(36)}${made.toString(36)}`);
}

/** The smallest configuration that fits a lab host: its two cores are the machine's. */
export function stackFile(lab: Lab, host: LabHost, changes: StackFile = {}): StackFile {
  return {
    pillar: { name: "Anvil" },
    host: { provider: "existing", address: host.address, hostKey: host.hostKey, minimums: { cores: 1, diskGb: 1 } },
    controller: { releaseUrl: lab.releaseUrl() },
    ...changes,
  };
}

/** A stack for a host, with the operator's key. */
export async function testStack(lab: Lab, host: LabHost, changes: StackFile = {}, name = "prod"): Promise<LabStack> {
  const privateKey = await readFile(lab.privateKeyFile, "utf8");
  return LabStack.create(lab, name, stackFile(lab, host, changes), { "ssh.privateKey": privateKey });
}

/** What a script prints on a host, without its last line break. */
export async function onHost(host: LabHost, script: string): Promise<string> {
  const { stdout, stderr, exitCode } = await host.run(script);
  if (exitCode !== 0) throw new Error(`${script}: exit ${exitCode}: ${stderr}`);
  return String(stdout);
}

/** `pulumi up` of the first steps only, by the ends of their names: enough to see a login or a refusal. */
export async function upTo(stack: LabStack, ...steps: string[]): Promise<{ exitCode: number; output: string }> {
  return stack.up(steps.flatMap((step) => ["--target", `**::node-${step}`]));
}

/** Files of a host, from /, that hold a text; its running journal counts as one. */
export async function filesWith(host: LabHost, text: string): Promise<string> {
  const search = `grep -rlFsf - --exclude-dir=proc --exclude-dir=sys --exclude-dir=dev / || true`;
  const journal = `journalctl -o export --no-pager | grep -qaFf <(cat) && echo journal || true`;
  const run = async (script: string) => String((await host.run(script, `${text}\n`)).stdout);
  return [await run(search), await run(journal)].filter(Boolean).join("\n");
}

/** What the engine printed, without its indentation and colours. */
export function linesOf(output: string): string {
  return output
    .split("\n")
    .map((line) => line.trim())
    .join("\n");
}
