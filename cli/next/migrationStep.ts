import type { Registration } from "../../core/registration/registration";
import { commandsFor } from "../../core/util/commands";
import { getValue, type StatusParts } from "../status/parts/statusParts";
import { decideGate, decideNextStep, type NextStepInput } from "./nextLines";

/** The facts about one of the two stacks from which the next step is decided. */
export interface MigrationStack extends NextStepInput {
  /** True if the configuration says where the orchestrator comes from. */
  readonly isMoveConfigured: boolean;
  /** True if the configuration moves the orchestrator back. */
  readonly isRollbackConfigured: boolean;
  /** True while `orchestrator.migrateFrom.firstMove` is configured. */
  readonly isFirstMoveConfirmed: boolean;
  /** The host as `status` reads it; undefined if the host could not be asked yet. */
  readonly parts: StatusParts | undefined;
}

export interface MigrationInput {
  /** Names of the old and the new host's stack. */
  readonly old: string;
  readonly fresh: string;
  /** Undefined if the stack does not exist. */
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
  /** Address of the host to adopt. */
  readonly address?: string;
  /** True if the step can't be undone: pulumi then asks, even with --yes. */
  readonly isFinal?: boolean;
  /** True if `check` has to pass first. */
  readonly isCheckedFirst?: boolean;
}

export type MigrationStep =
  | RunStep
  /** Wait until the chain or a host changes. The lines are printed again only if `key` changes. */
  | { readonly kind: "wait"; readonly key: string; readonly lines: readonly string[] }
  /** The operator has to decide or repair something. */
  | { readonly kind: "stop"; readonly lines: readonly string[] }
  | { readonly kind: "done"; readonly lines: readonly string[] };

/** Findings of `status` in which the host has an orchestrator that does not run. */
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

/** Continues a killed run; waits for a living one. */
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
        `${stack} is not the new host: its lifecycle is ${lifecycle}.`,
        `Check whether the two stacks are swapped: ${commandsFor(stack).status()}`,
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
      `The migration is done: ${old} has no resource any more. The migration's history: ${commandsFor(fresh).report()}`,
      "If the old host is your own machine, it is still on and has its keys: erase it, or power it off.",
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
    return { kind: "stop", lines: ["The address of the old host is not configured. Adopt that host:", `  ${adopt}`] };
  }
  const { oldHost } = fresh;
  return run("adopt", old, commandsFor(old).adopt(oldHost, fresh.stack), { address: oldHost });
}

/** Decides the step of the orchestrator's move, which comes before any change in the wallet. */
function decideMove({ old, oldStack }: MigrationInput, fresh: MigrationStack): MigrationStep | undefined {
  const { stack, state, parts, isMoveConfigured, isRollbackConfigured, isFirstMoveConfirmed } = fresh;
  const commands = commandsFor(stack);
  // After a rollback, a move begins again only if the operator raises `orchestrator.attempt`.
  if (isRollbackConfigured || state.lastRun?.orchestratorHost === "old")
    return { kind: "stop", lines: decideNextStep(fresh) };
  // A run moves the orchestrator only if the node is synced when the run begins.
  if (isMoveOpen(fresh) && fresh.node?.synced !== true) return wait("not synced", ...decideNextStep(fresh));
  if (isMoveOpen(fresh))
    return run("up", stack, commands.up, { isFinal: true, isCheckedFirst: decideGate(fresh) !== "unfinished" });
  if (isFirstMoveConfirmed) return run("withdraw", stack, commands.remove("orchestrator.migrateFrom.firstMove"));
  if (isMoveConfigured || isShutDown(oldStack)) return undefined;
  const there = oldStack?.parts?.orchestrator;
  if (there === undefined || "problem" in there)
    return wait(
      "old unseen",
      `It is unknown whether the host of ${old} runs an orchestrator: ${there?.problem ?? "not asked yet"}.`,
      "If the old host is dead: docs/retiring.md",
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

/** Decides the step that waits for the registration in the wallet, then for momentums of the new host. */
function decideWallet(fresh: MigrationStack): MigrationStep | undefined {
  const { stack, state, parts, node } = fresh;
  const part = parts?.registration;
  if (part === undefined || "problem" in part)
    return wait("chain unseen", `The Pillar's registration can't be read now: ${part?.problem ?? "not asked yet"}.`);
  const registration = part.value;
  const { isOffered, isRegistered, isAwaited } = state.lastRun ?? {};
  const up = run("up", stack, commandsFor(stack).up);
  if (registration.kind === "producing") return isRegistered && !isAwaited ? undefined : up;
  if (registration.kind === "registered")
    return wait(
      registration.isLate ? "late" : "registered",
      `The host of ${stack} is registered${registration.isLate ? ", but its first momentum is late: see its clock and node" : " and waits for its first momentum"}. Keep the old host running.`,
      `Status: ${commandsFor(stack).status()}`,
    );
  if (registration.kind === "unknown") return wait("chain unseen", "The Pillar's registration can't be read now.");
  const wasOurs = "wasOurs" in registration && registration.wasOurs;
  if (!registerKinds.includes(registration.kind) || wasOurs) {
    const status = commandsFor(stack).status();
    return { kind: "stop", lines: ["Look at the registration before the migration can continue:", `  ${status}`] };
  }
  if (node?.synced !== true) return wait("not synced", ...decideNextStep(fresh));
  if (!isOffered) return up;
  if (registration.kind !== "foreign") return wait(`wallet ${registration.kind}`, ...(state.lastRun?.nextStep ?? []));
  // Not the last run's text, which may be older than this registration.
  return wait(
    `wallet ${registration.address}`,
    `WARNING: ${registration.address} is registered now, the address of neither host.`,
    `A slip in the wallet? Update Pillar again, with the address ${state.lastRun?.producerAddress}`,
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
      `The host of ${old} can't be read now${parts && "problem" in parts.node ? `: ${parts.node.problem}` : ""}.`,
      "If the old host is dead: docs/retiring.md",
    );
  if (!isShutDown(oldStack) || state.lastRun === undefined)
    return run("up", old, commands.up, { isFinal: isMoveOpen(oldStack) });
  const { destroy } = parts;
  if (destroy === undefined || "problem" in destroy)
    return wait(
      "destroy unseen",
      `It is unknown now whether stack ${old} may be destroyed: ${destroy?.problem ?? "not asked yet"}.`,
    );
  if (destroy.value.length === 0) return run("destroy", old, commands.destroy, { isFinal: true });
  return wait(
    destroy.value.map(({ what }) => what.replaceAll(/\d+/g, "")).join(),
    `Before ${old} may be destroyed:`,
    ...destroy.value.flatMap(({ what, needed }) => [`  ${what}`, `    needed: ${needed}`]),
  );
}
