import { existsSync, readFileSync } from "node:fs";
import { extractRawConfig, findValue } from "../../core/config/config.ts";
import { listSchemaKeys, readMeta } from "../../core/config/schemaKeys.ts";
import { listSecretKeys } from "../../core/config/secretKeys.ts";
import { stackSchema } from "../../core/config/stackSchema.ts";
import { openStackStore } from "../../core/config/stackStore.ts";
import { markOwn } from "../../core/ssh/foreign.ts";
import { printableLines } from "../../core/util/printable.ts";
import { ProblemError } from "../../core/util/problem.ts";
import { redactSecrets, redactSecretsAndPaths } from "../../core/util/redact.ts";
import { withTimeout } from "../../core/util/withTimeout.ts";
import { writeNewFile } from "../../core/util/writeAtomically.ts";
import packageJson from "../../package.json" with { type: "json" };
import { openCandidates } from "../backup/backUpOrchestrator.ts";
import { check } from "../check/check.ts";
import { parseRawValues } from "../pulumi/configuration.ts";
import { createPulumi } from "../pulumi/pulumiCommand.ts";
import { report } from "../report/report.ts";
import { openStack } from "../status/openStack.ts";
import { status } from "../status/status.ts";
import { formatError } from "../terminal/refusal.ts";

const contents = `Read it before you send it: it names hosts, users and your Pillar.
  with     versions, configuration, status, check, report, event log,
           logs of the hosts
  without  passwords, keys, tokens, webhooks, key shares, word lists,
           and what looks like one of them: [removed]`;

/** Keys of `pulumi about`, at all depths, that may be shown: the backend's address may have a password. */
const engineKeys = ["cliAbout", "version", "plugins", "name", "host", "os", "arch", "dependencies", "errors"];

/** Writes a text file about one stack, or all, for whoever helps. What can't be read is there as its error. */
export async function support(named: string | undefined, { output }: { readonly output?: string }): Promise<number> {
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  const file = output ?? `support-${time}.txt`;
  if (existsSync(file))
    throw new ProblemError({ what: `${file} exists already: nothing was written`, needed: "name another --output" });
  const secrets = listTerminalSecrets();
  const formatEngine = (about: string) => JSON.stringify(JSON.parse(about), engineKeys, 2);
  const engine = await createPulumi("").read(["about", "--json"]).then(formatEngine, formatError);
  const texts = [`=== versions ===\npillar-host ${packageJson.version}, node ${process.version}, pulumi: ${engine}\n`];
  for (const stack of named === undefined ? await createPulumi("").listStacks() : [named]) {
    // Without the configuration, nothing could remove its secrets from the other parts.
    const configuration = readConfiguration(stack, secrets);
    for (const [title, read] of listParts(stack)) {
      console.error(`reading: ${title} of ${stack}`);
      const part = await withTimeout(configuration.then(read), partTimeoutMs).catch(formatError);
      texts.push(`=== ${title} of ${stack} ===\n${part}\n`);
    }
  }
  const text = redactSecrets(printableLines(texts.join("\n")), secrets.map(printableLines));
  writeNewFile(file, `${contents}\n\n${redactSecretsAndPaths(text)}`);
  console.log(`written: ${file}\n${contents}`);
  return 0;
}

/** Longer than each part takes by its own limits. */
const partTimeoutMs = 300_000;

/** Returns the values of known keys that are no secrets. Adds all other texts to `secrets`. */
async function readConfiguration(stack: string, secrets: string[]): Promise<string> {
  const all = parseRawValues(await createPulumi(stack).read(["config", "--json", "--show-secrets"]));
  const { raw } = extractRawConfig(all);
  const shown = listSchemaKeys(stackSchema).filter(({ isBlock, schema }) => !isBlock && !readMeta(schema).secret);
  const hidden = listSecretKeys().flatMap((path) => findValue(raw, path) ?? []);
  const others = Object.entries(all).flatMap(([name, value]) => (name.startsWith("pillar-host:") ? [] : [value]));
  secrets.push(...hidden.map(String), ...others.filter(isLong));
  const values = shown.map(({ path }) => [path.join("."), findValue(raw, path)]);
  return JSON.stringify(Object.fromEntries(values), undefined, 2);
}

type Part = readonly [title: string, read: (configuration: string) => string | Promise<string>];

const listParts = (stack: string): readonly Part[] => [
  ["configuration", (configuration) => configuration],
  ["status", () => capture(() => status(stack, { json: true }))],
  ["check", () => capture(() => check(stack, { json: true }))],
  ["report", () => capture(() => report(stack, { json: true }))],
  ["event log", async () => (await openStackStore((await openStack(stack)).config).readLines()).slice(-500).join("\n")],
  ["logs of the hosts", () => readHostLogs(stack)],
];

/** Runs a command of this program. Returns what it prints, and its exit code. */
async function capture(run: () => Promise<number>): Promise<string> {
  const { log, error } = console;
  const lines: unknown[] = [];
  console.log = console.error = (line: unknown) => void lines.push(line);
  const exitCode = await run().finally(() => Object.assign(console, { log, error }));
  return [...lines, `exit code: ${exitCode}`].join("\n");
}

async function readHostLogs(stack: string): Promise<string> {
  const source = await openStack(stack);
  const logs = openCandidates(source).map(async ({ root, paths: { service, directory } }) => {
    const variables = markOwn({ node_service: source.config.node.service, service, directory });
    const text = await root.call("host_logs", variables).catch(formatError).finally(root.close);
    return `--- ${root.address} ---\n${text}`;
  });
  return (await Promise.all(logs)).join("\n");
}

/** Lists the secrets of this terminal, and the text of the pass phrase's file. */
function listTerminalSecrets(): string[] {
  const { PULUMI_CONFIG_PASSPHRASE_FILE: file = "" } = process.env;
  const named = Object.entries(process.env).filter(([name]) => /PASS|TOKEN|SECRET|KEY|CREDENTIAL/i.test(name));
  return [...named.map(([, value]) => value), existsSync(file) && readFileSync(file, "utf8").trim()].filter(isLong);
}

/** Returns false for a text that others contain, such as true. */
const isLong = (value: unknown): value is string => typeof value === "string" && value.length > 5;
