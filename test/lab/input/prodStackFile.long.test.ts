import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensurePackagedImage } from "../../../lab/images/packagedImage.ts";
import type { Lab } from "../../../lab/lab.ts";
import { LabStack } from "../../../lab/stack/stack.ts";
import { expectFailure, expectSuccess, linesOf, onHost, serveNode, testLab } from "../fixture.ts";

const source = join(import.meta.dirname, "../../../Pulumi.prod.yaml");

describe("Pulumi.prod.yaml", () => {
  let lab: Lab;
  /** The project's own checkout for these stacks. */
  let project: LabStack;
  let key: string;

  const file = (stack: string) => join(project.programDirectory, `Pulumi.${stack}.yaml`);
  const set = (stack: string, path: string, value: string) =>
    project.pulumi(["config", "set", "-s", stack, "--path", `pillar-host:${path}`, value]);
  const login = (stack: string) => set(stack, "ssh.privateKeyFile", lab.privateKeyFile);
  const preview = (stack: string) => project.preview(["-s", stack]);
  /** Returns all comments of the file. */
  const comments = (text: string) => text.match(/#.*/g);

  beforeAll(async () => {
    lab = await testLab();
    key = await readFile(lab.privateKeyFile, "utf8");
    const host = { provider: "existing", address: "10.77.0.99" };
    project = await LabStack.create(lab, "other", { pillar: { name: "Anvil" }, host }, { "ssh.privateKey": key });
    await cp(source, file("prod"));
    await cp(source, file("prod-2"));
  });
  afterAll(async () => lab?.down());

  it("configures a new host of the real network once the reader's values are in it", async () => {
    await project.pulumi(["stack", "init", "prod-2"]);
    await set("prod-2", "ssh.privateKeyFile", "/nonexistent/key");
    const without = await expectFailure(preview("prod-2"));
    expect(linesOf(without)).toContain(
      '- pillar-host:ssh.privateKeyFile: "/nonexistent/key" does not exist on this machine; needed the file of a private ssh key (without .pub), such as ~/.ssh/id_ed25519',
    );
    await set("prod-2", "pillar.name", "Forge");
    await set("prod-2", "host.address", "10.77.0.98");
    await login("prod-2");
    const output = await expectSuccess(preview("prod-2"));
    expect(output).toContain("+ 19 to create");
    const written = await readFile(file("prod-2"), "utf8");
    expect(comments(written)).toEqual(comments(await readFile(source, "utf8")));
    expect(written).toMatch(/^encryptionsalt: /m);
    expect(written).not.toContain("PRIVATE KEY");
  });

  it("stands up a host by the real network's names", async () => {
    const host = await lab.addHost("host1", ensurePackagedImage);
    await lab.chain("PATCH", "/pillars/Forge", {});
    await set("prod-2", "host.address", host.address);
    await set("prod-2", "host.hostKey", host.hostKey);
    for (const minimum of ["cores", "diskGb"]) await set("prod-2", `host.minimums.${minimum}`, "1");
    await set("prod-2", "controller.release.url", lab.releaseUrl("znn-controller"));
    await set("prod-2", "sync.references[0]", await lab.addReference("ref1"));
    await set("prod-2", "sync.references[1]", await lab.addReference("ref2"));
    await project.pulumi(["config", "rm", "-s", "prod-2", "--path", "pillar-host:controller.addresses"]);
    const release = await serveNode(lab, { version: "v0.0.10" });
    for (const [key, value] of Object.entries(release)) await set("prod-2", `node.release.${key}`, value);
    const output = await expectSuccess(project.up(["-s", "prod-2"]));
    expect(output).toMatch(/Producer address field: z1q/);
    expect(await onHost(host, "systemctl is-active go-zenon; pgrep -cx znnd; ls /root/znn-controller")).toBe(
      "active\n1\n/root/znn-controller",
    );
    expect(await onHost(host, "/usr/local/bin/znnd version | head -n 1")).toMatch(/v0\.0\.10$/);
    expect(await onHost(host, "systemctl list-unit-files 'go-node*' --no-legend; pgrep -x go-node || true")).toBe("");
  });

  it("configures the old host with what the README sets", async () => {
    await project.pulumi(["stack", "init", "prod"]);
    await set("prod", "pillar.name", "Forge");
    await project.pulumi(["config", "set", "-s", "prod", "pillar-host:lifecycle", "adopted"]);
    await set("prod", "host.provider", "existing");
    await set("prod", "host.address", "10.77.0.97");
    await login("prod");
    const output = await expectSuccess(preview("prod"));
    expect(output).toContain("guard");
    expect(output).not.toContain("node-deploy");
  });

  it("does not apply to a stack of another name", async () => {
    const { output } = await preview("other");
    expect(linesOf(output)).toContain("- pillar-host:controller.release: missing, needed on an active stack:");
    expect(output).not.toContain("znn");
  });
});
