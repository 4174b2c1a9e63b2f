import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { operatorNamespace } from "../../../lab/hosts/network";
import type { Lab } from "../../../lab/lab";

/** Returns the output of an ssh as root that trusts this host key only, and reports another one. */
export async function strictSsh(lab: Lab, address: string, hostKey: string, script: string) {
  const known = join(lab.dir, `known_hosts_${address}`);
  await writeFile(known, `${address} ${hostKey}\n`);
  const options = [`UserKnownHostsFile=${known}`, "StrictHostKeyChecking=yes", "BatchMode=yes", "ConnectTimeout=5"];
  return lab.run(
    [
      ...["ssh", ...options.flatMap((option) => ["-o", option]), "-o", "IdentitiesOnly=yes", "-i", lab.privateKeyFile],
      ...[`root@${address}`, script],
    ],
    { reject: false },
  );
}

/** Runs bash without ~/.bashrc: it reads it if its input is a socket, and a developer's may take a minute. */
const runBash = (namespace: string, script: string) =>
  execa("ip", ["netns", "exec", namespace, "bash", "--norc", "-c", script], { reject: false });

/** Tries a TCP port from a namespace: no answer at all is `filtered`. */
export async function probe(namespace: string, address: string, port: number): Promise<string> {
  const script = `timeout 5 bash --norc -c 'exec 3<>/dev/tcp/${address}/${port}'`;
  const { exitCode, stderr } = await runBash(namespace, script);
  if (exitCode === 0) return "open";
  if (/refused/.test(stderr)) return "refused";
  return /No route/.test(stderr) ? "unreachable" : "filtered";
}

/** Probes a port from the operator's end. */
export function probeFromOperator(lab: Lab, address: string, port: number): Promise<string> {
  return probe(operatorNamespace(lab.name), address, port);
}

/** True if a datagram to a UDP port comes back. */
export async function probeUdp(namespace: string, address: string, port: number): Promise<"answers" | "silent"> {
  const script = `exec 3<>/dev/udp/${address}/${port}; echo hi >&3; timeout 5 head -c 2 <&3`;
  const { stdout } = await runBash(namespace, script);
  return stdout === "hi" ? "answers" : "silent";
}

/** Waits for it, for two minutes. */
export async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited two minutes in vain: ${what}`);
    await sleep(200);
  }
}
