import type { SyncResult } from "../../core/sync/waitForSync";
import { printable } from "../../core/util/printable";
import { type CliRefusal, refusalExitCode } from "../terminal/refusal";
import { type Attention, decideAttention } from "./attention";
import { decideStage } from "./hostStage";
import { NoServerRefusal } from "./openStack";
import { truncate, wrap } from "./screenLayout";
import type { StackView } from "./stackView";
import { createStatusJson } from "./statusJson";

export interface ReadStack {
  readonly stack: string;
  readonly view: StackView;
  readonly exitCode: number;
  /** Problems to print for the operator. */
  readonly lines: readonly string[];
  /** The proof of the sync, if the node is synced. */
  readonly proof?: SyncResult | undefined;
}

export type StackLookup = ReadStack | { readonly stack: string; readonly refusal: CliRefusal };

/** Values of the column NEEDS, the most urgent first. `unseen`: the stack could not be read. */
const order = ["unseen", "attention", "step", "wait", "nothing"] as const satisfies readonly (Attention | "unseen")[];
type Needs = (typeof order)[number];

function decideNeeds(found: StackLookup): Needs {
  if ("view" in found) return found.exitCode === refusalExitCode ? "unseen" : decideAttention(found.view);
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
