import type { StackConfig } from "../core/config/config";
import { commandsFor } from "../core/util/commands";
import { configurationOf } from "./configuration";
import { createEngine, type Engine } from "./engine";
import { CliRefusal } from "./refusal";
import { hostShown, type OtherHost } from "./stackState";

/** A stack, and another one of the same Pillar, whose host it is to be told of. */
export interface TwoStacks {
  readonly engine: Engine;
  readonly config: StackConfig;
  readonly other: StackConfig;
  /** The other one's host, as its outputs show it. */
  readonly host: OtherHost;
}

/** Reads both. @throws CliRefusal where one can't be read, or the other one has no host yet */
export async function twoStacks(stack: string, otherStack: string): Promise<TwoStacks> {
  const [engine, others] = [createEngine(stack), createEngine(otherStack)];
  const config = configurationOf(stack, await engine.read(["config", "--json", "--show-secrets"]));
  const other = configurationOf(otherStack, await others.read(["config", "--json", "--show-secrets"]));
  const host = hostShown(await others.read(["stack", "export"]));
  if (host === undefined)
    throw new CliRefusal(
      `${otherStack} has not shown its host yet: nothing was changed\n  needed: a run of it that went to its end: ${commandsFor(otherStack).up}`,
    );
  return { engine, config, other, host };
}
