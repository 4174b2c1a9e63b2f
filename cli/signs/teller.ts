import { sendNotice } from "../../core/notify/notify";
import { commandsFor } from "../../core/util/commands";
import type { Found } from "../overview";
import { CliRefusal } from "../refusal";
import { NoServer, type Source } from "../source";
import { openSignMemories, type SignMemories } from "./memory";
import { type LookedStack, tellSigns } from "./tell";

/** Tells webhooks what is new of their stacks' signs; no other process of this machine does meanwhile. */
export interface Teller {
  /** @param sources of the stacks that were looked at, in the same order @returns what it could not tell, and why */
  tell(
    found: readonly Found[],
    sources: readonly (Source | CliRefusal)[],
  ): Promise<{ readonly hindered: readonly string[] }>;
  close(): Promise<void>;
}

/** @throws Refusal where another one is at work */
export async function openTeller(
  send = sendNotice,
  opened: Promise<SignMemories> = openSignMemories(),
): Promise<Teller> {
  const memories = await opened;
  const deps = { memories, send, now: () => Date.now() };
  return {
    close: () => memories.close(),
    tell: async (found, sources) => {
      const hindered = await Promise.all(
        found.map((one, i): string | undefined | Promise<string | undefined> => {
          if (!("view" in one)) return one.refusal instanceof NoServer ? undefined : unopened(one.stack, one.refusal);
          const source = sources[i];
          const webhook = source && "config" in source ? source.config.notify : undefined;
          return webhook === undefined ? undefined : inWords(one, webhook, deps);
        }),
      );
      return { hindered: [...hindered.filter((line) => line !== undefined), ...nobody(found, sources)] };
    },
  };
}

/** Its webhook is a secret that is not to be had either. */
const unopened = (stack: string, { message }: CliRefusal) => `${stack} was not looked at, and nobody told: ${message}`;

async function inWords(one: LookedStack, webhook: string, deps: Parameters<typeof tellSigns>[2]) {
  try {
    return await tellSigns(one, webhook, deps);
  } catch (error) {
    return error instanceof CliRefusal
      ? error.message
      : `the signs of ${one.stack} were not told: ${(error as Error).message}\n  needed: a directory for them that can be read and written ($XDG_DATA_HOME, or ~/.local/share)`;
  }
}

/** Stacks that are left out on purpose have no webhook; all of them is a slip. */
function nobody(found: readonly Found[], sources: readonly (Source | CliRefusal)[]): string[] {
  const looked = found.find((one): one is LookedStack => "view" in one);
  if (looked === undefined || sources.some((source) => "config" in source && source.config.notify !== undefined))
    return [];
  const stack = looked.view.stack;
  return [
    `pillar-host:notify is configured for no stack: nobody is told of anything\n  needed: the webhook's address, a secret that is asked for: ${commandsFor(stack).setSecret("notify")}`,
  ];
}
