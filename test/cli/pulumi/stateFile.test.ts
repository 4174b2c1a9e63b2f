import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseDeployment, parseState } from "../../../cli/pulumi/stackState";
import { readStateFile } from "../../../cli/pulumi/stateFile";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "backend-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const deployment = {
  resources: [{ urn: "urn:a::b", type: "pulumi-nodejs:dynamic/pillar-host:FirstContact", outputs: { pinned: "k" } }],
  pending_operations: [{ type: "creating", resource: { urn: "urn::node", type: "command:remote:Command" } }],
};
const checkpoint = { version: 3, checkpoint: { stack: "organization/pillar-host/prod", latest: deployment } };
const write = (content: unknown, name = "prod.json") => {
  const file = join(directory, ".pulumi/stacks/pillar-host", name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
};
const read = (stack = "prod", url = `file://${directory}`) => readStateFile(url, "pillar-host", stack);

describe("the state of a stack in a backend that is a directory", () => {
  test("equals pulumi's export", async () => {
    write(checkpoint);
    const exported = JSON.stringify({ version: 3, deployment });
    for (const stack of ["prod", "organization/pillar-host/prod"]) {
      const found = await read(stack);
      expect(found).toEqual(deployment);
      expect(parseDeployment(found)).toEqual(parseState(exported));
      expect(parseDeployment(found).pending).toHaveLength(1);
    }
  });

  test("is left to pulumi if it is missing, of another form, half written, empty, or packed", async () => {
    expect(await read()).toBeUndefined();
    write({ ...checkpoint, version: 4 });
    expect(await read()).toBeUndefined();
    write(JSON.stringify(checkpoint).slice(0, -20));
    expect(await read()).toBeUndefined();
    write({ version: 3, checkpoint: { stack: "organization/pillar-host/prod" } });
    expect(await read()).toBeUndefined();
    write(checkpoint);
    write("", "prod.json.gz");
    expect(await read()).toBeUndefined();
  });

  test("is left to pulumi in any other backend", async () => {
    write(checkpoint);
    for (const url of ["s3://state", "postgres://state", "https://api.pulumi.com"])
      expect(await read("prod", url)).toBeUndefined();
  });
});
