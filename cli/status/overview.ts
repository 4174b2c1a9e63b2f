import { printable } from "../../core/util/printable";
import { createPulumi } from "../pulumi/pulumiCommand";
import { CliRefusal, refusalExitCode } from "../terminal/refusal";
import { notifyAlerts } from "./alerts/notifyAlerts";
import { decideStage, type Needs } from "./hostStage";
import { NoServerRefusal, openStackWithHost, type StackWithHost } from "./openStack";
import { readStatusOnce } from "./readStatus";
import { truncate, wrap } from "./screenLayout";
import type { StackLookup } from "./stackView";
import { createStatusJson } from "./statusJson";

/** Shows every stack of this program in the backend, and notifies their webhooks on demand. @returns the exit code */
export async function showAllStacks(json = false, isNotified = false): Promise<number> {
  const opened: { readonly stack: string; readonly source: StackWithHost | CliRefusal }[] = [];
  // Opens one after the other, because each may ask for its pass phrase, and a typed one is tried for the next.
  for (const stack of await createPulumi("").listStacks())
    opened.push({ stack, source: await catchRefusal(openStackWithHost(stack)) });
  const all = await Promise.all(
    opened.map(async ({ stack, source }): Promise<StackLookup> => {
      if (source instanceof CliRefusal) return { stack, refusal: source };
      const reading = await catchRefusal(readStatusOnce(source));
      return { stack, source, ...(reading instanceof CliRefusal ? { refusal: reading } : reading) };
    }),
  );
  if (json) console.log(JSON.stringify(createOverviewJson(all), undefined, 2));
  else for (const line of formatOverview(all, process.stdout.columns ?? 120)) console.log(line);
  const problems = isNotified ? await notifyAlerts(all) : [];
  for (const line of problems) console.error(line);
  return problems.length > 0 ? refusalExitCode : decideOverviewExitCode(all);
}

async function catchRefusal<T>(promise: Promise<T>): Promise<T | CliRefusal> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof CliRefusal) return error;
    throw error;
  }
}

/** Values of the column NEEDS, the most urgent first. `unseen`: the stack could not be read. */
const order = ["unseen", "attention", "step", "wait", "nothing"] as const satisfies readonly (Needs | "unseen")[];

function decideNeeds(found: StackLookup): Needs | "unseen" {
  if ("view" in found) return found.exitCode === refusalExitCode ? "unseen" : decideStage(found.view).needs;
  if (found.refusal instanceof NoServerRefusal) return found.refusal.isRetired ? "nothing" : "step";
  return "unseen";
}

function sortByNeeds(all: readonly StackLookup[]): StackLookup[] {
  const weight = (one: StackLookup) => order.indexOf(decideNeeds(one));
  return all.toSorted((a, b) => weight(a) - weight(b) || a.stack.localeCompare(b.stack));
}

/** Formats all stacks as a table, the most urgent first, each with its next step. */
export function formatOverview(all: readonly StackLookup[], columns: number): string[] {
  if (all.length === 0) return ["this backend has no stack of this program"];
  const rows = sortByNeeds(all).map((found) => ({ cells: formatCells(found), below: formatDetails(found) }));
  const heading = ["NEEDS", "STACK", "PILLAR", "HOST", "STAGE"];
  const widths = heading.map((title, i) => Math.max(title.length, ...rows.map(({ cells }) => cells[i]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    truncate(cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  "), columns - 1).trimEnd();
  const indent = " ".repeat((widths[0] ?? 0) + 2);
  return [
    line(heading),
    ...rows.flatMap(({ cells, below }) => [
      line(cells),
      ...below.flatMap((text) => wrap(text, Math.max(20, columns - 1 - indent.length)).map((part) => indent + part)),
    ]),
  ];
}

function formatCells(found: StackLookup): string[] {
  const needs = decideNeeds(found);
  if (!("view" in found)) return [needs, found.stack, "", "", ""];
  const { pillar, address } = found.view;
  return [needs, found.stack, pillar, address, decideStage(found.view).stage].map(printable);
}

function formatDetails(found: StackLookup): string[] {
  if (!("view" in found)) return found.refusal.message.split("\n").map((line) => printable(line.trim()));
  const lines = found.lines.map((line) => printable(line.trim())).filter((line) => line !== "");
  if (found.exitCode === refusalExitCode) return lines;
  return decideNeeds(found) === "nothing" ? lines : [`next: ${printable(decideStage(found.view).next)}`, ...lines];
}

export function createOverviewJson(all: readonly StackLookup[]): unknown[] {
  return sortByNeeds(all).map((found) => ({
    ...("view" in found
      ? createStatusJson(found.view, found.exitCode)
      : { stack: found.stack, looked: false, refusal: found.refusal.message }),
    needs: decideNeeds(found),
  }));
}

/** Returns the highest exit code. A stack without a server is no problem. */
export function decideOverviewExitCode(all: readonly StackLookup[]): number {
  const codes = all.map((found) => {
    if ("view" in found) return found.exitCode;
    return found.refusal instanceof NoServerRefusal ? 0 : refusalExitCode;
  });
  return Math.max(0, ...codes);
}
