import type * as pulumi from "@pulumi/pulumi";
import type { Notice } from "../../core/notify/notify";

export interface ProviderRun {
  /** Aborted once the engine was killed, so that nobody waits for the result. The process ends soon after. */
  readonly signal: AbortSignal;
  /** Sends a notification in the background, if there is a webhook. The method returns after it is sent. */
  readonly tell: (webhook: string | undefined, notice: Notice) => void;
}

/**
 * A resource's methods as plain values. I are its inputs, O its additional outputs. The state stores the functions as
 * text, with all that they use (docs/architecture.md, Dynamic resources have to be serialisable).
 */
export interface ResourceTable<I extends object, O extends object> {
  /** The name behind `pulumi-nodejs:dynamic/pillar-host:`. */
  readonly type: string;
  readonly id: (inputs: I) => string;
  readonly create: (inputs: I, run: ProviderRun) => Promise<O>;
  /** `kept`: the outputs of the last run. */
  readonly update: (olds: I & Partial<O>, news: I, run: ProviderRun & { readonly kept: Partial<O> }) => Promise<O>;
  /** Does nothing if absent. */
  readonly delete?: (olds: I & O, run: ProviderRun) => Promise<void>;
  /** True if an update is needed. By default the engine compares the inputs. */
  readonly changes?: (olds: I & Partial<O>, news: I) => boolean;
  readonly secretInputs: readonly (keyof I & string)[];
  readonly outputs: { readonly [K in Exclude<keyof O, keyof I>]-?: "plain" | "secret" };
  readonly options?: Pick<pulumi.CustomResourceOptions, "ignoreChanges" | "replaceOnChanges">;
}
