import { createHash, randomUUID } from "node:crypto";
import type * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../core/config/config";
import { FirstContact, type FirstContactArgs } from "../../providers/firstContact";

/**
 * The look at a host before the first step.
 *
 * @param finished whether a run of this stack went to the end before: until then every run looks at the host first,
 *   later only one that has something else to do there
 */
export function firstLook(
  config: StackConfig,
  place: Pick<FirstContactArgs, "address" | "hostKey" | "server">,
  finished: boolean,
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
      run: finished || config.lifecycle === "retiring" ? undefined : randomUUID(),
      // A host that is retired may be dead.
      standsAside: config.lifecycle === "retiring" ? true : undefined,
    },
    options,
  );
}
