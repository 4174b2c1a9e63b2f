import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Lab, LabHost } from "../../../lab/lab";
import type { LabStack } from "../../../lab/stack";
import { onHost, reconfigure, testLab, testStack } from "../fixture";

describe("the hourly restart that is switched off", () => {
  const crontab = "MAILTO=ops@example.org\n30 3 * * 0 systemctl restart go-node\n";
  let lab: Lab;
  let host: LabHost;
  let stack: LabStack;

  beforeAll(async () => {
    lab = await testLab();
    host = await lab.addHost("host1");
    await host.run("crontab -", crontab);
    stack = await testStack(lab, host, { sync: { hourlyRestart: false } });
  });
  afterAll(async () => lab?.down());

  const now = async () => `${await onHost(host, "crontab -l")}\n`;

  it("is never set, and the operator's own restart is left and warned about", async () => {
    const { exitCode, output } = await stack.up();
    expect(output).not.toContain("error");
    expect(exitCode).toBe(0);
    expect(output).not.toContain("hourly restart: on");
    expect(output).toContain(
      "warning: root's crontab has another line about go-node, left as it is: 30 3 * * 0 systemctl restart go-node. A restart of a producing node misses momentums.",
    );
    expect(await now()).toBe(crontab);
  });

  it("is not set when it is configured once the node has synced", async () => {
    await reconfigure(stack, host, { sync: { hourlyRestart: true } });
    const { exitCode, output } = await stack.up();
    expect(output).not.toContain("error");
    expect(exitCode).toBe(0);
    expect(output).toMatch(/hourly restart: stays off, the node synced at 20\d\d-/);
    expect(await now()).toBe(crontab);
  });

  it("is not set while the node has lost its peers, with the state lost too", async () => {
    await lab.chain("PATCH", "/nodes/host1", { peers: 0 });
    await stack.pulumi([
      "state",
      "delete",
      "--yes",
      "--force",
      "--target-dependents",
      await urnOf("node-hourly-restart"),
    ]);
    const { output } = await stack.up(["--target", "**::node", "--target", "**::node-hourly-restart"]);
    expect(output).toContain("hourly restart: stays off");
    expect(await now()).toBe(crontab);
  });

  async function urnOf(name: string): Promise<string> {
    const { deployment } = JSON.parse(String((await stack.pulumi(["stack", "export"])).stdout));
    const urns: string[] = deployment.resources.map((resource: { urn: string }) => resource.urn);
    return urns.find((urn) => urn.endsWith(`::${name}`)) ?? "";
  }
});
