import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkKeyFile, gatherSecrets } from "../../../cli/init/stackSecrets.ts";
import { parseConfig } from "../../../core/config/config.ts";
import { openIdentity } from "../../../core/orchestrator/backup/vault.ts";
import { least } from "../../components/exampleConfig.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";
import { keyPair } from "../chain/fakes.ts";

const pair = keyPair();
const scratch = scratchDirectory();

const file = (name: string, text: string, mode = 0o600) => {
  writeFileSync(join(scratch(), name), text);
  chmodSync(join(scratch(), name), mode);
  return join(scratch(), name);
};
const faultOf = async (work: () => Promise<unknown>) => work().then(String, (error: Error) => error.message);

/** Readers of small files, with their messages of a refusal. */
const readers: Readonly<Record<string, (path: string) => Promise<string>>> = {
  "a stack's private key": async (path) => {
    const parsed = parseConfig({ ...least, ssh: { privateKeyFile: path } }, "prod");
    return "faults" in parsed ? parsed.faults.join("\n") : "";
  },
  "init's private key": async (path) => JSON.stringify(checkKeyFile(path) ?? ""),
  "a token": (path) => faultOf(() => gatherSecrets({ provider: "hetzner" } as never, { tokenFile: path })),
  "the key of backups": (path) => faultOf(() => openIdentity(scratch(), path, Date.now)),
};

const kinds: readonly (readonly [kind: string, make: () => string, said: RegExp])[] = [
  ["nothing", () => join(scratch(), "none"), /does not exist on this machine/],
  ["a directory", scratch, /is a directory/],
  ["a device without an end", () => "/dev/zero", /is not a regular file/],
  [
    "a pipe that nobody writes into",
    () => {
      execFileSync("mkfifo", [join(scratch(), "pipe")]);
      return join(scratch(), "pipe");
    },
    /is not a regular file/,
  ],
  ["a large file", () => file("large", "x".repeat(70_000)), /is larger than 64 KiB/],
  ["a large file that says it is empty", () => "/proc/kallsyms", /is larger than 64 KiB/],
  ["a file of the system's that has no end", () => "/proc/self/mem", /can't be read \(EIO\)|is larger/],
];

describe.each(Object.keys(readers))("%s", (name) => {
  test.each(kinds)("refuses %s", async (_, make, said) => {
    expect(await readers[name]?.(make())).toMatch(said);
  });
});

test.each([0o644, 0o640, 0o602, 0o666])(
  "a private key or a token that others may reach is refused: %o",
  async (mode) => {
    const key = file(`key${mode}`, pair.private, mode);
    const token = file(`token${mode}`, "a".repeat(64), mode);
    const said = `is open to other users (mode ${mode.toString(8)})`;
    expect(await readers["a stack's private key"]?.(key)).toContain(
      `"${key}" ${said}; needed a file for you alone: chmod 600 ${key}`,
    );
    expect(await readers["init's private key"]?.(key)).toContain(said);
    expect(await readers["a token"]?.(token)).toContain(
      `${token} ${said}\n  needed: give a file for you alone: chmod 600 ${token} (`,
    );
  },
);

test("reads a key and a token of their owner alone", async () => {
  expect(await readers["a stack's private key"]?.(file("key", pair.private, 0o400))).toBe("");
  const secrets = await gatherSecrets({ provider: "hetzner" } as never, { tokenFile: file("token", "t0ken\n") });
  expect(secrets).toEqual([["host.token", "t0ken"]]);
});
