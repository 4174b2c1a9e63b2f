import { execa } from "execa";
import { expect, it } from "vitest";
import { hostNamespace } from "../../../lab/hosts/network";
import { keepEngineLogs } from "../../../lab/toolchain/engineLogs";
import { pastPackages, staged } from "../fixture";

keepEngineLogs();

/** As `ufw limit ssh`: an address that begins 6 connections in 30 s is refused further ones. */
const limit = `table inet limit { chain input {
  type filter hook input priority 0;
  tcp dport 22 ct state new meter ssh { ip saddr limit rate over 12/minute burst 6 packets } reject
} }`;

const stage = staged(undefined, pastPackages);

it("a host that limits new connections is stood up, and the next run shows its address", async () => {
  const { lab, host, stack } = stage;
  await execa("ip", ["netns", "exec", hostNamespace(lab.name, host.name), "nft", "-f", "-"], { input: limit });
  for (const run of ["first", "second"]) {
    const { exitCode, output } = await stack.up();
    expect(exitCode, `${run}: ${output}`).toBe(0);
    const { producerAddress } = await stack.outputs<{ producerAddress: string }>();
    expect(producerAddress, `${run}: ${output}`).toMatch(/^z1q/);
  }
});
