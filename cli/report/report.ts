import fs from "node:fs";
import { noHost, openChainView } from "../../core/chain/chainView.ts";
import { createNodeTarget } from "../../core/chain/configuredNode.ts";
import { readProduction } from "../../core/chain/production.ts";
import { chooseStore } from "../../core/config/stackStore.ts";
import { listReferences } from "../../core/retirement/retirementInputs.ts";
import { openStore } from "../../core/store/openStore.ts";
import { formatDefaultStore, resolveOwnIdentityPath } from "../../core/store/storeDirectory.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { ProblemError } from "../../core/util/problem.ts";
import { shortenStackName } from "../pulumi/stackName.ts";
import { openStack, type StackInfo } from "../status/openStack.ts";
import { buildReport, completeReport, type History, listStacks, parseEventLog } from "./buildReport.ts";
import { formatPage } from "./reportPage.ts";
import { formatJson, formatText } from "./reportText.ts";
import type { ProductionReading } from "./verdict.ts";

/**
 * Prints the report of a migration, and writes it as a page to the path `html`. `directory`: the place of the event log,
 * for a stack that is gone. Returns the exit code. @throws ProblemError if no event log names the stack
 */
export async function report(
  fullName: string,
  { json, directory, html }: { readonly json?: boolean; readonly directory?: string; readonly html?: string },
): Promise<number> {
  // The event log has only the short name, even if the backend uses organization/project/stack.
  const stack = shortenStackName(fullName);
  const source = directory === undefined ? await readStack(fullName) : undefined;
  const store = openStore(directory ?? (source ? chooseStore(source.config) : ""), stack);
  const log = parseEventLog(await store.readLines(), store.log);
  const history = buildReport(log, stack);
  if (history === undefined)
    throw new ProblemError({
      what: `the event log does not name stack ${stack}`,
      found: `${store.log}, which names ${listStacks(log.entries).join(", ") || "no stack"}`,
      needed: "run this command as the user and on the machine that ran the stack, or give the place of record.jsonl:",
      next: commandsFor(stack).report("--directory", "DIR"),
    });
  const made = completeReport(history, await readProductionOf(history, source));
  if (html !== undefined) fs.writeFileSync(html, formatPage(made));
  const key = resolveOwnIdentityPath(store.directory);
  const places = [
    `Event log:  ${store.directory}`,
    ...(fs.existsSync(key) ? [`Key:        ${key} opens the backups: keep a copy elsewhere`] : []),
  ];
  console.log(json ? formatJson(made) : formatText(made, process.stdout.columns ?? 120, places));
  return 0;
}

/** Reads from the chain what both hosts' addresses produced. Never throws. */
async function readProductionOf({ pillar, window }: History, source?: StackInfo): Promise<ProductionReading> {
  if ("unknown" in window) return window;
  if (source === undefined) return { unknown: "--directory names no node that could be asked" };
  const { config, address, hostKey } = source;
  const own = address && hostKey ? createNodeTarget(config, address, hostKey) : undefined;
  const view = openChainView(own ?? noHost, { own, references: listReferences(config) });
  return readProduction(view, { pillar, ...window }, config.network)
    .catch(({ message }: Error) => ({ unknown: message }))
    .finally(view.close);
}

/** @throws ProblemError with a command that needs neither stack nor pulumi, because the event log outlives them */
async function readStack(stack: string): Promise<StackInfo> {
  try {
    return await openStack(stack);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const outlasting = commandsFor(stack).report("--directory", `"${formatDefaultStore("PILLAR")}"`);
    throw new ProblemError({ what: `${error.message}\nTo read the event log without the stack: ${outlasting}` });
  }
}
