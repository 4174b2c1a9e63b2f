import type * as pulumi from "@pulumi/pulumi";
import type { Notice } from "../../core/notify/notify";

/** Context of every call of a provider's method. */
export interface ProviderRun {
  /** Aborted once nobody waits for the result: the engine was killed. The process ends itself soon after. */
  readonly signal: AbortSignal;
  /** Tells a webhook, where there is one, beside the work; the method ends after it. */
  readonly tell: (webhook: string | undefined, notice: Notice) => void;
}

/**
 * A resource's methods, as plain values: I are its inputs, O its outputs beside them. Its functions are stored in the
 * state as text, with all that they use (docs/architecture.md, Dynamic resources have to be serialisable).
 */
export interface ResourceTable<I extends object, O extends object> {
  /** The name behind `pulumi-nodejs:dynamic/pillar-host:`. */
  readonly type: string;
  readonly id: (inputs: I) => string;
  readonly create: (inputs: I, run: ProviderRun) => Promise<O>;
  readonly update: (olds: I & Partial<O>, news: I, run: ProviderRun) => Promise<O>;
  /** Nothing, where it is left out. */
  readonly delete?: (olds: I & O, run: ProviderRun) => Promise<void>;
  /** True if there is something to do; by default the engine compares the inputs. */
  readonly changes?: (olds: I & Partial<O>, news: I) => boolean;
  /** Inputs that hold logins and the like. */
  readonly secretInputs: readonly (keyof I & string)[];
  readonly outputs: { readonly [K in Exclude<keyof O, keyof I>]-?: "plain" | "secret" };
  readonly options?: Pick<pulumi.CustomResourceOptions, "ignoreChanges" | "replaceOnChanges">;
}
