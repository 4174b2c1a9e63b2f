import { execa } from "execa";
import { operatorNamespace } from "../../../lab/hosts/network.ts";
import type { Lab } from "../../../lab/lab.ts";

/** Tries a TCP port from a namespace: no answer at all is `filtered`. */
export async function probe(namespace: string, address: string, port: number): Promise<string> {
  // Without ~/.bashrc: bash reads it if its input is a socket, and a developer's may take a minute.
  const bash = ["timeout", "5", "bash", "--norc", "-c", `exec 3<>/dev/tcp/${address}/${port}`];
  const { exitCode, stderr } = await execa("ip", ["netns", "exec", namespace, ...bash], { reject: false });
  if (exitCode === 0) return "open";
  if (/refused/.test(stderr)) return "refused";
  return /No route/.test(stderr) ? "unreachable" : "filtered";
}

/** Probes a port from the operator's end. */
export function probeFromOperator(lab: Lab, address: string, port: number): Promise<string> {
  return probe(operatorNamespace(lab.name), address, port);
}
