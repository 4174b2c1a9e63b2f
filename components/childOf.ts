import * as pulumi from "@pulumi/pulumi";

/**
 * Options of a resource that stands in a component, and stood at the stack itself in earlier versions: without the
 * alias the engine would take it for another one, and make a server anew.
 */
export function childOf(parent: pulumi.Resource): pulumi.CustomResourceOptions & pulumi.ComponentResourceOptions {
  return { parent, aliases: [{ parent: pulumi.rootStackResource }] };
}
