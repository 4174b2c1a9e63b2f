import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { engineLogs, keepEngineLogs, settleEngineLogs, withoutLogsVariable } from "../lab/toolchain/engineLogs.ts";
import { sourceHash } from "../lab/toolchain/go.ts";
import { ensurePlugins } from "../lab/toolchain/plugins.ts";
import { engineVersion, fits, pinnedVersion } from "../lab/toolchain/version.ts";
import { scratchDirectory } from "./scratchDirectory.ts";

const work = scratchDirectory();

beforeEach(() => {
  // Real programs of this machine must not change these tests.
  vi.stubEnv("PILLAR_LAB_REAL", undefined);
});

afterEach(() => void vi.unstubAllEnvs());

test.each([
  ["v3.259.0", true],
  ["3.259.1", true],
  ["v3.258.9", false],
  ["v4.0.0", false],
])("fits: %s for 3.259.0: %s", (found, expected) => {
  expect(fits(found, "3.259.0")).toBe(expected);
});

test("the engine's version is the one that Pulumi.yaml requires", () => {
  const { requiredPulumiVersion } = parse(fs.readFileSync("Pulumi.yaml", "utf8"));
  expect(`>=${engineVersion()}`).toBe(requiredPulumiVersion);
});

test("the engine's own logs are kept, except in a run of the tests that does not search them", () => {
  vi.stubEnv(withoutLogsVariable, undefined);
  settleEngineLogs(work());
  expect(engineLogs(work())).toBe(path.join(work(), "logs"));
  expect(fs.readdirSync(work())).toEqual([]);

  vi.stubEnv(withoutLogsVariable, "1");
  keepEngineLogs();
  settleEngineLogs(work());
  expect(fs.readdirSync(work())).toEqual([]);

  vi.stubEnv(withoutLogsVariable, "1");
  settleEngineLogs(work());
  expect(() => engineLogs(work())).toThrow("the engine keeps no log in this run");
});

test("the hash of sources changes with a source file's content or name and with the flags, not with other files", () => {
  fs.writeFileSync(path.join(work(), "main.go"), "package main");
  const before = sourceHash([work()]);
  fs.writeFileSync(path.join(work(), "notes.txt"), "x");
  expect(sourceHash([work()])).toBe(before);
  expect(sourceHash([work()], ["-s"])).not.toBe(before);
  fs.writeFileSync(path.join(work(), "main.go"), "package other");
  const changed = sourceHash([work()]);
  expect(changed).not.toBe(before);
  fs.renameSync(path.join(work(), "main.go"), path.join(work(), "other.go"));
  expect(sourceHash([work()])).not.toBe(changed);
});

describe("ensurePlugins", () => {
  // Each is installed on this machine; without Go nothing can be built.
  function install(name: string): void {
    const version = pinnedVersion(`@pulumi/${name}`);
    const directory = path.join(work(), `.pulumi/plugins/resource-${name}-v${version}`);
    fs.mkdirSync(directory, { recursive: true });
    fs.writeFileSync(path.join(directory, `pulumi-resource-${name}`), name);
  }

  beforeEach(() => {
    vi.stubEnv("XDG_CACHE_HOME", work());
    vi.stubEnv("HOME", work());
    vi.stubEnv("PATH", work());
  });

  test("puts the requested ones into one directory that the engine can read", async () => {
    install("command");
    install("hcloud");
    const plugins = await ensurePlugins(["command", "hcloud"]);
    expect(plugins.source).toBe("command plugin 1.2.1, official, hcloud plugin 1.41.0, official");
    const entries = fs.readdirSync(plugins.directory, { withFileTypes: true });
    const names = entries.map((entry) => `${entry.name} ${entry.isDirectory()}`);
    expect(names).toEqual(["resource-command-v1.2.1 true", "resource-hcloud-v1.41.0 true"]);
    const executable = path.join(plugins.directory, "resource-hcloud-v1.41.0/pulumi-resource-hcloud");
    expect(fs.readFileSync(executable, "utf8")).toBe("hcloud");
    expect(await ensurePlugins(["hcloud", "command"])).toMatchObject({ directory: plugins.directory });
  });

  /** Puts an engine of this machine there that downloads a plugin, or fails. */
  function engine(isOnline: boolean): string {
    const file = path.join(work(), "pulumi");
    const plugin = "$PULUMI_HOME/plugins/resource-$4-$5";
    const script = isOnline
      ? `/bin/mkdir -p "${plugin}" && echo "$*" > "${plugin}/pulumi-resource-$4"`
      : 'echo "no such host" >&2; exit 1';
    fs.writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return file;
  }

  test("has an official engine download what this machine lacks, once, and needs no Go", async () => {
    const plugins = await ensurePlugins(["command"], "best", engine(true));
    expect(plugins.source).toBe("command plugin 1.2.1, official");
    const executable = path.join(plugins.directory, "resource-command-v1.2.1/pulumi-resource-command");
    expect(fs.readFileSync(executable, "utf8")).toBe("plugin install resource command v1.2.1\n");
    expect(fs.readdirSync(`${fs.realpathSync(path.dirname(fs.realpathSync(executable)))}/..`)).toEqual([
      "resource-command-v1.2.1",
    ]);
    expect(await ensurePlugins(["command"], "best", engine(false))).toEqual(plugins);
  });

  test("builds the stand-in if the download fails", async () => {
    const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
    await expect(ensurePlugins(["command"], "best", engine(false))).rejects.toThrow("found: no go in PATH");
    expect(said.mock.calls.flat().join("\n")).toContain("the command plugin could not be downloaded");
  });
});
