import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { redactSecretsAndPaths } from "../../../core/util/redact.ts";
import { kindsIn, type Secret } from "../../../lab/testRun/secretForms.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { least } from "../../components/exampleConfig.ts";
import { keyPair, sshHost } from "../../core/chain/fakes.ts";
import { test as hostTest } from "../../core/orchestrator/localRoot.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";
import { printConfig, runTool } from "../fakePulumi.ts";
import { textOf, wholeWay } from "../report/exampleLog.ts";

const place = scratchDirectory();

const random = () => randomBytes(12).toString("base64url").replaceAll(/[-_]/g, "x");
const words = "abandon ability able about above absent absorb abstract absurd abuse access acid acoustic".split(" ");

/** Texts with a secret that the program does not know: its form, or what stands before it, gives it away. */
const forms: Readonly<Record<string, () => readonly [secret: string, text: string]>> = {
  "after a word": () => toText((secret) => `the password for ada is ${secret}`),
  "in JSON": () => toText((secret) => `found {"ProducerKeyFilePassphrase": "${secret}"}`),
  "on the next line": () => toText((secret) => `mnemonic:\n${secret}`),
  "in a header": () => toText((secret) => `Authorization: Bearer ${secret}`),
  "before a host": () => toText((secret) => `http://ada:${secret}@127.0.0.1:35997 refused`),
  "in a path": () => toText((secret) => `wss://eth.example/v3/${secret}: 401`),
  "in a query": () => toText((secret) => `https://node.example/?key=${secret} timed out`),
  "as hex": () => [randomBytes(32).toString("hex"), ""],
  "as base64": () => [randomBytes(33).toString("base64"), ""],
  "of age": () => toText((secret) => `AGE-SECRET-KEY-1${secret.toUpperCase()}`),
  "a private key": () => [keyPair().private, ""],
  "a word list": () => [[...words].sort(() => Math.random() - 0.5).join(" "), ""],
};

function toText(format: (secret: string) => string) {
  const secret = random();
  return [secret, format(secret)] as const;
}

/** Makes secrets of all forms, and the texts that have them. */
function plant(count: number) {
  const kinds = Object.entries(forms);
  return Array.from({ length: count }, (_, i) => {
    const [kind, make] = kinds[i % kinds.length] ?? ["", () => ["", ""] as const];
    const [secret, text] = make();
    // Three words of a list in a row are too many.
    const pieces =
      kind === "a word list"
        ? secret.split(" ").flatMap((_, at, all) => (at < 3 ? [] : [all.slice(at - 3, at).join(" ")]))
        : [secret];
    return { text: text || `found ${secret}`, secrets: pieces.map((piece): Secret => ({ kind, text: piece })) };
  });
}

const known = (kind: string, text = random()): Secret => ({ kind, text });
const inAnyForm = ({ text }: Secret) =>
  [text, Buffer.from(`x${text}y`).toString("base64"), encodeURIComponent(text), JSON.stringify(text)].join(" and ");
const failed = (error: string) => ({
  at: "2026-11-20T09:40:00Z",
  move: "pillar-host/prod-2/Anvil/1",
  event: "failed",
  details: { error },
});

/** Makes a stack whose host and references do not answer, with secrets everywhere. */
async function plantStack() {
  // It lets nobody in, which no further attempt would change.
  const host = await sshHost(() => false);
  onTestFinished(host.breakAll);
  const { port } = host;
  const key = keyPair();
  writeFileSync(join(place(), "id"), key.private, { mode: 0o600 });
  writeFileSync(join(place(), "passphrase"), "the pass phrase of prod\n");
  const own = ["password", "old", "notify"].map((name) => known(name, `${random()}&"${random()}`));
  const [password, old, token = ""] = own.map(({ text }) => text);
  const notify = known("notify", `http://127.0.0.1:${port}/hooks/${encodeURIComponent(token)}`);
  const heartbeat = known("heartbeat", `http://127.0.0.1:${port}/ping/${random()}`);
  const reference = known("reference");
  const plugins = Array.from({ length: 30 }, (_, i) => known(`plugin${i}`));
  const terminal = Array.from({ length: 30 }, (_, i) => known(`TOKEN_${i}`));
  const config = {
    ...least,
    host: { provider: "existing", address: "127.0.0.1", hostKey: host.hostKey },
    ssh: { port, password, sudoPassword: "q7#z", privateKeyFile: join(place(), "id") },
    oldHost: { address: "127.0.0.2", port, password: old, hostKey: keyPair().public.trim() },
    controller: { release: { url: `http://127.0.0.1:${port}/controller.zip`, sha256: "0f".repeat(32) } },
    sync: { references: [`http://127.0.0.3:${port}/${reference.text}`] },
    notify: notify.text,
    heartbeat: heartbeat.text,
  };
  const foreign = Object.fromEntries(plugins.map(({ kind, text }) => [`cloud:${kind}`, { value: text, secret: true }]));
  writeFileSync(join(place(), "config.json"), JSON.stringify({ ...JSON.parse(printConfig(config)), ...foreign }));
  const planted = plant(140);
  const all = [
    ...own.slice(0, 2),
    notify,
    heartbeat,
    ...plugins,
    ...terminal,
    known("passphrase", "the pass phrase of prod"),
  ];
  const records = join(place(), "data/pillar-host/records/Anvil");
  mkdirSync(records, { recursive: true });
  const errors = ["typed q7#z", ...planted.map(({ text }) => text), ...all.map(inAnyForm)];
  const log = textOf([...wholeWay, ...errors.map(failed)]);
  writeFileSync(join(records, "record.jsonl"), `${log}no JSON: ${errors.join(" ")}\n`);
  writeFileSync(join(place(), "stderr"), `error: ${errors.join("\n")}`);
  const secrets = [
    ...all,
    own[2] ?? notify,
    reference,
    ...planted.flatMap((each) => each.secrets),
    known("key", key.private),
  ];
  const env = Object.fromEntries(terminal.map(({ kind, text }) => [kind, text]));
  return { secrets, env: { ...env, PULUMI_CONFIG_PASSPHRASE_FILE: join(place(), "passphrase") } };
}

const pulumi = `case "$1 $2" in
"about "*) cat stderr >&2; exit 255 ;;
"stack ls") echo '[{"name":"prod"},{"name":"closed"}]' ;;
"stack export") echo '{"deployment":{}}' ;;
"config "*) case "$*" in *"-s closed"*) echo 'error: incorrect passphrase' >&2; exit 255 ;; esac; cat config.json ;;
"whoami "*) echo '{"url":"file:///nowhere"}' ;;
esac`;

test("the file of every stack has none of 200 planted secrets, and errors of what can't be read", async () => {
  const { secrets, env } = await plantStack();
  expect(secrets.length).toBeGreaterThan(200);
  const { exitCode, stdout, stderr } = await runTool(place(), pulumi, ["support", "--output", "bundle.txt"], env);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining("Read it before you send it")]);
  const text = readFileSync(join(place(), "bundle.txt"), "utf8");
  const parts = [
    `pillar-host ${packageJson.version}, node v`,
    ", pulumi: pulumi about --json failed: ",
    '"sync.references": [\n    "http://127.0.0.3:',
    "=== status of prod ===\nroot@127.0.0.1",
    "=== check of prod ===\n{",
    "=== report of prod ===\n{",
    '"event":"failed"',
    "--- 127.0.0.1 ---",
    "=== configuration of closed ===\nthe pass [removed]",
  ];
  expect(parts.filter((part) => !text.includes(part))).toEqual([]);
  expect(text).not.toMatch(/"notify"|q7#z/);
  expect(text.split("[removed]").length).toBeGreaterThan(300);
  expect(kindsIn([text, stdout, stderr].join("\n"), secrets)).toEqual([]);
  expect(statSync(join(place(), "bundle.txt")).mode & 0o777).toBe(0o600);
});

test("overwrites no file, and writes into this directory by default", async () => {
  writeFileSync(join(place(), "bundle.txt"), "mine");
  const refused = await runTool(place(), pulumi, ["support", "prod", "-o", "bundle.txt"]);
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    "bundle.txt exists already: nothing was written\n  needed: name another --output",
  ]);
  expect(readFileSync(join(place(), "bundle.txt"), "utf8")).toBe("mine");
  const about = `{"cliAbout":{"version":"v3.274"},"backend":{"url":"postgres://ada@db"},"plugins":[{"name":"nodejs"}]}`;
  const { stdout } = await runTool(place(), `[ $1 = about ] && echo '${about}'`, ["support", "prod"]);
  const [, name = ""] = /^written: (support-\d{4}-\S+\.txt)$/m.exec(stdout) ?? [];
  expect(readdirSync(place())).toContain(name);
  const text = readFileSync(join(place(), name), "utf8");
  expect(text).toMatch(/"version": "v3.274"[\s\S]*"nodejs"[\s\S]*=== configuration of prod ===\npulumi config /);
  expect(text).not.toContain("backend");
});

hostTest("a host's logs have none of the secrets that steps, node and orchestrator wrote", async ({ root }) => {
  const planted = plant(96);
  const config = { ProducerKeyFilePassphrase: random(), TssPassword: random() };
  const logs = join(root.scratch, "logs");
  mkdirSync(logs);
  const lines = planted.map(({ text }) => text).join("\n\n");
  const orchestrator = (text: string) =>
    `2026-11-22T08:03:35+0000 h orchestrator[7]: 2026-11-22T08:03:35Z\tINFO\ta.go:1\t${text}`;
  writeFileSync(join(logs, "packages.log"), `installed go for z1qqjnwjjpnue8xmmpanz6csze6tcmtzzdtfsww7\n${lines}`);
  writeFileSync(join(root.scratch, "journal.json"), `{"stage": "running"}\n${lines}`);
  writeFileSync(join(root.scratch, "config.json"), JSON.stringify(config, undefined, 4));
  writeFileSync(join(root.scratch, "journal"), `${lines}\n`);
  const told = Object.values(config).map((secret) => orchestrator(`opened with ${secret}`));
  writeFileSync(join(root.scratch, "said"), `${[...told, orchestrator("started")].join("\n")}\n`);
  root.before = 'journalctl() { case $2 in o) cat "$directory/said" ;; *) cat "$directory/journal" ;; esac; }';
  const places = { logs, orchestrator_journal: join(root.scratch, "journal.json"), directory: root.scratch };
  const text = redactSecretsAndPaths(
    await root.call("host_logs", { ...places, node_service: "go-node", service: "o" }),
  );
  for (const part of ["installed go for [address]", '"stage": "running"', "started"]) expect(text).toContain(part);
  const own = Object.entries(config).map(([kind, secret]) => known(kind, secret));
  expect(kindsIn(text, [...own, ...planted.flatMap(({ secrets }) => secrets)])).toEqual([]);
});
