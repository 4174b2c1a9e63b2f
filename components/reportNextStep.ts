import * as pulumi from "@pulumi/pulumi";
import { info } from "./log";

/**
 * Prints the next step in plain lines, at the end of the run. The engine shows the output as a list, and in a later run
 * as a diff. Prints nothing in a preview, which changes nothing.
 *
 * @returns the same lines, for the output
 */
export function reportNextStep(lines: pulumi.Output<string[]>): pulumi.Output<string[]> {
  return lines.apply(async (next) => {
    if (!pulumi.runtime.isDryRun()) await info(["What comes next:", ...next].join("\n"));
    return next;
  });
}
