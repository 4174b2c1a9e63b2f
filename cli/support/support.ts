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
import { takeValue, toResult } from "../../core/util/result.ts";
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

const partTimeoutMs = 300_000;

const contents = `Read it before you send it: it names hosts, users and your Pillar.
  with     versions, configuration, status, check, report, event log, logs of the hosts
  without  passwords, keys, tokens, webhooks, key shares, word lists, and what looks like one of them ([removed])`;

/**
 * Writes a text file for whoever helps the operator, about one stack or all of them. What can't be read is there as its
 * error. Returns the exit code.
 */
export async function support(named: string | undefined, { output }: { readonly output?: string }): Promise<number> {
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  const file = output ?? `support-${time}.txt`;
  if (existsSync(file))
    throw new ProblemError({
      what: `${file} exists already; nothing was written`,
      needed: "name another file: --output",
    });
  const secrets = listEnvironmentSecrets(process.env);
  const texts: string[] = [];
  /** Adds a part. Returns false if the part is its error. */
  const add = async (title: string, read: () => Promise<string>): Promise<boolean> => {
    console.error(`reading: ${title}`);
    const failed = (error: unknown) => ({ text: formatError(error), isRead: false });
    const { text, isRead } = await withTimeout(read(), partTimeoutMs).then((text) => ({ text, isRead: true }), failed);
    texts.push(`=== ${title} ===\n${text}\n`);
    return isRead;
  };
  await add("versions of the engine", async () => formatEngine(await createPulumi("").read(["about", "--json"])));
  const listed = named === undefined ? await toResult(createPulumi("").listStacks()) : { value: [named] };
  if ("problem" in listed) texts.push(listed.problem);
  for (const stack of takeValue(listed) ?? []) {
    // Without the configuration, nothing could remove its secrets from the other parts.
    if (await add(`configuration of ${stack}`, () => readConfiguration(stack, secrets)))
      for (const [title, read] of listParts(stack)) await add(`${title} of ${stack}`, read);
  }
  const text = redactSecrets(printableLines(texts.join("\n")), secrets.map(printableLines));
  const made = `Made at ${time}Z by pillar-host ${packageJson.version} on node ${process.version}.`;
  writeNewFile(file, `${made} ${contents}\n\n${redactSecretsAndPaths(text)}`);
  console.log(`written: ${file}\n${contents}`);
  return 0;
}

const formatJson = (value: unknown) => JSON.stringify(value, undefined, 2);

function formatEngine(about: string): string {
  const { cliAbout, plugins, host, dependencies, errors } = JSON.parse(about) as Record<string, unknown>;
  return formatJson({ cliAbout, plugins, host, dependencies, errors });
}

const listParts = (stack: string): (readonly [title: string, read: () => Promise<string>])[] => [
  ["status", () => capture(() => status(stack, { json: true }))],
  ["check", () => capture(() => check(stack, { json: true }))],
  ["report", () => capture(() => report(stack, { json: true }))],
  ["event log", async () => (await openStackStore((await openStack(stack)).config).readLines()).slice(-500).join("\n")],
  ["logs of the hosts", () => readHostLogs(stack)],
];

async function readHostLogs(stack: string): Promise<string> {
  const source = await openStack(stack);
  const logs = openCandidates(source).map(async ({ root, place: { service, directory } }) => {
    const variables = markOwn({ node_service: source.config.node.service, service, directory });
    const text = await root.call("host_logs", variables).catch(formatError).finally(root.close);
    return `--- ${root.address} ---\n${text}`;
  });
  return (await Promise.all(logs)).join("\n");
}

/** Runs a command of this program. Returns what it prints, and its exit code. */
async function capture(run: () => Promise<number>): Promise<string> {
  const { log, error } = console;
  const lines: unknown[] = [];
  console.log = console.error = (line: unknown) => void lines.push(line);
  const exitCode = await run().finally(() => Object.assign(console, { log, error }));
  return [...lines, `exit code: ${exitCode}`].join("\n");
}

/** Returns the values of known keys that are no secrets. Adds all other texts to `secrets`. */
async function readConfiguration(stack: string, secrets: string[]): Promise<string> {
  const all = parseRawValues(await createPulumi(stack).read(["config", "--json", "--show-secrets"]));
  const { raw } = extractRawConfig(all);
  const keys = listSchemaKeys(stackSchema).filter(({ isBlock, schema }) => !isBlock && !readMeta(schema).secret);
  const others = Object.entries(all).filter(([name]) => !name.startsWith("pillar-host:"));
  const hidden = [...listSecretKeys().map((path) => findValue(raw, path)), ...others.map(([, value]) => value)];
  secrets.push(...hidden.filter(isLong));
  return formatJson(Object.fromEntries(keys.map(({ path }) => [path.join("."), findValue(raw, path)])));
}

/** Lists the secrets of the terminal, and the text of the pass phrase's file. */
export function listEnvironmentSecrets(environment: NodeJS.ProcessEnv): string[] {
  const named = Object.entries(environment).filter(([name]) => /PASS|TOKEN|SECRET|KEY|CREDENTIAL/i.test(name));
  const { PULUMI_CONFIG_PASSPHRASE_FILE: file } = environment;
  const typed = file && existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
  return [...named.map(([, value]) => value), typed].filter(isLong);
}

/** Leaves out a text that others contain, such as true. */
const isLong = (value: unknown): value is string => typeof value === "string" && value.length > 5;
