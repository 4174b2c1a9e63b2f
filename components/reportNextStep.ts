import * as pulumi from "@pulumi/pulumi";
import { info } from "./log";

/**
 * Tells the next step in plain lines when it is known, which is last: as an output the engine shows it as a list, and in a
 * later run as old lines against new ones. Not in a preview, where nothing was done.
 *
 * @returns the same lines, for the output
 */
export function reportNextStep(lines: pulumi.Output<string[]>): pulumi.Output<string[]> {
  return lines.apply(async (next) => {
    if (!pulumi.runtime.isDryRun()) await info(["What comes next:", ...next].join("\n"));
    return next;
  });
}
