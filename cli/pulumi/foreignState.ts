import { commandsFor } from "../../core/util/commands.ts";
import { printable } from "../../core/util/printable.ts";
import type { Problem } from "../../core/util/problem.ts";
import { otherTypes, providerNames } from "../../core/util/resourceTypes.ts";
import { parseResources, type Resource } from "./stackState.ts";

/**
 * Finds what this program did not write into the state that `pulumi stack export` prints. The engine would run it on
 * this machine or on a host: a backend's writers need no pass phrase for that (SECURITY.md, Limits).
 */
export function findForeignState(stack: string, text: string): Problem | undefined {
  const { resources, operations } = parseResources(text);
  const foreign = [...resources, ...operations.map(({ resource }) => resource)].flatMap((resource) => {
    const fault = findFault(resource);
    return fault === undefined ? [] : [{ urn: resource.urn, found: printable(`${resource.urn}: ${fault}`) }];
  });
  const [first] = foreign;
  if (first === undefined) return undefined;
  return {
    what: `the state of ${stack} has what this program did not make: the engine is not started, and nothing was changed`,
    found: foreign.map(({ found }) => found),
    needed: "find out who wrote it, and let only operators write the state (SECURITY.md, Limits)",
    next: [
      "If another version of this program made it, finish the stack with the checkout of that version.",
      `To take it out of the state, which runs nothing of it: ${commandsFor(stack).forget(printable(first.urn))}`,
    ],
  };
}

/** Returns why a resource is not of this program. */
function findFault({ type, inputs = {}, outputs = {} }: Resource): string | undefined {
  const name = providerNames.get(type);
  if (name === undefined && !otherTypes.has(type)) return "this program makes nothing of this type";
  for (const values of [inputs, outputs]) {
    // A dynamic resource that was only begun has no outputs.
    if (name !== undefined && values.__provider !== name && Object.keys(values).length > 0)
      return `its code is not ${name}, but ${JSON.stringify(values.__provider)?.slice(0, 60)}`;
    if (type.startsWith("command:") && "delete" in values) return "it has a command for its deletion";
    const { pluginDownloadURL, __internal } = values;
    const plugin = JSON.stringify({ pluginDownloadURL, __internal });
    if (type.startsWith("pulumi:providers:") && /"(name|pluginDownloadURL|parameterization)":/.test(plugin))
      return "its plugin is another one, or comes from another address";
  }
  return undefined;
}
