import type { StackConfig } from "../../core/config/config.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { ProblemError } from "../../core/util/problem.ts";
import { type PlainSettings, runUp, type UpOptions, writeSettings } from "../pulumi/stackFiles.ts";
import type { OtherHost } from "../pulumi/stackState.ts";
import { createHostSettings, listOwnSecrets, openTwoStacks } from "./otherStack.ts";

/**
 * Writes a host's successor into the stack's file, and shuts the node down. The run checks whether the host is still
 * needed. `successor`: the stack of the host that produces afterwards. Returns the exit code. @throws Refusal
 */
export async function retireHost(
  stack: string,
  args: readonly string[],
  { successor, ...options }: UpOptions & { readonly successor: string },
): Promise<number> {
  const { engine, config, other, host } = await openTwoStacks(stack, successor, "--successor");
  if (other.lifecycle !== "active")
    throw new ProblemError({
      what: `the lifecycle of ${successor} is ${other.lifecycle}: nothing was changed`,
      needed: "give --successor an active stack; check whether the two stacks are swapped",
    });
  const isOther = (config.retirement.successor?.address ?? host.address) !== host.address;
  const without = isOther ? ["retirement.successor"] : [];
  await writeSettings(engine, createSuccessorSettings(config, other, host), without);
  console.log(`${stack} is to be retired; its successor is ${host.address}, the host of ${successor}.`);
  for (const key of listOwnSecrets(other.ssh, config.ssh))
    console.log(
      `The successor's login secret ${key} differs from this host's. Set it: ${commandsFor(stack).setSecret(`retirement.successor.${key}`)}`,
    );
  return runUp(stack, options, args, engine);
}

export function createSuccessorSettings(config: StackConfig, after: StackConfig, host: OtherHost): PlainSettings {
  return { ...createHostSettings("retirement.successor", host, after, config), lifecycle: "retiring" };
}
