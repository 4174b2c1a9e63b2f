import type { StackConfig } from "../../core/config/config";
import { isSameMachine } from "../../core/config/sameMachine";
import { formatProblem } from "../../core/util/problem";
import { type PlainSettings, runOrPrintUp, writeSettings } from "../pulumi/stackFiles";
import type { OtherHost } from "../pulumi/stackState";
import { CliRefusal } from "../terminal/refusal";
import { createHostSettings, openTwoStacks } from "./otherStack";

export interface RetireOptions {
  /** The stack whose host produces after the retired host. */
  readonly successor: string;
  readonly up: boolean;
}

interface NamedConfig<Keys extends keyof StackConfig> {
  readonly name: string;
  readonly config: Pick<StackConfig, Keys>;
}

/** Writes a host's successor into the stack's file, and shuts the node down. @returns the exit code. @throws Refusal */
export async function retireHost(
  stack: string,
  args: readonly string[],
  { successor, up }: RetireOptions,
): Promise<number> {
  if (stack === successor)
    throw new CliRefusal(
      formatProblem({
        what: `${stack} can't be its own successor`,
        needed: "give --successor the stack of the new host",
      }),
    );
  const { engine, config, other: after, host } = await openTwoStacks(stack, successor);
  const wrong = findRetirementProblem({ name: stack, config }, { name: successor, config: after, host });
  if (wrong !== undefined) throw new CliRefusal(wrong);
  await writeSettings(engine, createSuccessorSettings(config, after, host));
  console.log(`${stack} is to be retired; its successor is ${host.address}, the host of ${successor}.`);
  return runOrPrintUp(stack, up, args, engine);
}

/** Returns why one stack can't succeed another, or undefined. The run checks whether the host is still needed. */
export function findRetirementProblem(
  { name: stack, config: old }: NamedConfig<"pillar" | "host">,
  { name: successor, config: after, host }: NamedConfig<"pillar" | "lifecycle"> & { readonly host: OtherHost },
): string | undefined {
  if (old.pillar.name !== after.pillar.name)
    return formatProblem({
      what: `stack ${successor} is of Pillar ${after.pillar.name}, but ${stack} of ${old.pillar.name}: nothing was changed`,
      needed: "give --successor a stack of the same Pillar",
    });
  if (isSameMachine(old.host, host))
    return formatProblem({
      what: `stacks ${stack} and ${successor} are the same host, ${host.address}: nothing was changed`,
      needed: "give --successor the stack of the new host",
    });
  if (after.lifecycle !== "active")
    return formatProblem({
      what: `the lifecycle of ${successor} is ${after.lifecycle}: nothing was changed`,
      needed: "give --successor an active stack; check whether the two stacks are swapped",
    });
  return undefined;
}

export function createSuccessorSettings({ ssh }: StackConfig, after: StackConfig, host: OtherHost): PlainSettings {
  return {
    ...createHostSettings("retirement.successor", host, after.ssh, ssh),
    lifecycle: "retiring",
  };
}
