import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { findNewHostGap } from "../../../core/chain/requiredVersions.ts";
import { createVersionRules } from "../../../core/chain/versionRules.ts";
import { parseConfig, type StackConfig } from "../../../core/config/config.ts";
import { keyPair } from "../chain/fakes.ts";
import { uncommentEach } from "./commentedBlocks.ts";

const root = resolve(import.meta.dirname, "../../..");
const read = (name: string) => readFileSync(resolve(root, name), "utf8");
const editors = z.fromJSONSchema(JSON.parse(read("docs/stack.schema.json")));
const examples = readdirSync(resolve(root, "examples")).map((name) => `examples/${name}`);

/** Activates the lines that are commented out; a blank after the # marks words for the reader. */
const whole = (text: string) => text.replaceAll(/^( +)#(?! \S)/gm, "$1");

/** Replaces the example's login and token by a reader's own. */
function parsed(text: string) {
  const { config } = parse(text) as { config: Record<string, Record<string, unknown>> };
  const named = Object.entries(config).map(([key, value]) => [key.replace("pillar-host:", ""), value]);
  const raw = Object.fromEntries(named) as typeof config;
  const token = raw.host?.provider === "existing" ? {} : { token: "a".repeat(64) };
  const ssh = { privateKey: keyPair().private.trim() };
  return parseConfig({ ...raw, host: { ...raw.host, ...token }, ssh }, "prod");
}

test("has an example for each way to a host", () => {
  const names = ["digitalocean", "hetzner", "network-of-momentum", "old-host", "own-server"];
  expect(examples).toEqual(names.map((name) => `examples/${name}.yaml`));
});

describe.each(examples)("%s", (name) => {
  test.each([
    ["as it stands", read(name)],
    ["with all that is commented out", whole(read(name))],
  ])("is valid for editors and the program, %s", (_, text) => {
    expect(editors.safeParse(parse(text)).error).toBeUndefined();
    expect(parsed(text)).toHaveProperty("config.pillar.name", "Anvil");
  });

  test("has commented blocks that work when they are uncommented, one at a time", () => {
    const texts = uncommentEach(read(name));
    expect(texts.length).toBeGreaterThan(1);
    for (const text of texts) expect(parsed(text), text).toHaveProperty("config.pillar.name", "Anvil");
  });

  test("has a key's file, no secret, and no command that selects another stack", () => {
    expect(parse(read(name)).config["pillar-host:ssh"]).toMatchObject({ privateKeyFile: "~/.ssh/id_ed25519" });
    expect(read(name)).not.toMatch(/secure:|PRIVATE KEY/);
    const [command = ""] = /pulumi stack init.*/.exec(read(name)) ?? [];
    expect(command).toMatch(/^pulumi stack init \S+ --no-select$/);
    for (const [typed] of read(name).matchAll(/pulumi (config|up|preview|destroy) .*/g))
      expect(typed).toContain("-s prod");
    // pulumi writes the salt of the pass phrase after the last key, before the lines that are commented out.
    expect(read(name)).toMatch(/\n {4}\w+: .*\n$/);
  });
});

test.each(examples.filter((name) => !name.includes("old-host")))(
  "%s: the node has the version that the network requires",
  (name) => {
    const stack = parsed(read(name)) as { config: StackConfig };
    const { controller, node } = stack.config;
    const rules = createVersionRules(stack.config);
    expect(findNewHostGap(controller.source, rules)).toBeDefined();
    expect(findNewHostGap(controller.source, rules, node.release?.version)).toBeUndefined();
    expect(read(name)).toContain(`# REPLACE: the node's release for linux-amd64, from ${rules.releases}, with`);
  },
);

test.each([...examples.map((name) => [name, "examples"]), ["Pulumi.prod.yaml", "."], ["docs/configuration.md", "."]])(
  "%s leads editors to the schema",
  (name, from) => {
    const [, path = ""] = /# yaml-language-server: \$schema=([^`\n]+)/.exec(read(name)) ?? [];
    expect(resolve(root, from, path)).toBe(resolve(root, "docs/stack.schema.json"));
  },
);

test("keeps Pulumi.prod.yaml equal to the first example", () => {
  expect(read("Pulumi.prod.yaml").replace("$schema=./", "$schema=../")).toBe(read("examples/network-of-momentum.yaml"));
});
