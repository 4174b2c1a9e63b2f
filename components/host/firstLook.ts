import { createHash, randomUUID } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { FirstContact, type FirstContactArgs } from "../../providers/firstContact";
import type { StackConfig } from "../config";

/**
 * Whether a run of this stack went to the end before, with all its steps. To be asked before anything else is
 * registered: the engine reads its own state file, which it writes while it works.
 */
export async function lastRunFinished(): Promise<boolean> {
  const last = new pulumi.StackReference(`${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`);
  // Not with apply, which never runs for what a run of some steps left unknown.
  const { value, secretValue } = await last.getOutputDetails("nextStep");
  return (value ?? secretValue) !== undefined;
}

/**
 * The look at a host before the first step.
 *
 * @param finished whether a run of this stack went to the end before: until then every run looks at the host first,
 *   later only one that has something else to do there
 */
export function firstLook(
  config: StackConfig,
  place: Pick<FirstContactArgs, "address" | "hostKey" | "server">,
  finished: pulumi.Input<boolean>,
  options: pulumi.CustomResourceOptions = {},
): FirstContact {
  const { ssh, ...rest } = config;
  const { sudoPassword: _, port, ...login } = ssh;
  // Another token is no other work, and has no business in the state.
  const work = JSON.stringify(rest, (key, value: unknown) => (key === "token" ? undefined : value));
  return new FirstContact(
    "first-contact",
    {
      ...place,
      port,
      login,
      work: createHash("sha256").update(work).digest("hex").slice(0, 12),
      run: pulumi.output(finished).apply((done) => (done ? undefined : randomUUID())),
    },
    options,
  );
}
