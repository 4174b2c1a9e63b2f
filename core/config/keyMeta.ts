/** Describes a key: docs/configuration.md, stack.schema.json and the list of secret keys come from it. */
export interface KeyMeta {
  /** The key's purpose: sentences in Markdown without links, the last without a full stop. */
  readonly description?: string;
  /** Names what a stack's file lacks without this key, for the middle of a sentence. Required keys only. */
  readonly needed?: string;
  readonly form?: string;
  readonly unit?: string;
  readonly examples?: readonly (string | number)[];
  readonly otherwise?: string;
  /** Set with --secret, and shown to nobody. */
  readonly secret?: true;
  readonly see?: string;
}

declare module "zod" {
  interface GlobalMeta extends Omit<KeyMeta, "examples"> {}
}
