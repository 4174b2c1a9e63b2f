import * as pulumi from "@pulumi/pulumi";
import { formatDynamicType, formatOldType, formatProviderName } from "../../core/util/resourceTypes.ts";
import { createProvider, type ResourceTable, stateVersion } from "./provider.ts";

export type ArgsOf<I> = { readonly [K in keyof I]: pulumi.Input<I[K]> };
type OutputsOf<O> = { readonly [K in keyof O]-?: pulumi.Output<O[K]> };
type ResourceClass<I extends object, O extends object, W> = {
  readonly table: ResourceTable<I, O, W>;
  readonly provider: pulumi.dynamic.ResourceProvider;
  new (name: string, args: ArgsOf<I>, options?: pulumi.CustomResourceOptions): pulumi.CustomResource & OutputsOf<O>;
};

/** Returns the class of a resource. The state has the name of its provider, never the code (providerTable.ts). */
export function defineResource<I extends object, O extends object, W = unknown>(
  table: ResourceTable<I, O, W>,
): ResourceClass<I, O, W> {
  const { type, outputs, options: own } = table;
  const { secretInputs = [] } = table;
  const secretOutputs = Object.entries(outputs).flatMap(([key, kind]) => (kind === "secret" ? [key] : []));
  class Resource extends pulumi.CustomResource {
    static readonly table = table;
    static readonly provider = createProvider(table);

    constructor(name: string, args: ArgsOf<I>, options?: pulumi.CustomResourceOptions) {
      const secrets = secretInputs.filter((key) => args[key] !== undefined);
      super(
        formatDynamicType(type),
        name,
        {
          // The SDK creates an output only for a key that the properties have.
          ...Object.fromEntries(Object.keys(outputs).map((key) => [key, undefined])),
          ...args,
          ...Object.fromEntries(secrets.map((key) => [key, pulumi.secret(args[key])])),
          __provider: formatProviderName(type),
          stateVersion,
        },
        {
          ...options,
          ...own,
          aliases: [{ type: formatOldType(type) }],
          additionalSecretOutputs: [...secretInputs, ...secretOutputs],
        },
      );
    }
  }
  // The engine sets the outputs at run time, which the type checker can't see.
  return Resource as unknown as ResourceClass<I, O, W>;
}

/** True if an input changed. An input that the run leaves out does not count. */
export function hasChanges(olds: object, news: object, ...except: readonly string[]): boolean {
  const before: Readonly<Record<string, unknown>> = { ...olds };
  return Object.entries(news).some(
    ([key, value]) => !except.includes(key) && JSON.stringify(before[key]) !== JSON.stringify(value),
  );
}
