import { beforeAll, describe, expect, it } from "vitest";
import { onHost, pastPackages, reconfigure, staged, transcripts } from "../fixture.ts";

const crontab = "MAILTO=ops@example.org\n30 3 * * 0 systemctl restart go-node\n";

/** Both suites share a host: neither changes what the other tests. */
const stage = staged(
  (lab) => ({
    controller: { release: { url: lab.releaseUrl("node-controller-v0.0.1") } },
    sync: { hourlyRestart: false },
  }),
  async (lab, host) => {
    await pastPackages(lab, host);
    await lab.chain("PATCH", "/nodes/host1", { cores: 2, memoryBytes: 3_900_000_000 });
    await host.run("crontab -", crontab);
  },
);
let first: { exitCode: number; output: string };
let second: { exitCode: number; output: string };
let kept: readonly string[];

const config = () => onHost(stage.host, "cat /root/.znn/config.json");
const keyStore = () => onHost(stage.host, "sha256sum /root/.znn/wallet/producer");
const crontabNow = async () => `${await onHost(stage.host, "crontab -l")}\n`;

beforeAll(async () => {
  first = await stage.stack.up();
});

describe("a controller whose menu begins with Migrate, on a small machine", () => {
  it("finds its entry by label, and answers the question about the hardware", async () => {
    expect(first.output).not.toContain("error");
    expect(first.exitCode).toBe(0);
    const { Producer, Net } = JSON.parse(await config());
    expect((await stage.stack.outputs()).producerAddress).toBe(Producer.Address);
    expect(Net).toBeUndefined();
    const [transcript] = await transcripts(stage.host);
    expect(transcript).toContain("  1) Migrate\n  2) Deploy\n  3) Status\n");
    expect(transcript).toContain("Are you sure you want to proceed with the deployment process? (Y/n): y\n");
    expect(transcript).not.toContain("initial peers");
  });
});

describe("an hourly restart that is switched off", () => {
  it("is never set; the operator's own restart stays, with a warning", async () => {
    expect(first.output).not.toContain("hourly restart: on");
    expect(first.output).toContain(
      "warning: something else restarts or stops go-node at times, and was left as it is: root's crontab: 30 3 * * 0 systemctl restart go-node. A restart of a producing node misses momentums.",
    );
    expect(await crontabNow()).toBe(crontab);
  });
});

describe("a synced host whose deploy runs again, with the hourly restart switched on", () => {
  beforeAll(async () => {
    kept = [await config(), await keyStore()];
    await onHost(stage.host, "rm /var/lib/pillar-host/deploy.done");
    await reconfigure(stage.stack, stage.host, {
      controller: { release: { url: stage.lab.releaseUrl("node-controller-v0.0.1") }, deployTimeout: "1h" },
      sync: { hourlyRestart: true },
    });
    second = await stage.stack.up();
  });

  it("keeps the producer key when the deploy meets its configuration", async () => {
    expect(second.output).not.toContain("error");
    expect(second.exitCode).toBe(0);
    const [, transcript] = await transcripts(stage.host);
    expect(transcript).toContain(
      "Producer configuration detected. Continue using the existing configuration? (Y/n): y\n",
    );
    expect([await config(), await keyStore()]).toEqual(kept);
    expect(await onHost(stage.host, "ls /root/.znn/wallet")).toBe("producer");
  });

  it("does not get the hourly restart once the node has synced", async () => {
    expect(second.output).toMatch(/hourly restart: stays off, the node synced at 20\d\d-/);
    expect(await crontabNow()).toBe(crontab);
  });

  it("does not get the hourly restart after it lost its peers and the state was lost", async () => {
    await stage.lab.chain("PATCH", "/nodes/host1", { peers: 0 });
    const target = await urnOf("node-hourly-restart");
    await stage.stack.pulumi(["state", "delete", "--yes", "--force", "--target-dependents", target]);
    const { output } = await stage.stack.up(["--target", "**::node", "--target", "**::node-hourly-restart"]);
    expect(output).toContain("hourly restart: stays off");
    expect(await crontabNow()).toBe(crontab);
  });

  async function urnOf(name: string): Promise<string> {
    const { resources = [] } = await stage.stack.exported();
    return resources.find(({ urn }) => urn.endsWith(`::${name}`))?.urn ?? "";
  }
});
