import * as pulumi from "@pulumi/pulumi";
import { info } from "./log";

/** Prints the next step in plain lines and returns it: the engine would show the output as a list or a diff. */
export function reportNextStep(lines: pulumi.Output<string[]>): pulumi.Output<string[]> {
  return lines.apply(async (next) => {
    if (!pulumi.runtime.isDryRun()) await info(["What comes next:", ...next].join("\n"));
    return next;
  });
}
