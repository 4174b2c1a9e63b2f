/** Describes a key: docs/configuration.md, stack.schema.json and the list of secret keys are made from this. */
export interface KeyMeta {
  /** The key's purpose: sentences in Markdown without links, the last without a full stop. */
  readonly description?: string;
  readonly form?: string;
  readonly unit?: string;
  readonly examples?: readonly (string | number)[];
  readonly otherwise?: string;
  /** True for a key that is set with --secret and never shown. */
  readonly secret?: true;
  readonly see?: string;
}

declare module "zod" {
  interface GlobalMeta extends Omit<KeyMeta, "examples"> {}
}
