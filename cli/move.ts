import type { StackConfig } from "../core/config/config";
import { commandsFor } from "../core/util/commands";
import { twoStacks } from "./otherStack";
import { CliRefusal } from "./refusal";
import { type Settings, setPlain, upOrPrint } from "./stackFiles";
import type { OtherHost } from "./stackState";

export interface MoveOptions {
  /** The stack of the host that the signer is on now. */
  readonly from: string;
  /** The orchestrator's release for the new host; as configured where it is left out. */
  readonly release?: string;
  readonly releaseSha256?: string;
  /** Its version; else the one that its address names. */
  readonly releaseVersion?: string;
  readonly up: boolean;
}

/** Says in a stack's file where its signer comes from, and lets it move. @returns the exit code. @throws Refusal */
export async function moveFrom(stack: string, args: readonly string[], options: MoveOptions): Promise<number> {
  const { from, up } = options;
  const { engine, config, other: before, host } = await twoStacks(stack, from);
  const wrong = moveFault(stack, config, before, host, options);
  if (wrong !== undefined) throw new CliRefusal(wrong);
  await setPlain(engine, moveSettings(config, before, host, options));
  console.log(`The signer of ${stack} comes from ${host.address}, the host of ${from} (Pulumi.${stack}.yaml).`);
  for (const line of ownLogin(stack, config, before)) console.log(line);
  if (!up) console.log(`Rehearse it first; that writes nothing:\n  ${commandsFor(stack).check()}`);
  return upOrPrint(stack, up, args, engine);
}

/** What can't be meant (pure); all else is asked by the run, before it touches anything. */
export function moveFault(
  stack: string,
  config: Pick<StackConfig, "pillar" | "host" | "orchestrator">,
  before: Pick<StackConfig, "pillar">,
  host: OtherHost,
  { from, release, releaseVersion }: Pick<MoveOptions, "from" | "release" | "releaseVersion">,
): string | undefined {
  if (config.pillar.name !== before.pillar.name)
    return `${from} is of Pillar ${before.pillar.name}, ${stack} of ${config.pillar.name}: nothing was changed\n  needed: --from with a stack of the same Pillar`;
  if (config.host.provider === "existing" && config.host.address === host.address)
    return `${stack} and ${from} are the same host, ${host.address}: nothing was changed\n  needed: --from with the stack of the host that the signer is on now`;
  if (release === undefined && config.orchestrator.release === undefined)
    return `no release of the orchestrator is known for the new host: nothing was changed\n  needed: --release with its address (https), and --release-sha256 with its hash from the release's page`;
  if (release !== undefined && versionOf(release, releaseVersion) === undefined)
    return `which version ${release} has is not in its address: nothing was changed\n  needed: --release-version, such as v0.0.9a`;
  return undefined;
}

/** What the new stack's file says of the move (pure); of login and places only what differs. */
export function moveSettings(
  config: StackConfig,
  before: StackConfig,
  host: OtherHost,
  { release, releaseSha256, releaseVersion }: Pick<MoveOptions, "release" | "releaseSha256" | "releaseVersion">,
): Settings {
  const other = <T>(theirs: T, ours: T) => (theirs === ours ? undefined : theirs);
  const [from, to] = [before.orchestrator, config.orchestrator];
  return {
    "orchestrator.migrateFrom.address": host.address,
    "orchestrator.migrateFrom.hostKey": host.hostKey,
    "orchestrator.migrateFrom.user": other(before.ssh.user, config.ssh.user),
    "orchestrator.migrateFrom.port": other(before.ssh.port, config.ssh.port),
    "orchestrator.migrateFrom.service": other(from.service, to.service),
    "orchestrator.migrateFrom.directory": other(from.directory, to.directory),
    "orchestrator.migrateFrom.executable": other(from.executable, to.executable),
    "orchestrator.migrateFrom.dataDir": other(before.node.dataDir, config.node.dataDir),
    ...(release === undefined
      ? {}
      : {
          "orchestrator.release.url": release,
          "orchestrator.release.sha256": releaseSha256,
          "orchestrator.release.version": versionOf(release, releaseVersion),
        }),
  };
}

/** As its address names it, where nobody says otherwise. */
function versionOf(release: string, given: string | undefined): string | undefined {
  return given ?? /\bv\d+\.\d+\.\d+[a-z]?(?![\w.])/.exec(release)?.[0];
}

/** A secret is not moved from one file to another unasked. */
function ownLogin(stack: string, { ssh }: StackConfig, before: StackConfig): string[] {
  const secrets = ["privateKey", "privateKeyPassword", "password", "sudoPassword"] as const;
  return secrets
    .filter((key) => before.ssh[key] !== undefined && before.ssh[key] !== ssh[key])
    .map((key) => `Its ${key} is another: ${commandsFor(stack).setSecret(`orchestrator.migrateFrom.${key}`)}`);
}
