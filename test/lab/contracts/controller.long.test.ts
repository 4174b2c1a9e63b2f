import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { controllerExpectations } from "../../../lab/contracts/controller.ts";
import { type ControllerSubject, doubleNames } from "../../../lab/contracts/controllerTalk.ts";
import { ensurePackagedImage } from "../../../lab/images/packagedImage.ts";
import type { Lab, LabHost } from "../../../lab/lab.ts";
import { onHost, testLab } from "../fixture.ts";

describe("contract controller, the double", () => {
  let lab: Lab;
  let host: LabHost;
  const subject: ControllerSubject = {
    directory: "/root/controller",
    executable: "node-controller",
    names: doubleNames,
    deploySeconds: 120,
    isSmall: true,
    sh: async (script) => String((await host.run(script)).stdout),
  };

  beforeAll(async () => {
    lab = await testLab();
    host = await lab.addHost("host1", ensurePackagedImage);
    const settings = { buildSeconds: 1, buildLines: 20, cores: 2, memoryBytes: 3_900_000_000 };
    await lab.chain("PATCH", `/nodes/${host.name}`, { ...settings, behind: 0, rate: 1e6 });
    await onHost(
      host,
      `mkdir ${subject.directory} && cd ${subject.directory} && wget -qO release.zip ${lab.releaseUrl()} && unzip -q release.zip`,
    );
  });

  afterAll(async () => {
    await lab?.down();
  });

  it.each(controllerExpectations.map(({ name, check }) => [name, check] as const))("%s", async (_name, check) => {
    await expect(check(subject)).resolves.toBeUndefined();
  });
});

// Its program can't be had here: a person with a scratch machine runs the same expectations.
describe.skip("contract controller, the real one: npm run contract -- controller PATH, on a scratch machine", () => {
  it.each(controllerExpectations.map(({ name, lines }) => `${name} (${lines})`))("%s", () => undefined);
});
