import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { controller as controllerStep } from "../../../core/steps/nodeSteps.ts";
import { buildRelease } from "../../../lab/doubles/release.ts";
import type { StackFile } from "../../../lab/stack/stack.ts";
import {
  expectFailure,
  expectSuccess,
  linesOf,
  onHost,
  pastPackages,
  reconfigure,
  staged,
  stepOn,
  upTo,
} from "../fixture.ts";

const directory = "/srv/pillar";
const untouched = "What was installed before is untouched.";

describe("the controller's archive", () => {
  const stage = staged(
    (lab) => ({ controller: { release: { url: lab.releaseUrl() }, directory } }),
    async (lab, host) => {
      await onHost(host, `mkdir ${directory}; mount -t tmpfs -o size=8m none ${directory}`);
      await pastPackages(lab, host);
    },
  );
  let installed: string;

  beforeAll(async () => {
    const first = await stage.stack.up();
    expect(first.output).not.toContain("error");
    installed = await facts();
  });
  afterAll(async () => {
    await stage.host?.run(`umount ${directory}`);
  });

  const facts = () =>
    onHost(
      stage.host,
      `cd ${directory}; ls -A; sha256sum *; cat /var/lib/pillar-host/controller
       systemctl show -p MainPID,ActiveEnterTimestamp go-node; sha256sum /root/.znn/config.json`,
    );
  const url = (name: string) => `https://releases.pillar-lab.test/${name}.zip`;
  const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
  const configured = (controller: StackFile) =>
    reconfigure(stage.stack, stage.host, {
      controller: { release: { url: stage.lab.releaseUrl() }, directory, ...controller },
    });
  const upWith = async (controller: StackFile) => {
    await configured(controller);
    return upTo(stage.stack, "preflight", "controller");
  };
  const install = (controller: StackFile) =>
    stepOn(stage, controllerStep, { controller: { directory, ...controller } });
  const refused = async (controller: StackFile, run = install) => {
    const output = await expectFailure(run(controller));
    expect(await facts()).toBe(installed);
    return linesOf(output);
  };

  it("is recorded with its hash, which the run shows", async () => {
    const hash = installed.match(/\n([0-9a-f]{64})\nMainPID/)?.[1];
    const state = JSON.stringify(await stage.stack.exported());
    expect(state).toMatch(new RegExp(`node-controller installed in ${directory}: \\d+ bytes, sha256 ${hash}`));
  });

  it("is refused if the download breaks off, and the run says so", async () => {
    await stage.lab.releases("PUT", "/short.zip", await buildRelease({ menu: "v0.0.4", version: "0.0.5" }));
    await stage.lab.releases("PATCH", "/faults", { short: { truncate: 5000 } });
    const lines = await refused({ release: { url: url("short") } }, upWith);
    expect(lines).toMatch(
      /: the controller could not be downloaded from [^\n]*\nfound: it broke off after \d+ bytes\nfound: /,
    );
    expect(lines).not.toContain("unexpected failure");
    expect(lines).toContain(`${untouched} Run pulumi up -s prod again.`);
  });

  it("is refused if it is missing", async () => {
    const lines = await refused({ release: { url: url("nothing-there") } });
    expect(lines).toMatch(
      /could not be downloaded from .*\nfound: .*ERROR 404: Not Found\.\nfound: .* free on \/srv\/pillar\n/,
    );
  });

  it("is refused on a full disk, while it is downloaded and while it is extracted", async () => {
    const leave = (kb: number) =>
      onHost(
        stage.host,
        `free=$(df -Pk ${directory} | awk 'NR == 2 { print $4 }')
         head -c $(((free - ${kb}) * 1024)) /dev/zero > ${directory}/.fill`,
      );
    await stage.lab.releases("PATCH", "/faults", { short: {} });
    await leave(300);
    installed = await facts();
    const full = await refused({ release: { url: url("short") } });
    expect(full).toMatch(
      /could not be downloaded from [^\n]*\nfound: it is larger than \d+ kB [^\n]+\nfound: \S+ free on \/srv\/pillar\n/,
    );
    expect(full).not.toContain("unexpected failure");
    await onHost(stage.host, `rm ${directory}/.fill`);
    await leave(2000);
    expect(await refused({ release: { url: url("short") } })).toMatch(
      /: (the controller could not be downloaded from [^\n]+|the release from \S+ could not be unpacked)\nfound: it (is larger|unpacks to more) than \d+ kB [^\n]+\nfound: \S+ free on \/srv\/pillar\n/,
    );
    await onHost(stage.host, `rm ${directory}/.fill`);
    installed = await facts();
  });

  it("is not downloaded again while the configuration stays, whatever the address serves", async () => {
    await configured({});
    await expectSuccess(stage.stack.up());
    await stage.lab.releases("PUT", "/node-controller.zip", await buildRelease({ menu: "v0.0.4", version: "0.0.6" }));
    const again = await expectSuccess(stage.stack.up());
    expect(again).toContain("18 unchanged");
    expect(await facts()).toBe(installed);
  });

  it("is upgraded in place when its hash is configured, and the node keeps running", async () => {
    const archive = await buildRelease({ menu: "v0.0.4", version: "0.0.6" });
    const node = (text: string) => text.slice(text.indexOf("MainPID"));
    const output = await expectSuccess(upWith({ release: { url: url("node-controller"), sha256: sha256(archive) } }));
    expect(output).not.toContain("error");
    const now = await facts();
    expect(now).not.toBe(installed);
    expect(now).toContain(`${url("node-controller")} ${sha256(archive)}\n${sha256(archive)}\n`);
    expect(node(now)).toBe(node(installed));
    expect(output).toContain(
      `node-controller installed in ${directory}: ${archive.length} bytes, sha256 ${sha256(archive)}`,
    );
    expect(await onHost(stage.host, `cd ${directory} && script -qec ./node-controller /dev/null <<< 7`)).toContain(
      "v0.0.6",
    );
  });
});
