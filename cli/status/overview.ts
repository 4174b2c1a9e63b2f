import type { Needs } from "../../core/journey/stackStages.ts";
import { printable } from "../../core/util/printable.ts";
import { formatProblem, hasKind, ProblemError } from "../../core/util/problem.ts";
import { replaceFile } from "../../core/util/writeAtomically.ts";
import { createPulumi } from "../pulumi/pulumiCommand.ts";
import { refusalExitCode } from "../terminal/refusal.ts";
import { notifyAlerts } from "./alerts/notifyAlerts.ts";
import { decideStage } from "./hostStage.ts";
import { formatMetrics } from "./metricsText.ts";
import { openStack, requireHost, type StackInfo } from "./openStack.ts";
import { readStatusOnce } from "./readStatus.ts";
import { hang, truncate } from "./screenLayout.ts";
import type { ReadStack, StackLookup } from "./stackView.ts";
import { createStatusJson } from "./statusJson.ts";

/**
 * Shows every stack of this program in the backend; on demand notifies their webhooks and writes the file `metrics`.
 * Returns the exit code.
 */
export async function showAllStacks(json = false, isNotified = false, metrics?: string): Promise<number> {
  const opened: { readonly stack: string; readonly source: StackInfo | ProblemError }[] = [];
  // Opens one after the other, because each may ask for its pass phrase, and a typed one is tried for the next.
  for (const stack of await createPulumi("").listStacks())
    opened.push({ stack, source: await catchRefusal(() => openStack(stack)) });
  const all = await Promise.all(
    opened.map(async ({ stack, source }): Promise<StackLookup> => {
      if (source instanceof ProblemError) return { stack, refusal: source };
      const reading = await catchRefusal(() => readStatusOnce(requireHost(source)));
      return { stack, source, ...(reading instanceof ProblemError ? { refusal: reading } : reading) };
    }),
  );
  const summaries = summarize(all);
  const jsons = summaries.map((each) => each.json);
  if (json) console.log(JSON.stringify(jsons, undefined, 2));
  else console.log(formatOverview(summaries, process.stdout.columns ?? 120).join("\n"));
  const problems = isNotified ? await notifyAlerts(all) : [];
  for (const line of problems) console.error(line);
  // After the alerts: they are sent even if this file can't be written.
  if (metrics !== undefined) replaceFile(metrics, formatMetrics(jsons, Date.now()), 0o644);
  return Math.max(0, problems.length > 0 ? refusalExitCode : 0, ...summaries.map(({ exitCode }) => exitCode));
}

async function catchRefusal<T>(read: () => Promise<T>): Promise<T | ProblemError> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
}

/** Values of the column NEEDS, the most urgent first. `unseen`: the stack could not be read. */
const order = ["unseen", "attention", "step", "wait", "nothing"] as const satisfies readonly (Needs | "unseen")[];

export function summarize(all: readonly StackLookup[]) {
  const summaries = all.map((found) => ("view" in found ? summarizeStatus(found) : summarizeRefusal(found)));
  const weight = ({ needs }: (typeof summaries)[number]) => order.indexOf(needs);
  return summaries.toSorted((a, b) => weight(a) - weight(b) || a.stack.localeCompare(b.stack));
}

type Summary = ReturnType<typeof summarize>[number];

function summarizeStatus({ stack, view, exitCode, problem }: { readonly stack: string } & ReadStack) {
  const { stage, next, needs } = decideStage(view);
  const isUnseen = exitCode === refusalExitCode;
  const lines = problem ? formatProblem(problem).split("\n") : [];
  const said = isUnseen || needs === "nothing" ? lines : [`next: ${next}`, ...lines];
  const own = { ...createStatusJson(view, exitCode), needs: isUnseen ? ("unseen" as const) : needs };
  return { stack, needs: own.needs, cells: [view.pillar, view.address, stage], lines: said, exitCode, json: own };
}

/** Summarizes a stack that was not read. A missing server is no problem: it comes, or was retired. */
function summarizeRefusal({ stack, source, refusal }: Exclude<StackLookup, ReadStack>) {
  const isServerMissing = hasKind(refusal, "noServer", "serverGone");
  const needsServer = hasKind(refusal, "noServer") ? "step" : "nothing";
  const needs = isServerMissing ? needsServer : "unseen";
  const json = { stack, pillar: source?.config.pillar.name, looked: false, refusal: refusal.message, needs };
  const exitCode = isServerMissing ? 0 : refusalExitCode;
  return { stack, needs, cells: ["", "", ""], lines: refusal.message.split("\n"), exitCode, json } as const;
}

export function formatOverview(summaries: readonly Summary[], columns: number): string[] {
  if (summaries.length === 0) return ["this backend has no stack of this program"];
  const heading = ["NEEDS", "STACK", "PILLAR", "HOST", "STAGE"];
  const rows = summaries.map(({ needs, stack, cells }) => [needs, stack, ...cells].map(printable));
  const widths = heading.map((_, i) => Math.max(...[heading, ...rows].map((cells) => cells[i]?.length ?? 0)));
  const [first = "", ...others] = [heading, ...rows].map((cells) =>
    truncate(cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  "), columns - 1).trimEnd(),
  );
  const indent = " ".repeat((widths[0] ?? 0) + 2);
  const below = ({ lines }: Summary) =>
    lines.filter((text) => text.trim() !== "").flatMap((text) => hang(indent, text.trim(), columns - 1));
  return [first, ...summaries.flatMap((summary, i) => [others[i] ?? "", ...below(summary)])];
}
