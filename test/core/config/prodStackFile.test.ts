import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { extractRawConfig, parseConfig } from "../../../core/config/config";
import { keyPair } from "../chain/fakes";

const read = (name: string) => readFileSync(resolve(import.meta.dirname, "../../..", name), "utf8");
const text = read("Pulumi.prod.yaml");
/** The keys that are commented out too: a blank after the # makes it a word to the reader. */
const whole = text.replaceAll(/^( +)#(?! \S)/gm, "$1");
const editors = z.fromJSONSchema(JSON.parse(read("stack.schema.json")));

/** Parses a stack's file as the program does. */
function configured(file: string) {
  const { config } = parse(file) as { config: Record<string, unknown> };
  const all = Object.entries(config).map(([key, value]) => [
    key,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return extractRawConfig(Object.fromEntries(all)).raw;
}

describe.each([
  ["as it stands", text],
  ["with all that is commented out", whole],
])("the stack's file of the real network, %s", (_, file) => {
  test("is valid for editors and the program", () => {
    expect(editors.safeParse(parse(file)).error).toBeUndefined();
    expect(editors.safeParse(parse(file.replace("dataDir:", "dataDirectory:"))).success).toBe(false);
    // The file lacks only the reader's login.
    expect(parseConfig({ ...configured(file), ssh: { user: "root" } }, "prod")).toEqual({
      faults: [
        expect.stringMatching(/^pillar-host:ssh: needed one of agent: true, privateKeyFile, privateKey or password\. /),
      ],
    });
  });

  test("has the real network's names, with a reader's login", () => {
    const parsed = parseConfig({ ...configured(file), ssh: { privateKey: keyPair().private.trim() } }, "prod");
    expect(parsed).toMatchObject({
      config: {
        lifecycle: "active",
        controller: { executable: "znn-controller", directory: "/root" },
        node: { service: "go-zenon", dataDir: "/root/.znn", rpcPort: 35997, wsPort: 35998, p2pPort: 35995 },
        orchestrator: { service: "orchestrator", directory: "/root/.orchestrator", rpcPort: 55000, p2pPort: 55055 },
      },
    });
  });
});

test("keeps the commented keys in the file", () => {
  const { config } = parse(whole);
  expect(config["pillar-host:sync"].references).toHaveLength(2);
  expect(config["pillar-host:orchestrator"]).toMatchObject({
    migrateFrom: { address: "198.51.100.9" },
    release: { version: "v0.0.9a" },
  });
  expect(config["pillar-host:host"].hostKey).toMatch(/^ssh-ed25519 /);
  expect(config["pillar-host:controller"].release.sha256).toMatch(/^0+$/);
});
