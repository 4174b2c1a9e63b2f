import { printable } from "../../core/util/printable";
import { type CliRefusal, couldNot } from "../terminal/refusal";
import { type Attention, needsOf } from "./attention";
import { stageOf } from "./hostStage";
import { NoServer } from "./openStack";
import { cut, wrap } from "./screenLayout";
import type { View } from "./stackView";
import { jsonReport } from "./statusJson";

/** A stack that was looked at, or why it was not. */
export type Found =
  | { readonly stack: string; readonly view: View; readonly exitCode: number; readonly lines: readonly string[] }
  | { readonly stack: string; readonly refusal: CliRefusal };

/** What a stack needs; `unseen`: it could not be looked at. In the order in which somebody has to look. */
const order = ["unseen", "attention", "step", "wait", "nothing"] as const satisfies readonly (Attention | "unseen")[];
type Needs = (typeof order)[number];

function needOf(found: Found): Needs {
  if ("view" in found) return found.exitCode === couldNot ? "unseen" : needsOf(found.view);
  if (found.refusal instanceof NoServer) return found.refusal.isRetired ? "nothing" : "step";
  return "unseen";
}

function sorted(all: readonly Found[]): Found[] {
  const weight = (one: Found) => order.indexOf(needOf(one));
  return all.toSorted((a, b) => weight(a) - weight(b) || a.stack.localeCompare(b.stack));
}

/** All stacks side by side, first those that need somebody, each with what comes next. */
export function overviewLines(all: readonly Found[], columns: number): string[] {
  if (all.length === 0) return ["there is no stack of this program in this backend"];
  const rows = sorted(all).map((found) => ({ cells: cellsOf(found), below: belowOf(found) }));
  const heading = ["NEEDS", "STACK", "PILLAR", "HOST", "STAGE"];
  const widths = heading.map((title, i) => Math.max(title.length, ...rows.map(({ cells }) => cells[i]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cut(cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  "), columns - 1).trimEnd();
  const indent = " ".repeat((widths[0] ?? 0) + 2);
  return [
    line(heading),
    ...rows.flatMap(({ cells, below }) => [
      line(cells),
      ...below.flatMap((text) => wrap(text, Math.max(20, columns - 1 - indent.length)).map((part) => indent + part)),
    ]),
  ];
}

function cellsOf(found: Found): string[] {
  const needs = needOf(found);
  if (!("view" in found)) return [needs, found.stack, "", "", ""];
  const { pillar, address } = found.view;
  return [needs, found.stack, pillar, address, stageOf(found.view).stage].map(printable);
}

function belowOf(found: Found): string[] {
  if (!("view" in found)) return found.refusal.message.split("\n").map((line) => printable(line.trim()));
  const lines = found.lines.map((line) => printable(line.trim())).filter((line) => line !== "");
  if (found.exitCode === couldNot) return lines;
  return needOf(found) === "nothing" ? lines : [`next: ${printable(stageOf(found.view).next)}`, ...lines];
}

/** The same for programs: an array in the same order. */
export function overviewJson(all: readonly Found[]): unknown[] {
  return sorted(all).map((found) => ({ ...foundJson(found), needs: needOf(found) }));
}

/** What was found of one stack, for programs. */
export function foundJson(found: Found): object {
  return "view" in found
    ? jsonReport(found.view, found.exitCode)
    : { stack: found.stack, looked: false, refusal: found.refusal.message };
}

/** The highest exit code; a stack whose server is still to come, or is gone for good, is nothing to be mended. */
export function overviewCode(all: readonly Found[]): number {
  const codes = all.map((found) => {
    if ("view" in found) return found.exitCode;
    return found.refusal instanceof NoServer ? 0 : couldNot;
  });
  return Math.max(0, ...codes);
}
