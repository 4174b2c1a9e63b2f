import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { least } from "../components/exampleConfig.ts";
import { scratchDirectory } from "../scratchDirectory.ts";
import { printConfig, runTool } from "./fakePulumi.ts";

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const ownKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFGSBtGbUCwrGN7Gq8VzKQVWmBcQTTWqvSAZ8qkzNQVS";
const place = scratchDirectory();

beforeEach(() => {
  stacks = "[]";
  writeFileSync(join(place(), "key"), "");
});

/** The stacks that pulumi lists. */
let stacks = "[]";

/** Runs the tool with a pulumi that has the stack prod-2. @returns its output, and the changes requested from pulumi */
const run = (...args: string[]) => runWith({ PULUMI_CONFIG_PASSPHRASE: "four random words" }, ...args);

async function runWith(phrase: Readonly<Record<string, string>>, ...args: string[]) {
  const config = printConfig({ ...least, host: { ...least.host, hostKey: ownKey } });
  const script = `echo "$*" >> asked
case "$*" in "config --json"*) echo '${config}';; "stack ls"*) echo '${stacks}';; esac`;
  const env = { PULUMI_BACKEND_URL: `file://${place()}`, ...phrase };
  const { exitCode, all } = await runTool(place(), script, args, env);
  const asked = existsSync(join(place(), "asked")) ? readFileSync(join(place(), "asked"), "utf8") : "";
  return { exitCode, all, changes: asked.split("\n").filter((line) => /^(stack init|config (set|rm))/.test(line)) };
}

const adopt = (address: string, hostKey: string) =>
  run("adopt", "--like", "prod-2", "--no-up", "--host-key", hostKey, "--", "old", address);

test.each([
  ["$(id) x", key, "address"],
  ["-oX", key, "address"],
  ["198.51.100.9", `ssh-x"},"stage":"y ssh-ed25519 AAAA`, "--host-key"],
])("adopt refuses what the configuration would refuse: %s, %s", async (address, hostKey, named) => {
  const { exitCode, all, changes } = await adopt(address, hostKey);
  expect([exitCode, changes]).toEqual([2, []]);
  expect(all).toMatch(new RegExp(`^ {2}- ${named}: needed `, "m"));
});

test("adopt refuses the other stack's own host under another name", async () => {
  const { exitCode, all, changes } = await adopt("localhost", `localhost ${ownKey} root@here`);
  expect([exitCode, changes]).toEqual([2, []]);
  expect(all).toContain("localhost is the host of prod-2 already: nothing was made");
});

test("adopt takes a name of ~/.ssh/config, with the user and the port there", async () => {
  mkdirSync(join(place(), ".bin"));
  const printed = "user admin\nhostname 198.51.100.9\nport 2222";
  writeFileSync(join(place(), ".bin/ssh"), `#!/bin/sh\n[ "$*" = "-G -- old" ] && echo '${printed}'\n`, { mode: 0o700 });
  const { exitCode, all, changes } = await adopt("old", key);
  expect(exitCode, all).toBe(0);
  const values = { "host.address": "198.51.100.9", "ssh.user": "admin", "ssh.port": "2222" };
  for (const [name, value] of Object.entries(values)) expect(changes.join()).toContain(`pillar-host:${name}=${value}`);
  expect(all).toContain("the pass phrase of prod-2, changed by what your ssh has for this host.");
});

test("adopt refuses a second stack of one host, and names the first one", async () => {
  stacks = '[{"name":"prod"},{"name":"prod-2"},{"name":"old"}]';
  writeFileSync(join(place(), "Pulumi.prod.yaml"), "config:\n  pillar-host:host:\n    address: 198.51.100.9\n");
  const { exitCode, all, changes } = await adopt("198.51.100.9", key);
  expect([exitCode, changes]).toEqual([2, []]);
  expect(all).toContain(
    [
      "198.51.100.9 is the host of stack prod already: nothing was made",
      "  needed: continue with that stack: pulumi up -s prod",
      "  Then: ./pillar-host next prod-2",
    ].join("\n"),
  );
  expect((await adopt("198.51.100.8", key)).all).not.toContain("already: nothing was made");
});

const initAnswers = [
  ...["--pillar", "Anvil", "--provider", "existing", "--address", "203.0.113.8", "--host-key", key, "--agent"],
  // No node listens there.
  ...["--reference", "http://127.0.0.1:1"],
];
const noRelease = "--no-node-release";

test.each([
  [["--pillar", "An\nvil"], "--pillar"],
  [["--address", "-oX"], "--address"],
  [["--host-key", "nonsense"], "--host-key"],
  [["--node-release", "znnd.tar.gz"], "--node-release"],
  [["--node-release-sha256", "ab"], "--node-release-sha256"],
  [["--node-release-version", "latest"], "--node-release-version"],
])("init refuses %j by its flag, before any question", async (bad, named) => {
  const { exitCode, all, changes } = await run("init", "new", ...initAnswers, ...bad);
  expect([exitCode, changes]).toEqual([2, []]);
  expect(all).toMatch(new RegExp(`^ {2}- ${named}: `, "m"));
  expect(all).not.toMatch(/ {4}at /);
  expect(readdirSync(place()).filter((name) => name.startsWith("Pulumi."))).toEqual([]);
});

test("init asks for the node's release that the main network requires, or names the options", async () => {
  const { exitCode, all, changes } = await run("init", "new", ...initAnswers);
  expect([exitCode, changes]).toEqual([2, []]);
  expect(all).toMatch(/^On the main network v0\.0\.10 or newer is required from height 14567887 on \(.*\)\.$/m);
  expect(all).toContain("  needed: give --node-release URL and --node-release-sha256 HASH; or --no-node-release");
  const url = "https://r.example/v0.0.11/znnd-linux-amd64.tar.gz";
  const unhashed = await run("init", "new", ...initAnswers, "--node-release", url);
  expect(unhashed.all).toContain("  needed: give --node-release-sha256 HASH");
  const whole = ["--node-release", url, "--node-release-sha256", "AB".repeat(32)];
  expect(await run("init", "new", ...initAnswers, ...whole)).toMatchObject({ exitCode: 0 });
  const release = (stack: string) =>
    parse(readFileSync(join(place(), `Pulumi.${stack}.yaml`), "utf8")).config["pillar-host:node"].release;
  expect(release("new")).toEqual({ url, sha256: "ab".repeat(32), version: "v0.0.11" });
  const none = await run("init", "none", ...initAnswers, noRelease);
  expect(none.exitCode).toBe(0);
  expect(none.all).toContain("If the controller builds a version older than v0.0.10, it is refused before the sync.");
  expect(release("none")).toBeUndefined();
});

test.each([
  ["a name that is too long", "a".repeat(300), '"a{300}"'],
  ["a name that is a folder", "..", '"\\.\\."'],
  ["a file that another init makes meanwhile", "beside", "EEXIST: "],
])("init names the problem in words: %s", async (_, stack, found) => {
  // A reader finds no file here, and a writer finds one.
  symlinkSync("nowhere", join(place(), "Pulumi.beside.yaml"));
  const { exitCode, all, changes } = await run("init", stack, ...initAnswers, noRelease);
  expect([exitCode, changes]).toEqual([2, []]);
  expect(all).toMatch(new RegExp(`^ {2}found: ${found}.*\n {2}needed: \\w`, "m"));
  expect(all).not.toMatch(/^ {4}at /m);
});

test("init refuses a short pass phrase in the environment or in a file, and takes one of twelve characters", async () => {
  const file = join(place(), "phrase");
  const init = (phrase: Readonly<Record<string, string>>) => runWith(phrase, "init", "new", ...initAnswers, noRelease);
  writeFileSync(file, "eleven char\n");
  for (const [phrase, named] of [
    [{ PULUMI_CONFIG_PASSPHRASE: "x" }, "PULUMI_CONFIG_PASSPHRASE"],
    [{ PULUMI_CONFIG_PASSPHRASE: "" }, "PULUMI_CONFIG_PASSPHRASE"],
    [{ PULUMI_CONFIG_PASSPHRASE_FILE: file }, file],
  ] as const) {
    const { exitCode, all, changes } = await init(phrase);
    expect([exitCode, changes]).toEqual([2, []]);
    expect(all).toContain(`the pass phrase in ${named} is too short; nothing was written`);
    expect(all).toContain("needed: choose one of at least 12 characters, such as four random words");
  }
  writeFileSync(file, "twelve chars\n");
  expect(await init({ PULUMI_CONFIG_PASSPHRASE_FILE: file })).toMatchObject({ exitCode: 0 });
});

test("init and adopt overwrite no file, such as the example that git tracks under the name of a stack", async () => {
  const file = join(place(), "Pulumi.prod.yaml");
  const example = readFileSync("Pulumi.prod.yaml", "utf8");
  writeFileSync(file, example);
  const adopted = ["adopt", "prod", "198.51.100.9", "--like", "prod-2", "--no-up", "--host-key", key];
  for (const args of [adopted, ["init", "prod", ...initAnswers, noRelease]]) {
    const { exitCode, all, changes } = await run(...args);
    expect([exitCode, changes], all).toEqual([2, []]);
    expect(all).toContain("Pulumi.prod.yaml exists already, without a stack; nothing was written");
    expect(all).toContain("found: the example of this program, which git pull replaces");
    expect(all).toContain("needed: choose another name, such as prod-1");
    expect(readFileSync(file, "utf8")).toBe(example);
  }
});
