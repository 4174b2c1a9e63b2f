import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../core/config/config.ts";
import { type Notice, sendNotice } from "../core/notify/notify.ts";
import { printableLines } from "../core/util/printable.ts";
import { formatOperatorError } from "../core/util/problem.ts";
import { wrapSentence } from "../core/util/wrapSentence.ts";

/** Prints a message. All output goes through this file and is cleaned: it may quote a host, a node or a provider. */
export const info = (text: string): Promise<void> => pulumi.log.info(printableLines(text));
/** Shows a line beside a resource until a newer one replaces it. */
export const createStatusLine = (text: string, row: pulumi.Resource | undefined): Promise<void> =>
  pulumi.log.info(printableLines(text), row, undefined, true);
export const warn = (text: string): Promise<void> => pulumi.log.warn(printableLines(text));

/** Prints a text in a preview only, for whoever is asked for a yes. */
export async function announce(text: string | undefined): Promise<void> {
  if (text !== undefined && pulumi.runtime.isDryRun()) await info(text);
}

/** Prints the next step as lines, because the engine would show the output as a list or a diff. Returns the lines. */
export function reportNextStep(lines: pulumi.Output<string[]>): pulumi.Output<string[]> {
  return lines.apply(async (next) => {
    if (!pulumi.runtime.isDryRun()) await info(["What comes next:", ...next.flatMap(wrapSentence)].join("\n"));
    return next;
  });
}

/** Sends a notification, if there is a webhook. A failure only causes a warning. */
export async function notifyOperator(config: StackConfig, event: Notice["event"], message: string): Promise<void> {
  const { notify, pillar, stack } = config;
  if (notify === undefined) return;
  const reason = await sendNotice(notify, { event, title: `Pillar ${pillar.name} (${stack}): ${event}`, message });
  if (reason !== undefined)
    await warn(`the notification "${event}" did not reach the webhook (pillar-host:notify): ${reason}`);
}

/** Ends a resource's hook with an error. Prints it first, because the engine puts its own words before what a hook throws. */
export async function failHook(urn: string, text: string): Promise<never> {
  await pulumi.log.error(printableLines(text), { urn: pulumi.output(urn) } as pulumi.Resource);
  throw new Error("see above");
}

/** Returns an error that the engine prints as it is: without a stack trace or the names of dependent resources. */
export function createPlainError(message: string): pulumi.RunError {
  const error = Object.assign(new pulumi.RunError(message), { stack: message });
  return Object.defineProperty(error, "message", { get: () => message, set: () => undefined });
}

/** Wraps the program so that its errors for the operator are printed without a stack trace. */
export function showPlainErrors<T>(program: () => Promise<T>): () => Promise<T> {
  return () =>
    program().catch((error: unknown) => {
      const words = formatOperatorError(error);
      throw words === undefined ? error : new pulumi.RunError(words);
    });
}
