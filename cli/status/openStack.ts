import { setImmediate as turn } from "node:timers/promises";
import type { StackConfig } from "../../core/config/config.ts";
import { project } from "../../core/config/configFaults.ts";
import { readStackEvents } from "../../core/eventLog/eventLog.ts";
import { createSettings, type OldHostFacts } from "../../core/journey/stackFacts.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { ProblemError } from "../../core/util/problem.ts";
import { readLocks } from "../pulumi/locks.ts";
import { createPulumi } from "../pulumi/pulumiCommand.ts";
import { findStackOf } from "../pulumi/stackFiles.ts";
import { shortenStackName } from "../pulumi/stackName.ts";
import { parseState, type StackState } from "../pulumi/stackState.ts";

export type StackInfo = Awaited<ReturnType<typeof openStack>>;

export interface StackWithHost extends StackInfo {
  readonly address: string;
  readonly hostKey: string;
}

/** Reads a stack that has a host whose key is known. @throws ProblemError with the problem of stack or configuration */
export const openStackWithHost = async (fullName: string) => requireHost(await openStack(fullName));

/** @throws ProblemError if the stack has no host, or one whose key is not known */
export function requireHost(source: StackInfo): StackWithHost {
  const { stack, address, hostKey, config } = source;
  if (address === undefined) throw createMissingServerError(stack, config.lifecycle === "retiring");
  if (hostKey !== undefined) return { ...source, address, hostKey };
  const { check, up } = commandsFor(stack);
  throw new ProblemError({
    what: `${address} was not read: its host key is neither configured nor recorded, so no login is safe`,
    needed: `compare the key that this prints with your provider's console: ${check()}`,
    next: `To record the key: ${up}`,
  });
}

/** Creates the error of a stack without a server: it has not been created yet, or was retired. */
export function createMissingServerError(stack: string, isRetired: boolean): ProblemError {
  const { up, removeStack } = commandsFor(stack);
  return new ProblemError({
    kind: isRetired ? "serverGone" : "noServer",
    what: `stack ${stack} has no server ${isRetired ? "any more" : "yet"}`,
    needed: !isRetired && `create the server: ${up}`,
    next: isRetired && `To delete the stack: ${removeStack}`,
  });
}

/** Reads configuration and state of a stack that may have no host yet. @throws ProblemError with the problem of stack or configuration */
export async function openStack(fullName: string) {
  const stack = shortenStackName(fullName);
  const engine = createPulumi(fullName);
  const answers = Promise.all([
    engine.read(["config", "--json", "--show-secrets"]),
    engine.read(["stack", "export"]),
    engine.readBackend(),
  ]);
  answers.catch(() => undefined);
  // Loads the configuration schema (half a second) while pulumi works on its answers.
  await turn();
  const { parseConfiguration } = await import("../pulumi/configuration.ts");
  const [configuration, exported, backend] = await answers;
  const state: StackState = parseState(exported);
  const config = parseConfiguration(fullName, configuration);
  const { recordedKey } = state;
  let old: ReturnType<typeof readOldHost> | undefined;
  const { host } = config;
  const address = host.provider === "existing" ? host.address : recordedKey?.address;
  const configuredKey = host.provider === "existing" ? host.hostKey : undefined;
  return {
    stack,
    config,
    state,
    /** The facts about the stack alone that decide what is next there. */
    facts: { stack, pillar: config.pillar.name, lifecycle: config.lifecycle, settings: createSettings(config), state },
    address,
    /** The configured host key, else the one that was recorded at the first contact with this address. */
    hostKey: configuredKey ?? (recordedKey && recordedKey.address === address ? recordedKey.hostKey : undefined),
    /** Reads the facts about the old host that decide what is next, once. */
    readOld: () => {
      old ??= readOldHost(config, stack);
      return old;
    },
    /** Reads who holds the stack's lock; undefined if the backend does not show it. */
    readLocks: async () => (backend === undefined ? undefined : readLocks(backend, project, stack)),
  };
}

async function readOldHost(config: StackConfig, stack: string): Promise<OldHostFacts | undefined> {
  const { oldHost, lifecycle } = config;
  if (oldHost === undefined || lifecycle !== "active") return undefined;
  const { address } = oldHost;
  const events = await readStackEvents(config).catch(() => []);
  if (events.some(({ event, details }) => event === "released" && details.address === address))
    return { isReleased: true, stack: undefined };
  return { isReleased: false, stack: await findStackOf(address, stack).catch(() => undefined) };
}
