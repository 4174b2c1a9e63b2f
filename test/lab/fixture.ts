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
