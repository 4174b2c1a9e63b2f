import type { HostShell } from "./labHosts.ts";

/** Returns a script's output on a host, without its last line break. @throws if it fails */
export async function onHost(host: HostShell, script: string, input?: string): Promise<string> {
  const { exitCode, stdout, stderr } = await host.run(script, input);
  if (exitCode !== 0) throw new Error(`${host.name}: ${script}: exit ${exitCode}: ${stderr}`);
  return String(stdout);
}
