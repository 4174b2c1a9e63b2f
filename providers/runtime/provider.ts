import type * as pulumi from "@pulumi/pulumi";
import { sendNotice } from "../../core/notify/notify";
import { checkVersion } from "../../core/util/formatVersion";
import { printableLines } from "../../core/util/printable";
import { say } from "../../core/util/say";
import { watchEngine } from "./engine";
import type { ProviderRun, ResourceTable } from "./resourceTable";

/** The version of the form of inputs and outputs in the state. */
const stateVersion = 1;

/** An error after which the engine keeps the resource, with what was seen: the next `up` updates it, and goes on. */
export interface KeptError extends Error {
  kept: object;
}

/** Gives up a wait, with what it has seen. @param kept outputs, and inputs that are to stay known */
export function giveUp(error: Error, kept: object): KeptError {
  return Object.assign(error, { kept });
}

/** Makes the provider of a table, with the work that all of them share. */
export function createProvider<I extends object, O extends object>(
  table: ResourceTable<I, O>,
): pulumi.dynamic.ResourceProvider {
  const { type, id, create, update, delete: remove, changes } = table;
  const known = <S extends object>(state: S): S => {
    const { stateVersion: found, ...rest } = state as S & { readonly stateVersion?: unknown };
    checkVersion(found, stateVersion, `the state of this stack's ${type}`);
    return rest as S;
  };
  return {
    diff: (_id, olds, news) =>
      hideStack(async () => {
        const before = known(olds);
        return changes ? { changes: changes(before, news) } : {};
      }),
    create: (inputs) =>
      runWatched(async (run) => ({ id: id(inputs), outs: await buildState(inputs, id(inputs), create(inputs, run)) })),
    update: (was, olds, news) =>
      runWatched(async (run) => ({ outs: await buildState(news, was, update(known(olds), news, run)) })),
    delete: remove ? (_id: string, olds: I & O) => runWatched((run) => remove(known(olds), run)) : undefined,
  };
}

/** Returns the resource's new state, also if the work gave up. */
async function buildState<O extends object>(inputs: object, id: string, work: Promise<O>): Promise<object> {
  const whole = (outputs: object) => {
    // A key without a value can't be sent to the engine.
    const given = Object.entries({ ...inputs, ...outputs }).filter(([, value]) => value !== undefined);
    return { ...Object.fromEntries(given), stateVersion };
  };
  try {
    return whole(await work);
  } catch (error) {
    const { kept, message } = error as Partial<KeptError>;
    if (kept === undefined) throw error;
    throw Object.assign(error as Error, { id, properties: whole(kept), reasons: [printableLines(message ?? "")] });
  }
}

/** Watches the engine while a method is at work, and waits for the notices that it sent. */
function runWatched<T>(work: (run: ProviderRun) => Promise<T>): Promise<T> {
  return hideStack(async () => {
    const engine = watchEngine();
    const notices: Promise<void>[] = [];
    const tell: ProviderRun["tell"] = (webhook, notice) => {
      if (!webhook) return;
      notices.push(
        sendNotice(webhook, notice).then((reason) => {
          if (reason) say(`notify: the webhook (pillar-host:notify) was not told of "${notice.event}": ${reason}`);
        }),
      );
    };
    try {
      return await work({ signal: engine.signal, tell });
    } finally {
      if (!engine.signal.aborted) engine.stop();
      await Promise.all(notices);
    }
  });
}

/**
 * Lets an error be read once, and as text alone, since a host's or a node's words may be in it: the SDK prints its text and its stack, with the text in it again, before the engine shows
 * the text with the resource.
 */
async function hideStack<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error) {
      error.message = printableLines(error.message);
      Object.assign(error, { toString: () => "The run ended here", stack: "its error is listed with the resource" });
    }
    throw error;
  }
}
