import { createNodeTarget, createTrialLogin, tryOldHost } from "../core/chain/configuredNode.ts";
import { createHostTarget } from "../core/ssh/configuredLogin.ts";
import type { OwnServer } from "../core/ssh/ownServer.ts";
import { computeFingerprint } from "../core/ssh/publicKey.ts";
import { formatLoginFailure, reachDeps, retryDuringBoot, waitForLogin } from "../core/ssh/reachability.ts";
import { type SshTarget, scanHostKey } from "../core/ssh/ssh.ts";
import type { LoginError } from "../core/ssh/sshErrors.ts";
import { commandsFor, someHostKey } from "../core/util/commands.ts";
import { say, takeFirstLine } from "../core/util/printable.ts";
import { formatProblem, hasKind } from "../core/util/problem.ts";
import { type ArgsOf, defineResource, hasChanges } from "./runtime/dynamicResource.ts";
import { keepResults } from "./runtime/provider.ts";
import { readStackConfig } from "./runtime/stackConfig.ts";

/**
 * Logs in to a host before its first step, so that a problem with the address, key or login is reported with the
 * command that fixes it. Waits for a server of this stack to boot. Stores the host's ed25519 key if the configuration
 * has none (docs/architecture.md, Host keys are pinned). create and update log in; delete does nothing.
 */
export class FirstContact extends defineResource<ContactInputs, ContactOutputs>({
  type: "FirstContact",
  id: ({ address, port }) => `${address}:${port}`,
  create: (inputs) => contactHost(inputs, undefined, true),
  // The key stays pinned after the first contact. Only another address or server counts as another host.
  update: (olds, news) => {
    const isSame = olds.address === news.address && olds.server?.id === news.server?.id;
    return contactHost(news, isSame ? olds.pinned : undefined, !isSame);
  },
  // `run` is left out once no run has to connect. That is no reason for another contact.
  changes: (olds, news) => hasChanges(olds, news) || (news.hostKey === undefined && olds.hostKey !== undefined),
  secretInputs: ["login"],
  outputs: { pinned: "plain", fingerprint: "plain" },
}) {}

export type FirstContactArgs = ArgsOf<ContactInputs>;

interface ContactInputs {
  readonly stack: string;
  readonly address: string;
  readonly port: number;
  /** The configured key. Without one, the host's own key is stored. */
  readonly hostKey?: string | undefined;
  /** Hash of the login: a changed login is tried. Secret, because a reader of the state could guess a password. */
  readonly login: string;
  /** Hash of the work to do on the host: new work means another login. */
  readonly work: string;
  /** A new value in each run that has to connect. */
  readonly run?: string | undefined;
  /** The host's server, if this stack made it. */
  readonly server?: OwnServer | undefined;
  /** True if the state is kept without a login. */
  readonly standsAside?: boolean | undefined;
  /** Names of the configured secrets that the run would send to the host. */
  readonly secrets?: readonly string[] | undefined;
}

type ContactOutputs = Readonly<ReturnType<typeof createOutputs>>;

const createOutputs = (pinned: string) => ({ pinned, fingerprint: computeFingerprint(pinned) });

async function recordKey({ stack, address, port }: ContactInputs, login: SshTarget): Promise<string> {
  let pinned: string;
  try {
    pinned = await retryDuringBoot(() => scanHostKey(address, port, login.proxy), reachDeps);
  } catch (error) {
    throw new Error(formatLoginFailure(login, error as LoginError, commandsFor(stack)));
  }
  say(
    `host key of ${address}, recorded on first contact: ${computeFingerprint(pinned)}. Compare it with the provider's console.`,
  );
  return pinned;
}

function formatUnknownKey({ stack, address, secrets = [] }: ContactInputs, pinned: string): string {
  const { set, up } = commandsFor(stack);
  return formatProblem({
    what: `${address}: its host key is recorded, and this run ends before a secret goes there (${secrets.join(", ")})`,
    found: computeFingerprint(pinned),
    needed:
      "compare it with the provider's console, or with the host's screen: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub",
    next: [
      `If it is the same, continue with: ${up}`,
      `If it differs, somebody intercepts the connection. Set the key that the screen shows: ${set("host.hostKey", someHostKey)}`,
    ],
  });
}

async function contactHost(inputs: ContactInputs, recorded: string | undefined, isFirst: boolean) {
  const { stack, address, server } = inputs;
  if (inputs.standsAside) {
    // Without a stored key the empty one stays, and no connection accepts it.
    const pinned = inputs.hostKey ?? recorded ?? "";
    return pinned === "" ? { pinned, fingerprint: "" } : createOutputs(pinned);
  }
  const known = inputs.hostKey || recorded;
  const config = readStackConfig(stack);
  const login = createHostTarget(config, address, known ?? "");
  const pinned = known || (await recordKey(inputs, login));
  // The operator has not compared this key yet, so it may belong to a machine in the middle.
  if (!known && inputs.secrets?.length)
    throw keepResults(new Error(formatUnknownKey(inputs, pinned)), createOutputs(pinned));
  const run = commandsFor(stack);
  const trial = createTrialLogin(createNodeTarget(config, address, pinned), config);
  await waitForLogin(trial, reachDeps, run, { server, isNew: isFirst });
  if (isFirst)
    await tryOldHost(config).catch((error: LoginError) => {
      if (hasKind(error, "forbidden")) throw new Error(`${error.message}\n  Then: ${run.up}`);
      // The gate says what it lacks without this witness, and may have others.
      say(`old host: ${takeFirstLine(error.message)}`);
    });
  return createOutputs(pinned);
}
