import type { Registration } from "../../core/registration/registration";
import { commandsFor } from "../../core/util/commands";
import { getValue, type StatusParts } from "../status/parts/statusParts";
import { decideGate, decideNextStep, type NextStepInput } from "./nextLines";

/** The readings of one of the two stacks. */
export interface MigrationStack extends NextStepInput {
  /** True if the configuration says where the orchestrator comes from. */
  readonly isMoveConfigured: boolean;
  /** True if the configuration moves the orchestrator back. */
  readonly isRollbackConfigured: boolean;
  /** True while the confirmation of a first move is configured. */
  readonly isFirstMoveConfirmed: boolean;
  /** Undefined if the host could not be asked yet. */
  readonly parts: StatusParts | undefined;
}

export interface MigrationInput {
  /** Names of the stacks. */
  readonly old: string;
  readonly fresh: string;
  /** Undefined if there is no such stack. */
  readonly oldStack: MigrationStack | undefined;
  readonly freshStack: MigrationStack | undefined;
}

type MigrationCommand = "init" | "up" | "adopt" | "move" | "withdraw" | "retire" | "destroy" | "resume";

export interface RunStep {
  readonly kind: "run";
  readonly command: MigrationCommand;
  readonly stack: string;
  /** The command as the operator would type it. */
  readonly line: string;
  /** The host to adopt. */
  readonly address?: string;
  /** True if nothing brings back what was before: pulumi asks, whatever was agreed to in advance. */
  readonly isFinal?: boolean;
  /** True if `check` has to pass first. */
  readonly isCheckedFirst?: boolean;
}

export type MigrationStep =
  | RunStep
  /** The chain or a host has to change. `key` stays the same while the operator needs to read nothing new. */
  | { readonly kind: "wait"; readonly key: string; readonly lines: readonly string[] }
  /** The operator has to decide or repair something. */
  | { readonly kind: "stop"; readonly lines: readonly string[] }
  | { readonly kind: "done"; readonly lines: readonly string[] };

/** Kinds of an orchestrator's host on which none runs. */
const restingKinds: readonly string[] = ["unfenced", "waits", "stopped"];
const registerKinds: readonly Registration["kind"][] = ["earlier", "foreign", "unknownPillar"];

/** Decides the next step of a migration from what both stacks and the chain say now. */
export function decideMigrationStep(input: MigrationInput): MigrationStep {
  const { fresh, freshStack, oldStack } = input;
  if (freshStack === undefined) return run("init", fresh, commandsFor(fresh).init);
  return (
    decideInterruption(freshStack) ??
    (oldStack && decideInterruption(oldStack)) ??
    decideStandUp(freshStack) ??
    decideEnd(input) ??
    decideAdoption(input, freshStack) ??
    decideMove(input, freshStack) ??
    decideWallet(freshStack) ??
    decideRetirement(input)
  );
}

function run(
  command: MigrationCommand,
  stack: string,
  line: string,
  options: Pick<RunStep, "address" | "isFinal" | "isCheckedFirst"> = {},
): RunStep {
  return { kind: "run", command, stack, line, ...options };
}

const wait = (key: string, ...lines: readonly string[]): MigrationStep => ({ kind: "wait", key, lines });

/** Continues a run that was killed, and leaves a living one alone. */
function decideInterruption(stack: MigrationStack): MigrationStep | undefined {
  const gate = decideGate(stack);
  if (gate === "runAtWork") return wait(`${gate} ${stack.stack}`, ...decideNextStep(stack));
  if (gate !== "cutOff") return undefined;
  const line = commandsFor(stack.stack).resume();
  return run("resume", stack.stack, line, { isFinal: isMoveOpen(stack) });
}

function decideStandUp(fresh: MigrationStack): MigrationStep | undefined {
  const { stack, lifecycle } = fresh;
  const gate = decideGate(fresh);
  if (lifecycle !== "active")
    return {
      kind: "stop",
      lines: [
        `${stack} is ${lifecycle}, and no new host.`,
        `See what it is, and whether the two stacks are the wrong way round: ${commandsFor(stack).status()}`,
      ],
    };
  if (gate === "nothingMade" || gate === "unfinished")
    return run("up", stack, commandsFor(stack).up, {
      isCheckedFirst: gate === "nothingMade",
      isFinal: isMoveOpen(fresh),
    });
  return undefined;
}

/** True if a run may move the orchestrator, in either direction. */
function isMoveOpen({ isMoveConfigured, isRollbackConfigured, state: { lastRun } }: MigrationStack): boolean {
  return isMoveConfigured && (isRollbackConfigured || lastRun?.orchestratorHost !== "new");
}

function decideEnd({ oldStack, old, fresh }: MigrationInput): MigrationStep | undefined {
  if (oldStack?.lifecycle !== "retiring" || decideGate(oldStack) !== "nothingMade") return undefined;
  return {
    kind: "done",
    lines: [
      `The migration is done: ${old} has no resource any more. Its history: ${commandsFor(fresh).report()}`,
      "A server of your own is still on, with its keys: erase it, or power it off.",
      `To see what is left to do on the new host: ${commandsFor(fresh).next}`,
    ],
  };
}

function decideAdoption({ old, oldStack }: MigrationInput, fresh: MigrationStack): MigrationStep | undefined {
  const isOpen = oldStack === undefined || oldStack.state.lastRun === undefined;
  if (!isOpen || oldStack?.lifecycle === "retiring") return undefined;
  if (oldStack?.state.isBegun) return run("up", old, commandsFor(old).up, { isFinal: isMoveOpen(oldStack) });
  if (fresh.oldHost === undefined) {
    const adopt = commandsFor(old).adopt("ADDRESS", fresh.stack);
    return { kind: "stop", lines: ["The address of the old host is not configured. Adopt it:", `  ${adopt}`] };
  }
  const { oldHost } = fresh;
  return run("adopt", old, commandsFor(old).adopt(oldHost, fresh.stack), { address: oldHost });
}

/** Moves the orchestrator, if the old host has one, before anything changes in the wallet. */
function decideMove({ old, oldStack }: MigrationInput, fresh: MigrationStack): MigrationStep | undefined {
  const { stack, state, parts, isMoveConfigured, isRollbackConfigured, isFirstMoveConfirmed } = fresh;
  const commands = commandsFor(stack);
  // A move that was rolled back starts again only if the operator raises the attempt.
  if (isRollbackConfigured || state.lastRun?.orchestratorHost === "old")
    return { kind: "stop", lines: decideNextStep(fresh) };
  // A run that does not begin with a synced node postpones the move.
  if (isMoveOpen(fresh) && fresh.node?.synced !== true) return wait("not synced", ...decideNextStep(fresh));
  if (isMoveOpen(fresh))
    return run("up", stack, commands.up, { isFinal: true, isCheckedFirst: decideGate(fresh) !== "unfinished" });
  if (isFirstMoveConfirmed) return run("withdraw", stack, commands.remove("orchestrator.migrateFrom.firstMove"));
  if (isMoveConfigured || isShutDown(oldStack)) return undefined;
  const there = oldStack?.parts?.orchestrator;
  if (there === undefined || "problem" in there)
    return wait(
      "old unseen",
      `Whether ${old} runs an orchestrator can't be seen: ${there?.problem ?? "not asked yet"}.`,
      "If its host is dead: docs/retiring.md",
    );
  if (["none", "moved"].includes(there.value.kind)) return undefined;
  if (getValue(parts?.orchestrator)?.kind === "signs") {
    if (restingKinds.includes(there.value.kind)) return undefined;
    const where = [commandsFor(old).status(), commandsFor(stack).status()].map((line) => `  ${line}`);
    return {
      kind: "stop",
      lines: ["An orchestrator runs on both hosts: only one may. See which one signs:", ...where],
    };
  }
  return run("move", stack, commands.move(old));
}

function isShutDown(stack: MigrationStack | undefined): boolean {
  const node = getValue(stack?.parts?.node);
  return node?.masked === true && !node.active;
}

/** Waits for the first act in the wallet, then for momentums of the new host. */
function decideWallet(fresh: MigrationStack): MigrationStep | undefined {
  const { stack, state, parts, node } = fresh;
  const part = parts?.registration;
  if (part === undefined || "problem" in part)
    return wait("chain unseen", `The chain's registration can't be seen now: ${part?.problem ?? "not asked yet"}.`);
  const registration = part.value;
  const { isOffered, isRegistered, isAwaited } = state.lastRun ?? {};
  const up = run("up", stack, commandsFor(stack).up);
  if (registration.kind === "producing") return isRegistered && !isAwaited ? undefined : up;
  if (registration.kind === "registered")
    return wait(
      registration.isLate ? "late" : "registered",
      `${stack} is registered${registration.isLate ? ", but produces later than expected: see its clock and node" : " and waits for its first momentum"}. Keep the old host running.`,
      `How it stands: ${commandsFor(stack).status()}`,
    );
  if (registration.kind === "unknown") return wait("chain unseen", "The chain's registration can't be seen now.");
  const wasOurs = "wasOurs" in registration && registration.wasOurs;
  if (!registerKinds.includes(registration.kind) || wasOurs) {
    const status = commandsFor(stack).status();
    return { kind: "stop", lines: ["The registration needs you before anything goes on:", `  ${status}`] };
  }
  if (node?.synced !== true) return wait("not synced", ...decideNextStep(fresh));
  if (!isOffered) return up;
  if (registration.kind !== "foreign") return wait(`wallet ${registration.kind}`, ...(state.lastRun?.nextStep ?? []));
  // The last run's text may be of before the slip.
  return wait(
    `wallet ${registration.address}`,
    `WARNING: ${registration.address} is registered now, the address of neither host.`,
    `Was that a slip in the wallet? Update Pillar again, with ${state.lastRun?.producerAddress}`,
    "If not, check at once who else can use the wallet.",
  );
}

function decideRetirement({ old, fresh, oldStack }: MigrationInput): MigrationStep {
  const commands = commandsFor(old);
  if (oldStack?.lifecycle !== "retiring") return run("retire", old, commands.retire(fresh));
  const { parts, state } = oldStack;
  if (parts === undefined || "problem" in parts.node)
    return wait(
      "old unseen",
      `${old} can't be seen now${parts && "problem" in parts.node ? `: ${parts.node.problem}` : ""}.`,
      "If its host is dead: docs/retiring.md",
    );
  if (!isShutDown(oldStack) || state.lastRun === undefined)
    return run("up", old, commands.up, { isFinal: isMoveOpen(oldStack) });
  const { destroy } = parts;
  if (destroy === undefined || "problem" in destroy)
    return wait("destroy unseen", `Whether ${old} may go can't be seen now: ${destroy?.problem ?? "not asked yet"}.`);
  if (destroy.value.length === 0) return run("destroy", old, commands.destroy, { isFinal: true });
  return wait(
    destroy.value.map(({ what }) => what.replaceAll(/\d+/g, "")).join(),
    `Before ${old} may go:`,
    ...destroy.value.flatMap(({ what, needed }) => [`  ${what}`, `    needed: ${needed}`]),
  );
}
