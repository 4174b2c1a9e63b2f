import { createNodeTarget, createTrialLogin, tryOldHost } from "../../core/chain/configuredNode.ts";
import type { StackConfig } from "../../core/config/config.ts";
import { createProxyLogin } from "../../core/ssh/configuredLogin.ts";
import { runScript } from "../../core/ssh/connection.ts";
import { formatLoginFailure, tryLogin } from "../../core/ssh/reachability.ts";
import { readPresentedKey } from "../../core/ssh/ssh.ts";
import { isFatal, type LoginError } from "../../core/ssh/sshErrors.ts";
import { preflight } from "../../core/steps/nodeSteps.ts";
import { createEnvelope } from "../../core/steps/step.ts";
import { createReceiver, formatStackIdentity } from "../../core/steps/stepVariables.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { formatProblem } from "../../core/util/problem.ts";
import type { StackInfo } from "../status/openStack.ts";
import { type CheckRow, fail, pass, pending } from "./checkRow.ts";

const topic = "host";

export async function checkHost({ stack, config, state, address, hostKey }: StackInfo): Promise<CheckRow[]> {
  if (address === undefined)
    return [pending(topic, "no host yet: the run that creates the host checks it after its boot")];
  const { ssh, pillar, lifecycle } = config;
  if (hostKey === undefined) return checkUnknownHost(address, config);
  const target = createTrialLogin(createNodeTarget(config, address, hostKey), config);
  const session = await tryLogin(target).catch((error: LoginError) =>
    formatLoginFailure(target, error, commandsFor(stack)),
  );
  if (typeof session === "string") return [fail(topic, session)];
  try {
    const login = pass("login", `${ssh.user}@${address} accepts the login of this machine`);
    if (lifecycle !== "active") return [login];
    // The next run corrects a name that may change, before it checks the host's mark.
    const step = preflight(config, formatStackIdentity(stack, state.guardedPillar ?? pillar.name));
    const script = createEnvelope(step, createReceiver(config, address));
    const running = runScript({ session: async () => session }, step.name, script, (step.limitSeconds + 30) * 1000);
    const passed = (lines: readonly string[]) => pass(topic, ...putVerdictFirst(lines));
    return [login, await running.then(passed, ({ message }: Error) => fail(topic, message))];
  } finally {
    session.close();
  }
}

export const checkOldHost = ({ config }: StackInfo): Promise<CheckRow[]> =>
  tryOldHost(config).then(
    (found) => (found ? [pass("old host", "it accepts the login, and forwards to what runs there")] : []),
    // It may be down already.
    (error) => [(isFatal(error) ? fail : pending)("old host", error.message)],
  );

/** Moves the last line to the front: preflight prints its verdict after its warnings. */
export const putVerdictFirst = (lines: readonly string[]): string[] => [...lines.slice(-1), ...lines.slice(0, -1)];

/** Reads the host key without a login, because an unknown key may belong to another machine. */
async function checkUnknownHost(address: string, config: StackConfig): Promise<CheckRow[]> {
  const shown = await readPresentedKey(address, config.ssh.port, createProxyLogin(config.ssh));
  if (shown.fault !== undefined) return [fail(topic, formatProblem({ what: shown.fault, needed: shown.needed }))];
  const found = `${address} presents ${shown.fingerprint}; its key is neither configured nor recorded, so no login was tried`;
  const help =
    "Compare that key with your provider's console. The next run records the key, or pillar-host:host.hostKey pins it.";
  return [pending(topic, found, help)];
}
