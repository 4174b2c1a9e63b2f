import type * as pulumi from "@pulumi/pulumi";

/**
 * Lets a provider's errors be read once: the SDK prints an error's text and its stack, with the text in it again, before
 * the engine shows the text with the resource.
 */
export function withOperatorErrors(provider: pulumi.dynamic.ResourceProvider): pulumi.dynamic.ResourceProvider {
  const said = <A extends unknown[], T>(work: (...args: A) => Promise<T>) => {
    return async (...args: A): Promise<T> => {
      try {
        return await work(...args);
      } catch (error) {
        if (error instanceof Error)
          Object.assign(error, { toString: () => "It ended here", stack: "what is wrong stands with the resource" });
        throw error;
      }
    };
  };
  const { create, update, delete: remove } = provider;
  return {
    ...provider,
    create: said(create),
    ...(update ? { update: said(update) } : {}),
    ...(remove ? { delete: said(remove) } : {}),
  };
}
