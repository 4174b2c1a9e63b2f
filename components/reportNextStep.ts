import * as pulumi from "@pulumi/pulumi";
import { info } from "./log";

/** Prints the next step as lines, because the engine would show the output as a list or a diff. Returns the lines. */
export function reportNextStep(lines: pulumi.Output<string[]>): pulumi.Output<string[]> {
  return lines.apply(async (next) => {
    if (!pulumi.runtime.isDryRun()) await info(["What comes next:", ...next].join("\n"));
    return next;
  });
}
