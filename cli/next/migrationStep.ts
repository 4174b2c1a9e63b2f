import { isOffered } from "../../core/journey/outputs.ts";
import { listConfirmations } from "../../core/orchestrator/rules/confirmations.ts";
import { slotRule } from "../../core/registration/registrationMessages.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { type Result, takeValue } from "../../core/util/result.ts";
import { formatUtcMinute } from "../../core/util/timeText.ts";
import type { StatusParts } from "../status/parts/statusParts.ts";
import { decideGate, decideNextStep, type NextStepInput } from "./next.ts";

/** The facts about one of the two stacks from which the next step is decided. */
export interface MigrationStack extends NextStepInput {
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

export interface RunStep {
  readonly kind: "run";
  readonly command: "init" | "up" | "adopt" | "move" | "withdraw" | "retire" | "destroy" | "resume";
  readonly stack: string;
  readonly line: string;
  readonly address?: string;
  /** Configuration key that a withdrawal removes. */
  readonly key?: string;
  /** True if the step can't be undone, or costs money: pulumi then asks, even with --yes. */
  readonly isFinal?: boolean;
  /** True if `check` has to pass first. */
  readonly isCheckedFirst?: boolean;
}

/**
 * `wait`: until the chain or a host changes; the lines are printed again only if `key` changes. `stop`: the operator has to
 * decide or repair something.
 */
export type MigrationStep =
  | RunStep
  | { readonly kind: "wait"; readonly key: string; readonly lines: readonly string[] }
  | { readonly kind: "stop"; readonly lines: readonly string[] }
  | { readonly kind: "done"; readonly lines: readonly string[] };

/** Findings of `status` in which the host has an orchestrator that does not run. */
const restingKinds: readonly string[] = ["unfenced", "waits", "stopped"];

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

const run = (command: RunStep["command"], stack: string, line: string, options: Partial<RunStep> = {}): RunStep => ({
  kind: "run",
  command,
  stack,
  line,
  ...options,
});
const wait = (key: string, ...lines: readonly string[]): MigrationStep => ({ kind: "wait", key, lines });
const stop = (...lines: readonly string[]): MigrationStep => ({ kind: "stop", lines });

/** Returns `pulumi up`; it is final if the run may order a server, or move the orchestrator, in either direction. */
const runUp = (source: MigrationStack, isCheckedFirst = false): RunStep => {
  const isFinal = isMoveOpen(source) || mayOrder(source);
  return run("up", source.stack, commandsFor(source.stack).up, { isFinal, isCheckedFirst });
};

const mayOrder = ({ config, state }: MigrationStack) =>
  config.host.provider !== "existing" && state.recordedKey === undefined;

function isMoveOpen({ config: { orchestrator }, state: { last } }: MigrationStack): boolean {
  return orchestrator.move && (orchestrator.rollback || last.orchestrator?.side !== "new");
}

/** Continues a killed run; waits for a living one. */
function decideInterruption(source: MigrationStack): MigrationStep | undefined {
  const { stack } = source;
  const gate = decideGate(source);
  if (gate === "runAtWork") return wait(`${gate} ${stack}`, ...decideNextStep(source));
  const isFinal = isMoveOpen(source);
  return gate === "cutOff" ? run("resume", stack, commandsFor(stack).resume(), { isFinal }) : undefined;
}

function decideStandUp(fresh: MigrationStack): MigrationStep | undefined {
  const { stack, config } = fresh;
  const gate = decideGate(fresh);
  if (config.lifecycle !== "active")
    return stop(
      `${stack} is not the new host: its lifecycle is ${config.lifecycle}.`,
      `Check whether the two stacks are swapped: ${commandsFor(stack).status()}`,
    );
  return gate === "nothingMade" || gate === "unfinished" ? runUp(fresh, gate === "nothingMade") : undefined;
}

function decideEnd({ oldStack, old, fresh }: MigrationInput): MigrationStep | undefined {
  if (oldStack?.config.lifecycle !== "retiring" || decideGate(oldStack) !== "nothingMade") return undefined;
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
  if (oldStack && (oldStack.state.last.finished || oldStack.config.lifecycle === "retiring")) return undefined;
  if (oldStack?.state.isBegun) return runUp(oldStack);
  const address = fresh.config.oldHost?.address;
  const adopt = commandsFor(old).adopt(address ?? "ADDRESS", fresh.stack);
  if (address !== undefined) return run("adopt", old, adopt, { address });
  return stop("The address of the old host is not configured. Adopt that host:", `  ${adopt}`);
}

/** Decides the step of the orchestrator's move, which comes before any change in the wallet. */
function decideMove({ old, oldStack }: MigrationInput, fresh: MigrationStack): MigrationStep | undefined {
  const { stack, config, state, parts } = fresh;
  const { move, rollback } = config.orchestrator;
  const commands = commandsFor(stack);
  // After a rollback, a move begins again only if the operator raises `orchestrator.attempt`.
  if (rollback || state.last.orchestrator?.side === "old") return stop(...decideNextStep(fresh));
  // A run moves the orchestrator only if the node is synced when the run begins.
  if (isMoveOpen(fresh) && fresh.node?.synced !== true) return wait("not synced", ...decideNextStep(fresh));
  if (isMoveOpen(fresh)) return runUp(fresh, true);
  const [confirmation] = listConfirmations(config.orchestrator);
  if (confirmation) return run("withdraw", stack, commands.remove(confirmation), { key: confirmation });
  if (move || isShutDown(oldStack)) return undefined;
  const there = oldStack?.parts?.orchestrator;
  if (there === undefined || "problem" in there)
    return waitForOld(`It is unknown whether the host of ${old} runs an orchestrator`, there);
  if (["none", "moved"].includes(there.value.kind)) return undefined;
  if (takeValue(parts?.orchestrator)?.kind !== "signs") return run("move", stack, commands.move(old));
  if (restingKinds.includes(there.value.kind)) return undefined;
  const where = [commandsFor(old).status(), commands.status()].map((line) => `  ${line}`);
  return stop("An orchestrator runs on both hosts: only one may. See which one signs:", ...where);
}

const waitForOld = (what: string, part: Result<unknown> | undefined) =>
  wait("old unseen", `${what}: ${getReason(part)}.`, "If the old host is dead: docs/retiring.md");

const getReason = (part: Result<unknown> | undefined) => (part && "problem" in part ? part.problem : "not asked yet");

function hasNeverProduced({ config, state: { last }, parts }: MigrationStack): boolean {
  const registration = takeValue(parts?.registration);
  const isAnothers = registration !== undefined && "wasOurs" in registration && !registration.wasOurs;
  return config.lifecycle === "active" && last.registration?.registered === false && isAnothers;
}

function isShutDown(stack: MigrationStack | undefined): boolean {
  const node = takeValue(stack?.parts?.node);
  return node?.masked === true && !node.active;
}

/** Decides the step that waits for the registration in the wallet, then for momentums of the new host. */
function decideWallet(fresh: MigrationStack): MigrationStep | undefined {
  const { stack, state, parts, node } = fresh;
  const { last } = state;
  const status = commandsFor(stack).status();
  const registration = takeValue(parts?.registration);
  if (registration === undefined || registration.kind === "unknown")
    return wait("chain unseen", `The Pillar's registration can't be read now: ${getReason(parts?.registration)}.`);
  const up = run("up", stack, commandsFor(stack).up);
  if (registration.kind === "producing") return last.registration?.producing ? undefined : up;
  if (registration.kind === "registered") {
    const since = formatUtcMinute(registration.since);
    const said = `The host of ${stack} has been registered since ${since} or longer. Keep the old host running.`;
    return wait("registered", said, `It waits for its first momentum: ${slotRule}. Status: ${status}`);
  }
  if (registration.kind === "tooEarly" || ("wasOurs" in registration && registration.wasOurs))
    return stop("Look at the registration before the migration can continue:", `  ${status}`);
  if (node?.synced !== true) return wait("not synced", ...decideNextStep(fresh));
  if (!isOffered(last)) return up;
  if (registration.kind !== "foreign") return wait(`wallet ${registration.kind}`, ...(last.nextStep ?? []));
  // Not the last run's text, which may be older than this registration.
  return wait(
    `wallet ${registration.address}`,
    `WARNING: ${registration.address} is registered now, the address of neither host.`,
    `A slip in the wallet? Update Pillar again, with the address ${last.producerAddress}`,
    "If not, check at once who else can use the wallet.",
  );
}

function decideRetirement({ old, fresh, oldStack }: MigrationInput): MigrationStep {
  const { retire, destroy } = commandsFor(old);
  if (oldStack && hasNeverProduced(oldStack))
    return stop(
      `${fresh} produces, and the host of ${old} was set up by this program and never did. Are the names swapped?`,
      `The old host's comes first: ${commandsFor(old).migrate(fresh)}`,
      `If ${old} is the one to retire: ${retire(fresh)}`,
    );
  if (oldStack?.config.lifecycle !== "retiring") return run("retire", old, retire(fresh));
  const { parts, state } = oldStack;
  if (parts === undefined || "problem" in parts.node)
    return waitForOld(`The host of ${old} can't be read now`, parts?.node);
  if (!isShutDown(oldStack) || !state.last.finished) return runUp(oldStack);
  const unmet = takeValue(parts.destroy);
  if (unmet === undefined)
    return wait(
      "destroy unseen",
      `It is unknown now whether stack ${old} may be destroyed: ${getReason(parts.destroy)}.`,
    );
  if (unmet.length === 0) return run("destroy", old, destroy, { isFinal: true });
  return wait(
    unmet.map(({ kind }) => kind).join(),
    `Before ${old} may be destroyed:`,
    ...unmet.flatMap(({ what, needed }) => [`  ${what}`, `    needed: ${needed}`]),
  );
}
