import { describe, expect, it } from "vitest";
import { onHost, reconfigure, staged } from "../fixture";

describe("the hourly restart that is switched off", () => {
  const crontab = "MAILTO=ops@example.org\n30 3 * * 0 systemctl restart go-node\n";
  const stage = staged(
    () => ({ sync: { hourlyRestart: false } }),
    (_lab, host) => host.run("crontab -", crontab),
  );

  const now = async () => `${await onHost(stage.host, "crontab -l")}\n`;

  it("is never set, and the operator's own restart is left and warned about", async () => {
    const { exitCode, output } = await stage.stack.up();
    expect(output).not.toContain("error");
    expect(exitCode).toBe(0);
    expect(output).not.toContain("hourly restart: on");
    expect(output).toContain(
      "warning: root's crontab has another line about go-node, left as it is: 30 3 * * 0 systemctl restart go-node. A restart of a producing node misses momentums.",
    );
    expect(await now()).toBe(crontab);
  });

  it("is not set when it is configured once the node has synced", async () => {
    await reconfigure(stage.stack, stage.host, { sync: { hourlyRestart: true } });
    const { exitCode, output } = await stage.stack.up();
    expect(output).not.toContain("error");
    expect(exitCode).toBe(0);
    expect(output).toMatch(/hourly restart: stays off, the node synced at 20\d\d-/);
    expect(await now()).toBe(crontab);
  });

  it("is not set while the node has lost its peers, with the state lost too", async () => {
    await stage.lab.chain("PATCH", "/nodes/host1", { peers: 0 });
    await stage.stack.pulumi([
      "state",
      "delete",
      "--yes",
      "--force",
      "--target-dependents",
      await urnOf("node-hourly-restart"),
    ]);
    const { output } = await stage.stack.up(["--target", "**::node", "--target", "**::node-hourly-restart"]);
    expect(output).toContain("hourly restart: stays off");
    expect(await now()).toBe(crontab);
  });

  async function urnOf(name: string): Promise<string> {
    const { deployment } = JSON.parse(String((await stage.stack.pulumi(["stack", "export"])).stdout));
    const urns: string[] = deployment.resources.map((resource: { urn: string }) => resource.urn);
    return urns.find((urn) => urn.endsWith(`::${name}`)) ?? "";
  }
});
