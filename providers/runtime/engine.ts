import * as pulumi from "@pulumi/pulumi";
import { printable } from "../../core/util/printable.ts";

const gone = new AbortController();

/** Aborted once the engine is gone ({@link watchEngine}), so that nobody waits for a result. */
export const engineGone = gone.signal;

/** Time for a method to notice that the engine is gone, and to end. */
const graceMs = 10_000;

/**
 * Watches the engine through this process's standard input, which a killed engine closes. It leaves the process running,
 * which ends some seconds later: an idle one would wait for the next call for ever.
 */
export function watchEngine(input: NodeJS.ReadableStream = process.stdin, end = () => process.exit(1)): void {
  const abort = () => {
    gone.abort();
    setTimeout(end, graceMs);
  };
  input.on("end", abort).resume();
}

/** Shows a line beside a resource on the screen of `pulumi up`, until a newer one replaces it. */
export function showBeside(urn: string, line: string): void {
  if (pulumi.runtime.getEngine() === undefined) return;
  const row = { urn: pulumi.output(urn) } as pulumi.Resource;
  void pulumi.log.info(printable(line), row, undefined, true);
}
