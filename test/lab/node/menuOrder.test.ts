import { describe, expect, it } from "vitest";
import { onHost, reconfigure, staged, transcripts } from "../fixture";

describe("a controller whose menu begins with Migrate, on a small machine", () => {
  const stage = staged(
    (lab) => ({ controller: { releaseUrl: lab.releaseUrl("node-controller-v0.0.1") } }),
    (lab) => lab.chain("PATCH", "/nodes/host1", { cores: 2, memoryBytes: 3_900_000_000, buildSeconds: 1 }),
  );

  const config = () => onHost(stage.host, "cat /root/.znn/config.json");

  it("is deployed by the label, and its question about the hardware answered", async () => {
    const { exitCode, output } = await stage.stack.up();
    expect(output).not.toContain("error");
    expect(exitCode).toBe(0);
    const { Producer, Net } = JSON.parse(await config());
    expect((await stage.stack.outputs()).producerAddress).toBe(Producer.Address);
    expect(Net).toBeUndefined();
    const [transcript] = await transcripts(stage.host);
    expect(transcript).toContain("  1) Migrate\n  2) Deploy\n  3) Status\n");
    expect(transcript).toContain("Are you sure you want to proceed with the deployment process? (Y/n): y\n");
    expect(transcript).not.toContain("initial peers");
  });

  it("keeps the producer key when a deploy meets its configuration", async () => {
    const before = await config();
    const keyStore = await onHost(stage.host, "sha256sum /root/.znn/wallet/producer");
    await onHost(stage.host, "rm /var/lib/pillar-host/deploy.done");
    await reconfigure(stage.stack, stage.host, {
      controller: { releaseUrl: stage.lab.releaseUrl("node-controller-v0.0.1"), deployTimeout: "1h" },
    });
    const { exitCode, output } = await stage.stack.up();
    expect(output).not.toContain("error");
    expect(exitCode).toBe(0);
    const [, transcript] = await transcripts(stage.host);
    expect(transcript).toContain(
      "Producer configuration detected. Continue using the existing configuration? (Y/n): y\n",
    );
    expect(await config()).toBe(before);
    expect(await onHost(stage.host, "sha256sum /root/.znn/wallet/producer")).toBe(keyStore);
    expect(await onHost(stage.host, "ls /root/.znn/wallet")).toBe("producer");
  });
});
