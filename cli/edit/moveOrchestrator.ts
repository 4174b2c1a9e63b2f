import type { StackConfig } from "../../core/config/config";
import { isSameMachine } from "../../core/config/sameMachine";
import { openStackStore } from "../../core/config/stackStore";
import { readMoveEvents } from "../../core/eventLog/eventLog";
import { createMoveId } from "../../core/eventLog/moveId";
import { hashCommand, whatItIs } from "../../core/orchestrator/checks/releaseHash";
import { knownOf } from "../../core/orchestrator/rules/known";
import { unknownPastText } from "../../core/orchestrator/rules/moveMessages";
import { commandsFor } from "../../core/util/commands";
import { type PlainSettings, runOrPrintUp, writeSettings } from "../pulumi/stackFiles";
import type { OtherHost } from "../pulumi/stackState";
import { askText } from "../terminal/prompts";
import { CliRefusal } from "../terminal/refusal";
import { createHostSettings, listOwnSecrets, openTwoStacks } from "./otherStack";

export interface MoveOptions {
  /** The stack of the host that the signer is on now. */
  readonly from: string;
  /** The orchestrator's release for the new host; as configured where it is left out. */
  readonly release?: string;
  /** Its hash; as configured for the same address where it is left out. */
  readonly releaseSha256?: string;
  /** Its version; as configured for the same address, else the one that its address names. */
  readonly releaseVersion?: string;
  /** The operator says that no move of this signer ever began. */
  readonly firstMove?: boolean;
  readonly up: boolean;
}

/** Says in a stack's file where its signer comes from, and lets it move. @returns the exit code. @throws Refusal */
export async function moveOrchestrator(stack: string, args: readonly string[], options: MoveOptions): Promise<number> {
  const { from, up } = options;
  const { engine, config, other: before, host } = await openTwoStacks(stack, from);
  const wrong = findMoveProblem(stack, config, { config: before, host }, options);
  if (wrong !== undefined) throw new CliRefusal(wrong);
  const word = await confirmFirstMove(stack, config, options);
  await writeSettings(engine, { ...createMoveSettings(config, before, host, options), ...word });
  console.log(`The signer of ${stack} comes from ${host.address}, the host of ${from} (Pulumi.${stack}.yaml).`);
  for (const key of listOwnSecrets(before.ssh, config.ssh))
    console.log(`Its ${key} is another: ${commandsFor(stack).setSecret(`orchestrator.migrateFrom.${key}`)}`);
  if (!up) console.log(`Rehearse it first; that writes nothing:\n  ${commandsFor(stack).check()}`);
  const code = await runOrPrintUp(stack, up, args, engine);
  // Left there it would vouch for a record that is lost later.
  if (word && up && (await isMoveKnown(stack, config)))
    await engine.read(["config", "rm", "--path", `pillar-host:${firstMoveKey}`]);
  return code;
}

const firstMoveKey = "orchestrator.migrateFrom.firstMove";

async function isMoveKnown(stack: string, config: StackConfig): Promise<boolean> {
  return knownOf(await readMoveEvents(openStackStore(config)), createMoveId(config, stack)).generation > 0;
}

/** The operator's word about a signer of which the record knows no move, where one is needed. @throws CliRefusal without it */
export async function confirmFirstMove(
  stack: string,
  config: StackConfig,
  options: Pick<MoveOptions, "firstMove">,
): Promise<PlainSettings | undefined> {
  if (config.orchestrator.migrateFrom?.firstMove || (await isMoveKnown(stack, config))) return undefined;
  const [, needed] = unknownPastText("first move", commandsFor(stack));
  if (!options.firstMove && process.stdin.isTTY)
    await askText(`No move of this signer is recorded. Needed: ${needed}. It was never moved? Type "never":`, {
      validate: (answer) => answer === "never" || 'needed: the word "never", or Ctrl-C',
    });
  else if (!options.firstMove)
    throw new CliRefusal(
      `no move of this signer is recorded: nothing was changed\n  needed: ${needed}\n  It was never moved? The same command again, with --first-move`,
    );
  return { [firstMoveKey]: "acknowledged" };
}

/** Returns why a move can't be meant, or undefined. The run checks all else before it touches anything. */
export function findMoveProblem(
  stack: string,
  config: Pick<StackConfig, "pillar" | "host" | "orchestrator">,
  { config: before, host }: { readonly config: Pick<StackConfig, "pillar">; readonly host: OtherHost },
  { from, up, ...given }: Pick<MoveOptions, "from"> & Partial<Pick<MoveOptions, "up">> & ReleaseOptions,
): string | undefined {
  if (config.pillar.name !== before.pillar.name)
    return `${from} is of Pillar ${before.pillar.name}, ${stack} of ${config.pillar.name}: nothing was changed\n  needed: --from with a stack of the same Pillar`;
  if (isSameMachine(config.host, host))
    return `${stack} and ${from} are the same host, ${host.address}: nothing was changed\n  needed: --from with the stack of the host that the signer is on now`;
  const { url, sha256, version } = chooseRelease(config, given);
  if (url === undefined)
    return `no release of the orchestrator is known for the new host: nothing was changed\n  needed: --release with its address (https), and --release-sha256 with its hash from the release's page`;
  if (version === undefined)
    return `which version ${url} has is not in its address: nothing was changed\n  needed: --release-version, such as v0.0.9a`;
  return findHashProblem(url, sha256, commandsFor(stack).moveWithHash(from, given, up === false ? ["--no-up"] : []));
}

/** A release that nobody has named by its hash goes into no stack's file. @param again what is typed with it */
function findHashProblem(url: string, sha256: string | undefined, again: string): string | undefined {
  if (sha256 === undefined)
    return [
      "no hash of the orchestrator's release is known: nothing was changed",
      `found: ${url} alone`,
      `needed: its sha256: ${whatItIs}`,
      `See it with: ${hashCommand(url)}`,
      `Compare it with the one on the release's page, then: ${again}`,
    ].join("\n  ");
  if (/^[0-9a-f]{64}$/i.test(sha256)) return undefined;
  return [
    "--release-sha256 is no hash: nothing was changed",
    `found: ${JSON.stringify(sha256.slice(0, 70))}`,
    `needed: 64 hexadecimal digits, as ${hashCommand(url)} prints them`,
    `Then: ${again}`,
  ].join("\n  ");
}

type ReleaseOptions = Pick<MoveOptions, "release" | "releaseSha256" | "releaseVersion">;

/** The release that a move ends up with: as given; what is left out stays as configured, if that is of the same address. */
function chooseRelease(
  { orchestrator }: Pick<StackConfig, "orchestrator">,
  { release, releaseSha256, releaseVersion }: ReleaseOptions,
): { readonly url?: string | undefined; readonly sha256?: string | undefined; readonly version?: string | undefined } {
  const url = release ?? orchestrator.release?.url;
  const same = orchestrator.release?.url === url ? orchestrator.release : undefined;
  return {
    url,
    sha256: releaseSha256 ?? same?.sha256,
    version: releaseVersion ?? same?.version ?? (url === undefined ? undefined : parseVersion(url)),
  };
}

/** As an address names it. */
function parseVersion(url: string): string | undefined {
  return /\bv\d+\.\d+\.\d+[a-z]?(?![\w.])/.exec(url)?.[0];
}

/** What the new stack's file says of the move; of login and places only what differs. */
export function createMoveSettings(
  config: StackConfig,
  before: StackConfig,
  host: OtherHost,
  given: ReleaseOptions,
): PlainSettings {
  const other = <T>(theirs: T, ours: T) => (theirs === ours ? undefined : theirs);
  const [from, to] = [before.orchestrator, config.orchestrator];
  const { url, sha256, version } = chooseRelease(config, given);
  return {
    ...createHostSettings("orchestrator.migrateFrom", host, before.ssh, config.ssh),
    "orchestrator.migrateFrom.service": other(from.service, to.service),
    "orchestrator.migrateFrom.directory": other(from.directory, to.directory),
    "orchestrator.migrateFrom.executable": other(from.executable, to.executable),
    "orchestrator.migrateFrom.dataDir": other(before.node.dataDir, config.node.dataDir),
    "orchestrator.release.url": url,
    "orchestrator.release.sha256": sha256,
    "orchestrator.release.version": version,
  };
}
