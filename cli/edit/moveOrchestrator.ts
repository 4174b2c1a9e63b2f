import { findVersion } from "../../core/chain/versions.ts";
import type { StackConfig } from "../../core/config/config.ts";
import { knownRelease, moveKeys } from "../../core/config/orchestratorSchema.ts";
import { openStackStore } from "../../core/config/stackStore.ts";
import { isMoveOver, readMoveEvents } from "../../core/eventLog/eventLog.ts";
import { createMoveId } from "../../core/eventLog/moveId.ts";
import { confirmationPaths } from "../../core/orchestrator/rules/confirmations.ts";
import { summarizeMoves } from "../../core/orchestrator/rules/moveHistory.ts";
import { describeUnknownHistory } from "../../core/orchestrator/rules/obstacles.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { isSameMachine } from "../../core/util/hostPort.ts";
import { formatProblem, ProblemError } from "../../core/util/problem.ts";
import { quoteShellWord } from "../../core/util/quote.ts";
import { type PlainSettings, removeSettings, runUp, type UpOptions, writeSettings } from "../pulumi/stackFiles.ts";
import type { OtherHost } from "../pulumi/stackState.ts";
import { printAlarm } from "../status/readStatus.ts";
import { confirmRelease } from "../terminal/confirmRelease.ts";
import { askText, isTerminal } from "../terminal/prompts.ts";
import { createHostSettings, listOwnSecrets, openTwoStacks } from "./otherStack.ts";

/** The orchestrator's release for the new host. By default the configured one, and the version in its address. */
export type ReleaseOptions = Readonly<Partial<Record<"release" | "releaseSha256" | "releaseVersion", string>>>;

export interface MoveOptions extends ReleaseOptions, UpOptions {
  /** The stack of the host that the orchestrator is on now. */
  readonly from: string;
  /** True if the operator says that no move of this orchestrator ever began. */
  readonly firstMove?: boolean;
}

/** Writes the orchestrator's host into a stack's file, and begins the move. Returns the exit code. @throws Refusal */
export async function moveOrchestrator(stack: string, args: readonly string[], given: MoveOptions): Promise<number> {
  const { from, up, command } = given;
  const { engine, config, other: before, host } = await openTwoStacks(stack, from, "--from");
  refuseOtherOldHost(config, host, from);
  const options = { ...given, ...(await askRelease(config, given)) };
  const wrong = findReleaseProblem(stack, config, options);
  if (wrong !== undefined) throw new ProblemError({ what: wrong });
  const word = await confirmFirstMove(stack, config, options);
  const settings = { ...createMoveSettings(config, before, host, options), ...word };
  await writeSettings(engine, settings, ["orchestrator.restoreFrom"]);
  console.log(
    `Pulumi.${config.stack}.yaml says now: the orchestrator comes from ${host.address}, the host of ${from}.`,
  );
  for (const key of listOwnSecrets(before.ssh, config.ssh))
    console.log(
      `The old host's login secret ${key} differs from the new host's. Set it: ${commandsFor(stack).setSecret(`oldHost.${key}`)}`,
    );
  if (command === "migrate") return 0;
  if (!up) console.log(`Rehearse the move first; the rehearsal writes nothing:\n  ${commandsFor(stack).check()}`);
  const code = await runUp(stack, { up, isAlarmed: () => printAlarm(stack) }, args, engine);
  if (!up) return code;
  if (isMoveOver(await readMoveEvents(openStackStore(config)), createMoveId(config)))
    await removeSettings(engine, confirmationPaths);
  // If the event log is lost later, this one would let any move pass as the first.
  else if (word && (await hasMoved(config))) await removeSettings(engine, [firstMoveKey]);
  return code;
}

const firstMoveKey = "orchestrator.firstMove";

async function hasMoved(config: StackConfig): Promise<boolean> {
  return summarizeMoves(await readMoveEvents(openStackStore(config)), createMoveId(config)).generation > 0;
}

/** Asks the operator to confirm a first move, if the event log has none. Returns the setting. @throws ProblemError */
export async function confirmFirstMove(
  stack: string,
  config: StackConfig,
  options: Pick<MoveOptions, "firstMove">,
): Promise<PlainSettings | undefined> {
  if (config.orchestrator.firstMove || (await hasMoved(config))) return undefined;
  const { needed } = describeUnknownHistory("first move", commandsFor(stack));
  if (!options.firstMove && isTerminal())
    await askText(
      "The event log has no move of this orchestrator. Was it ever moved, by a run on any machine? Then press Ctrl-C, and bring " +
        "that machine's event log (docs/unattended.md): the orchestrator may run elsewhere. Never moved? Type never:",
      { validate: (answer) => answer === "never" || 'type the word "never", or press Ctrl-C' },
    );
  else if (!options.firstMove)
    throw new ProblemError({
      what: "the event log has no move of this orchestrator: nothing was changed",
      needed,
      next: "If it was never moved, run the same command again with --first-move",
    });
  return { [firstMoveKey]: "acknowledged" };
}

/** Asks in a terminal for a missing hash: shows the one that the release's maker publishes. @throws ProblemError */
export async function askRelease(
  config: Pick<StackConfig, "orchestrator">,
  given: ReleaseOptions,
): Promise<ReleaseOptions> {
  const { url = knownRelease, sha256, version = findVersion(url) } = chooseRelease(config, given);
  if (sha256 !== undefined || !isTerminal() || !URL.canParse(url)) return given;
  const what = "The orchestrator's release for the new host";
  const releaseSha256 = await confirmRelease(what, url, "--release-sha256");
  const releaseVersion = version ?? (await askText("Which version is it?", { default: findVersion(knownRelease) }));
  return { release: url, releaseSha256, releaseVersion };
}

type TypedOptions = ReleaseOptions & Readonly<{ firstMove?: boolean; up?: boolean; yes?: boolean }>;
type ReleaseCommand = TypedOptions & Readonly<{ from: string; command?: "move" | "restore" | "migrate" }>;

/** Returns options as they are typed. */
export const formatOptions = ({
  release,
  releaseSha256,
  releaseVersion,
  firstMove,
  yes,
  up,
}: TypedOptions): string[] => [
  ...Object.entries({ "--release": release, "--release-sha256": releaseSha256, "--release-version": releaseVersion })
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .flatMap(([option, value]) => [option, quoteShellWord(value)]),
  ...(firstMove ? ["--first-move"] : []),
  ...(yes ? ["--yes"] : []),
  ...(up === false ? ["--no-up"] : []),
];

/** Returns what the release for the new host lacks, or undefined. The run checks the rest before any change. */
export function findReleaseProblem(
  stack: string,
  config: Pick<StackConfig, "orchestrator">,
  { from, command = "move", ...given }: ReleaseCommand,
): string | undefined {
  const { url, sha256, version } = chooseRelease(config, given);
  const isVersionMissing = url !== undefined && version === undefined;
  const needed = [
    url === undefined && "give --release the address of the release (https)",
    !/^[0-9a-f]{64}$/i.test(sha256 ?? "") &&
      "give --release-sha256 64 hexadecimal digits: the downloaded program runs as root and holds the bridge's key share",
    isVersionMissing && "give --release-version the version, such as v0.0.9a",
  ];
  if (!needed.some(Boolean)) return undefined;
  const options = formatOptions({
    ...given,
    up: command === "migrate" || given.up,
    release: given.release ?? (url === undefined ? knownRelease : undefined),
    releaseSha256: "SHA256",
    releaseVersion: given.releaseVersion ?? (isVersionMissing ? "VERSION" : undefined),
  });
  const { move, migrate, restoreFrom } = commandsFor(stack);
  const again = { move, migrate, restore: restoreFrom }[command](from, ...options);
  return formatProblem({
    what: "the orchestrator's release for the new host is not complete: nothing was changed",
    found: url,
    needed,
    next: [
      `To print the hash: curl -fsSL ${quoteShellWord(url ?? knownRelease)} | sha256sum`,
      `Compare the hash with the release page's, then: ${again}`,
    ],
  });
}

/** Returns the release for a move. A missing value comes from the configured release, if both have one URL. */
function chooseRelease(
  { orchestrator }: Pick<StackConfig, "orchestrator">,
  { release, releaseSha256, releaseVersion }: ReleaseOptions,
) {
  const url = release ?? orchestrator.release?.url;
  const same = orchestrator.release?.url === url ? orchestrator.release : undefined;
  const version = releaseVersion ?? same?.version ?? findVersion(url ?? "");
  return { url, sha256: releaseSha256 ?? same?.sha256, version };
}

/** Refuses to replace an old host that may be a witness or the source of the chain copy. @throws ProblemError */
export function refuseOtherOldHost(config: StackConfig, host: OtherHost, from: string): void {
  const { stack, oldHost, sync, orchestrator } = config;
  if (oldHost === undefined || isSameMachine(oldHost, host)) return;
  const { remove } = commandsFor(stack);
  const ofMove = (["move", ...moveKeys] as const)
    .filter((key) => orchestrator[key])
    .map((key) => `orchestrator.${key}`);
  const keys = [...(sync.from === "oldHost" ? ["sync.from"] : []), ...ofMove, "oldHost"];
  throw new ProblemError({
    what: `the old host in Pulumi.${stack}.yaml is not the host of ${from}: nothing was changed`,
    found: `oldHost ${oldHost.address}; the host of ${from} is ${host.address}`,
    needed: "give --from the stack of oldHost; or remove oldHost, if nothing is to come from there any more",
    next: [`To remove it: ${keys.map(remove).join(" && ")}`, "Then run the same command again"],
  });
}

/** Returns the settings that a move adds. Leaves out login and paths that are the same on both hosts. */
export function createMoveSettings(
  config: StackConfig,
  before: StackConfig,
  host: OtherHost,
  given: ReleaseOptions,
): PlainSettings {
  const { url, sha256, version } = chooseRelease(config, given);
  return {
    ...createHostSettings("oldHost", host, before, config),
    "orchestrator.move": "true",
    "orchestrator.release.url": url,
    "orchestrator.release.sha256": sha256,
    "orchestrator.release.version": version,
  };
}
