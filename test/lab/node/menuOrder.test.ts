import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Lab, LabHost } from "../../../lab/lab";
import type { LabStack } from "../../../lab/stack";
import { onHost, reconfigure, testLab, testStack, transcripts } from "../fixture";

describe("a controller whose menu begins with Migrate, on a small machine", () => {
  let lab: Lab;
  let host: LabHost;
  let stack: LabStack;

  beforeAll(async () => {
    lab = await testLab();
    host = await lab.addHost("host1");
    await lab.chain("PATCH", "/nodes/host1", { cores: 2, memoryBytes: 3_900_000_000, buildSeconds: 1 });
    stack = await testStack(lab, host, { controller: { releaseUrl: lab.releaseUrl("node-controller-v0.0.1") } });
  });
  afterAll(async () => lab?.down());

  const config = () => onHost(host, "cat /root/.znn/config.json");

  it("is deployed by the label, and its question about the hardware answered", async () => {
    const { exitCode, output } = await stack.up();
    expect(output).not.toContain("error");
    expect(exitCode).toBe(0);
    const { Producer, Net } = JSON.parse(await config());
    expect((await stack.outputs()).producerAddress).toBe(Producer.Address);
    expect(Net).toBeUndefined();
    const [transcript] = await transcripts(host);
    expect(transcript).toContain("  1) Migrate\n  2) Deploy\n  3) Status\n");
    expect(transcript).toContain("Are you sure you want to proceed with the deployment process? (Y/n): y\n");
    expect(transcript).not.toContain("initial peers");
  });

  it("keeps the producer key when a deploy meets its configuration", async () => {
    const before = await config();
    const keyStore = await onHost(host, "sha256sum /root/.znn/wallet/producer");
    await onHost(host, "rm /var/lib/pillar-host/deploy.done");
    await reconfigure(stack, host, {
      controller: { releaseUrl: lab.releaseUrl("node-controller-v0.0.1"), deployTimeout: "1h" },
    });
    const { exitCode, output } = await stack.up();
    expect(output).not.toContain("error");
    expect(exitCode).toBe(0);
    const [, transcript] = await transcripts(host);
    expect(transcript).toContain(
      "Producer configuration detected. Continue using the existing configuration? (Y/n): y\n",
    );
    expect(await config()).toBe(before);
    expect(await onHost(host, "sha256sum /root/.znn/wallet/producer")).toBe(keyStore);
    expect(await onHost(host, "ls /root/.znn/wallet")).toBe("producer");
  });
});
