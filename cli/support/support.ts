import { readFileSync } from "node:fs";
import { findValue } from "../../core/config/config";
import { listSecretKeys } from "../../core/config/secretKeys";
import { openStackStore } from "../../core/config/stackStore";
import type { OrchestratorPlace } from "../../core/orchestrator/hosts/moveInputs";
import { markOwn } from "../../core/ssh/foreign";
import { type OrchestratorHost, openRoot, redactSecrets } from "../../core/ssh/root";
import { readSupportLibrary } from "../../core/steps/libraries";
import { commandsFor } from "../../core/util/commands";
import { printableLines } from "../../core/util/printable";
import { writeNewFile } from "../../core/util/writeAtomically";
import { parseRawValues } from "../pulumi/configuration";
import { createPulumi } from "../pulumi/pulumiCommand";
import type { Deployment } from "../pulumi/stackState";
import { openStack } from "../status/openStack";
import { listOrchestratorHosts } from "../status/orchestratorHosts";

const { version } = require("../../package.json") as typeof import("../../package.json");

const limitSeconds = 120;

/**
 * Writes a text file for whoever helps the operator: versions, state, event log, and both hosts' units, journals and
 * logs, without a secret. A part that can't be read says why. Returns the exit code.
 */
export async function support(fullName: string): Promise<number> {
  const source = await openStack(fullName);
  const { stack, config } = source;
  const engine = createPulumi(fullName);
  const raw = parseRawValues(await engine.read(["config", "--json", "--show-secrets"]));
  const parts: readonly (readonly [string, () => Promise<string>])[] = [
    ["versions", async () => formatVersions(await engine.read(["about", "--json"]))],
    ["state", async () => formatState(await engine.read(["stack", "export"]))],
    ["event log", async () => (await openStackStore(config).readLines()).slice(-500).join("\n")],
    ...listOrchestratorHosts(source).map(({ side, host, place }) => {
      const title = side === "old" ? "old host" : `host ${host.ssh.address}`;
      return [title, () => readHost(host, place, config.node.service)] as const;
    }),
  ];
  const texts: string[] = [];
  for (const [title, read] of parts) {
    console.log(`reading: ${title}`);
    texts.push(`# ${title}\n${await read().catch(({ message }: Error) => `not read: ${message}`)}\n`);
  }
  const file = `${stack}-support-${new Date().toISOString().replaceAll(/[:.]/g, "-")}.txt`;
  writeNewFile(file, printableLines(redactSecrets(texts.join("\n"), listSecrets(raw, process.env))));
  console.log(`written for whoever helps you: ${file}
  with         versions, resources, event log; units, journals and logs of the hosts
  without      keys, pass phrases, key stores, key shares, the config.json of node and orchestrator, webhooks
Read it before you send it: it names addresses, hosts and your Pillar.
Status of the stack: ${commandsFor(stack).status()}`);
  return 0;
}

/** Lists a stack's secrets and those of the environment, which must not be in a text for others. */
export function listSecrets(
  raw: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  const configured = listSecretKeys().map((path) => findValue(raw, path));
  const file = environment.PULUMI_CONFIG_PASSPHRASE_FILE;
  const secretNames = /PASS|TOKEN|SECRET|KEY|CREDENTIAL/i;
  const named = Object.entries(environment).map(([name, value]) => secretNames.test(name) && value);
  const typed = file !== undefined && readFileSync(file, "utf8").trim();
  return [...configured, ...named, typed].filter((each) => typeof each === "string" && each.length > 3) as string[];
}

/** @param about output of `pulumi about --json`: unlike `pulumi version`, it accepts -s STACK */
function formatVersions(about: string): string {
  const { cliAbout } = JSON.parse(about) as { readonly cliAbout?: { readonly version?: string } };
  return `pillar-host ${version}\nnode ${process.version}\npulumi ${cliAbout?.version ?? "unknown"}`;
}

/** Formats the resources without their inputs and outputs. */
function formatState(exported: string): string {
  const { resources = [], pending_operations: pending = [] } =
    (JSON.parse(exported) as { deployment?: Deployment }).deployment ?? {};
  return [
    ...resources.map(({ urn, type }) => `${type} ${urn.split("::").at(-1)}`),
    ...pending.map(({ type, resource }) => `pending: ${type} ${resource.urn.split("::").at(-1)}`),
  ].join("\n");
}

async function readHost(host: OrchestratorHost, place: OrchestratorPlace, nodeService: string): Promise<string> {
  const root = openRoot(host, readSupportLibrary());
  const { service, directory } = place;
  try {
    return await root.call("support", markOwn({ node_service: nodeService, service, directory }), { limitSeconds });
  } finally {
    root.close();
  }
}
