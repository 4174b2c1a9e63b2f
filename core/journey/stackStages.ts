import type { Registration } from "../registration/registration.ts";
import { formatWayBack } from "../registration/registrationMessages.ts";
import { type Commands, commandsFor } from "../util/commands.ts";
import { takeValue } from "../util/result.ts";
import type { OrchestratorOutput } from "./outputs.ts";
import type { MoveTiming, StackFacts } from "./stackFacts.ts";

/** `step`: take the next step at any time. `wait`: the stack only needs time. `attention`: solve a problem. */
export type Needs = "nothing" | "step" | "wait" | "attention";
export type StackStage = keyof typeof stackStages;

/** The facts, and what was decided from them. */
export interface Known extends StackFacts {
  readonly stage: StackStage;
  readonly registration: Registration | undefined;
  readonly timing: MoveTiming;
  readonly orchestrator: OrchestratorOutput | undefined;
  /** This host's producer address, if it is offered for the wallet. */
  readonly offeredAddress: string | undefined;
}

type Next = (run: Commands, known: Omit<Known, "stage">) => string;
/** The way on: a `pulumi up`, the wallet, time, a decision of the operator, a destroy, or none on this stack alone. */
type Way = "up" | "wallet" | "wait" | "stop" | "destroy" | "none";

type Row = readonly [Needs, title: string, Way, Next];

const up: Next = (run) => run.up;
const upSays: Next = (run) => `${run.up} says what to do`;
export const goOn = (run: Commands) => `${run.up} continues from here`;
export const moveFirst = (run: Commands) => `do not update the wallet yet; the orchestrator moves first: ${run.up}`;
const correctName: Next = (run) => `correct the Pillar's name: ${run.setText("pillar.name", "NAME")}`;
const watch: Next = ({ status }) => `do not touch the wallet; ${status("--watch")} waits for the sync`;
const goBack: Next = (_, { pillar, registration }) => formatWayBack(pillar, registration?.earlier);
const keepOld: Next = () =>
  "wait, and keep the old host running: it produces until momentums carry this host's address";
const retireOld: Next = (_, { stack, old }) => {
  if (old?.isReleased) return "nothing to do: the old host is given up";
  const retire = old?.stack && commandsFor(old.stack).retire(stack);
  return retire
    ? `nothing to do here; retire the old host, unless it is off already: ${retire}`
    : "nothing to do here; if another host produced before, retire it: docs/retiring.md";
};
const retire: Next = (run, { parts }) => {
  const isFree = takeValue(parts?.destroy)?.every(({ loss }) => loss === "rewards");
  return `${isFree ? "" : "once "}the Pillar produces elsewhere: ${run.retire("STACK")}, with the stack of the host that took over`;
};
const isOff = "shut down: its node is off and masked";

/** Each stage of a stack: what it needs of the operator, its name, what leads on, and what is next in a line. */
export const stackStages = {
  notStarted: ["wait", "not started", "up", up],
  started: ["wait", "started", "up", goOn],
  packages: ["wait", "packages installed, not deployed yet", "up", goOn],
  deployed: ["wait", "deployed, syncing", "up", goOn],
  behind: ["wait", "was synced, but is not synced now", "wait", watch],
  tooEarly: ["attention", "REGISTERED TOO EARLY: the node is not synced", "stop", goBack],
  unseen: ["step", "synced", "wait", (run) => `${run.up} asks again which address is registered`],
  unknownPillar: ["attention", "synced, but no Pillar has its name", "stop", correctName],
  wallet: ["step", "synced", "wallet", (run) => `${run.up} shows the producer address, and what to do in the wallet`],
  foreign: ["attention", "synced, but the Pillar is registered with an unknown address", "wallet", upSays],
  /** As `foreign`, after this host's address. */
  left: ["attention", "synced, but the Pillar is registered with an unknown address", "stop", upSays],
  wentBack: ["attention", "synced, but the Pillar is registered with an earlier address again", "stop", upSays],
  registered: ["wait", "registered; waiting for its first momentum", "wait", keepOld],
  /** No run has seen the first momentum yet. */
  unnoted: ["step", "producing", "up", (run) => `${run.up} records the first momentum`],
  producing: ["nothing", "producing", "none", retireOld],
  toAdopt: ["wait", "to be adopted", "up", up],
  adopted: ["nothing", "adopted, node synced", "none", retire],
  adoptedBehind: ["wait", "adopted", "none", retire],
  adoptedTooEarly: ["attention", "adopted", "none", retire],
  gone: ["nothing", "retired, or never created", "none", (run) => `to see its history: ${run.report()}`],
  retiringUnseen: ["attention", "retiring; unknown whether its node is off", "wait", (run) => `check again: ${run.up}`],
  retiring: ["wait", "retiring, node not shut down yet", "up", up],
  off: ["attention", isOff, "wait", (run) => `${run.destroy} checks whether the host may be deleted`],
  unmet: ["wait", isOff, "wait", (run) => `${run.destroy} is refused until the conditions below are met`],
  removable: ["step", isOff, "destroy", (run) => `the host may be deleted now: ${run.destroy}`],
} as const satisfies Readonly<Record<string, Row>>;
