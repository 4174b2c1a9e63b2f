import { expect, test } from "vitest";
import { parseConfiguration, parseRawValues } from "../../../cli/pulumi/configuration";
import { findBackendDirectory } from "../../../cli/pulumi/locks";
import { findPassphrase } from "../../../cli/pulumi/pulumiCommand";
import { formatPulumiError, isPassphraseMissing } from "../../../cli/pulumi/pulumiErrors";
import { CliRefusal } from "../../../cli/terminal/refusal";
import { least } from "../../components/exampleConfig";

/** Returns what `pulumi config --json --show-secrets` prints. */
const printed = (config: Record<string, unknown>) =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(config).map(([key, value]) => [
        key,
        typeof value === "string"
          ? { value, secret: false }
          : { value: JSON.stringify(value), objectValue: value, secret: true },
      ]),
    ),
  );

test("reads the project's keys, structured or plain", () => {
  const text = printed({
    "pillar-host:pillar": { name: "Anvil" },
    "pillar-host:lifecycle": "active",
    "aws:region": "x",
  });
  expect(parseRawValues(text)).toEqual({ pillar: { name: "Anvil" }, lifecycle: "active" });
});

test("gives a configuration its defaults", () => {
  const config = Object.fromEntries(Object.entries(least).map(([key, value]) => [`pillar-host:${key}`, value]));
  expect(parseConfiguration("prod", printed(config)).sync.confirmations).toBe(3);
});

test("names all faults at once, without a secret", () => {
  const config = {
    "pillar-host:pilar": { name: "Anvil" },
    "pillar-host:ssh": { privateKey: "ssh-ed25519 AAAA" },
    "pillar-host:host": least.host,
    "pillar-host:controller": least.controller,
    "pillar-host:sync": least.sync,
  };
  const read = () => parseConfiguration("prod", printed(config));
  expect(read).toThrow(CliRefusal);
  expect(read).toThrow(`The configuration of stack prod has 3 faults:
  - pillar-host:pillar: missing, needed: The Pillar whose host this is
  - pillar-host:ssh.privateKey: found text, needed a private key, the file without .pub (-----BEGIN OPENSSH PRIVATE KEY-----…) (pulumi config set --secret --path pillar-host:ssh.privateKey -s prod)
  - pillar-host:pilar: no such key; did you mean pillar?
Correct it in Pulumi.prod.yaml (docs/configuration.md has all keys), then run the command again.`);
});

test.each([
  [
    "error: no stack named 'nope' found",
    /^there is no stack nope here\n {2}needed: name a stack that `pulumi stack ls` lists[^\n]*, or make it: \.\/pillar-host init nope$/,
  ],
  ["error: incorrect passphrase", /^the pass phrase does not open stack nope\n {2}needed: /],
  [
    "error: passphrase must be set with PULUMI_CONFIG_PASSPHRASE or …",
    /^stack nope needs its pass phrase\n {2}needed: run the command in a terminal/,
  ],
  ["error: no Pulumi.yaml project file found (searching upwards from /)", /^there is no Pulumi.yaml here\n/],
  ["error: something new\n", /^pulumi config failed: something new$/],
])("explains pulumi's error to the operator: %s", (stderr, text) => {
  expect(formatPulumiError("config", "nope", stderr)).toMatch(text);
});

test("asks for a pass phrase only if none is set", () => {
  expect(isPassphraseMissing("error: passphrase must be set with PULUMI_CONFIG_PASSPHRASE or …")).toBe(true);
  expect(isPassphraseMissing("error: incorrect passphrase")).toBe(false);
});

test("returns a file backend's directory, and none for a bucket", () => {
  expect(findBackendDirectory("file:///srv/state")).toBe("/srv/state");
  expect(findBackendDirectory("file:///srv/state?no_tmp_dir=true")).toBe("/srv/state");
  expect(findBackendDirectory("file://~")).toBe(process.env.HOME);
  expect(findBackendDirectory("s3://bucket")).toBeUndefined();
});

test("asks once for each pass phrase, however often two stacks take turns", async () => {
  const typed: string[] = [];
  const asked: string[] = [];
  const open = (phrase: string) =>
    findPassphrase(
      typed,
      async (one) => one === phrase,
      async () => {
        asked.push(phrase);
        return phrase;
      },
    );
  for (const phrase of ["first", "second", "first", "second"]) expect(await open(phrase)).toBe(phrase);
  expect(asked).toEqual(["first", "second"]);
});
