import type * as pulumi from "@pulumi/pulumi";
import { type Notice, sendNotice } from "../../core/notify/notify.ts";
import { checkVersion } from "../../core/util/checkVersion.ts";
import { linesSent, printableLines, say } from "../../core/util/printable.ts";
import { hasKind } from "../../core/util/problem.ts";
import type { DynamicType } from "../../core/util/resourceTypes.ts";
import { engineGone } from "./engine.ts";
import { configure } from "./stackConfig.ts";

export interface ProviderRun<W = unknown> {
  /** Makes from configuration and inputs what the work needs (`prepare` of the table). Secret. */
  readonly prepare: () => W;
  /** Aborted once the engine was killed, so that nobody waits for the result. The process ends soon after. */
  readonly signal: AbortSignal;
  /** Sends a notification in the background, if there is a webhook. The method returns after it is sent. */
  readonly tell: (webhook: string | undefined, notice: Notice) => void;
}

/**
 * A resource's methods as plain values. I are its inputs, O its additional outputs, W what its work needs. The inputs
 * name the host, and have what is a reason to run: the rest is in the configuration.
 */
export interface ResourceTable<I extends object, O extends object, W = unknown> {
  readonly type: DynamicType;
  /** By default the type's name with hyphens. */
  readonly id?: (inputs: I) => string;
  readonly prepare?: (inputs: I) => W;
  readonly create: (inputs: I, run: ProviderRun<W>) => Promise<O>;
  /** `kept`: the outputs of the last run. */
  readonly update: (olds: I & Partial<O>, news: I, run: ProviderRun<W> & { readonly kept: Partial<O> }) => Promise<O>;
  /** Does nothing if absent. */
  readonly delete?: (olds: I & O, run: ProviderRun<W>) => Promise<void>;
  /** True if an update is needed. By default the engine compares the inputs. */
  readonly changes?: (olds: I & Partial<O>, news: I) => boolean;
  readonly secretInputs?: readonly (keyof I & string)[];
  readonly outputs: { readonly [K in Exclude<keyof O, keyof I>]-?: "plain" | "secret" };
  readonly options?: Pick<pulumi.CustomResourceOptions, "ignoreChanges" | "replaceOnChanges">;
}

/** An input of each resource, so that each is updated once it is raised (docs/architecture.md, State). */
export const stateVersion = 1;

/** An error after which the engine keeps the resource with the results so far. The next `up` resumes with an update. */
interface KeptError extends Error {
  kept: object;
}

/** Returns an error that keeps the results of a wait. @param kept outputs, and inputs that must stay in the state */
export function keepResults(error: Error, kept: object): KeptError {
  return Object.assign(error, { kept });
}

/** @param prepare a test gives its own */
export function createProvider<I extends object, O extends object, W = unknown>(
  table: ResourceTable<I, O, W>,
  prepare = table.prepare as (inputs: I) => W,
): pulumi.dynamic.ResourceProvider {
  const { type, create, update, delete: remove, changes, outputs } = table;
  const id = table.id ?? (() => type.replace(/\B[A-Z]/g, "-$&").toLowerCase());
  const known = <S extends object>(state: S): S => {
    const { stateVersion: found } = state as { readonly stateVersion?: unknown };
    checkVersion(found, stateVersion, `the state of this stack's ${type}`);
    return state;
  };
  return {
    configure,
    diff: (_id, olds, news) =>
      withoutStack(async () => {
        const before = known(olds);
        return changes ? { changes: changes(before, news) } : {};
      }),
    create: (inputs) =>
      runWatched(async (run) => {
        const work = create(inputs, { ...run, prepare: () => prepare(inputs) });
        return { id: id(inputs), outs: await buildState(inputs, id(inputs), work) };
      }),
    update: (was, olds, news) =>
      runWatched(async (run) => {
        const kept = Object.fromEntries(Object.entries(olds).filter(([key]) => key in outputs)) as Partial<O>;
        const work = update(known(olds), news, { ...run, kept, prepare: () => prepare(news) });
        return { outs: await buildState(news, was, work) };
      }),
    delete: remove
      ? (_id: string, olds: I & O) => runWatched((run) => remove(known(olds), { ...run, prepare: () => prepare(olds) }))
      : undefined,
  };
}

/** Returns the resource's new state, also if the work gave up. */
async function buildState<O extends object>(inputs: object, id: string, work: Promise<O>): Promise<object> {
  const whole = (outputs: object) => {
    // The engine does not accept a key without a value.
    const given = Object.entries({ ...inputs, ...outputs }).filter(([, value]) => value !== undefined);
    return Object.fromEntries(given);
  };
  try {
    return whole(await work);
  } catch (error) {
    const { kept, message } = error as Partial<KeptError>;
    if (hasKind(error, "awaiting")) {
      // The engine does not print this error. process/dynamic-provider.cjs sends it as awaiting, because of the id.
      say(message ?? "");
      throw Object.assign(error as Error, { id: "pillar-host:awaiting" });
    }
    if (kept === undefined) throw error;
    throw Object.assign(error as Error, { id, properties: whole(kept), reasons: [printableLines(message ?? "")] });
  }
}

/** Runs a method, and waits for the notifications that it sent. */
function runWatched<T>(work: (run: Omit<ProviderRun, "prepare">) => Promise<T>): Promise<T> {
  return withoutStack(async () => {
    const notices: Promise<void>[] = [];
    const tell: ProviderRun["tell"] = (webhook, notice) => {
      if (!webhook) return;
      notices.push(
        sendNotice(webhook, notice).then((reason) => {
          if (reason) say(`notify: the webhook (pillar-host:notify) did not receive "${notice.event}": ${reason}`);
        }),
      );
    };
    try {
      return await work({ signal: engineGone, tell });
    } catch (error) {
      // Again below the lines said so far: the engine prints a resource's error before or behind those lines, by chance.
      if (linesSent() && !hasKind(error, "awaiting")) say((error as Error).message);
      throw error;
    } finally {
      await Promise.all(notices);
      await linesSent();
    }
  });
}

async function withoutStack<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Error ? hideStack(error) : error;
  }
}

/** Makes the SDK print an error once, and printable, because a host's or a node's answer may be in it. */
export function hideStack(error: Error): Error {
  error.message = printableLines(error.message);
  return Object.assign(error, {
    toString: () => "The run ended here",
    stack: "Pulumi shows the error with the resource",
  });
}
