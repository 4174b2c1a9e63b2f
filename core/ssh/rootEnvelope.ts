import { shellWord } from "../util/quote";
import { assignments } from "./shellWords";
import { loginKeys } from "./ssh";

/** A host that runs a script as root. */
export interface Receiver {
  readonly hostName: string;
  /** Stack named in the commands for the operator. */
  readonly stack: string;
  /** Configuration key of its login; `pillar-host:ssh` if left out. */
  readonly configured?: string | undefined;
  /** Secret: goes through standard input, never into a command line. */
  readonly sudoPassword?: string | undefined;
}

/** Returns the variables that every script on a host has. */
export function namesOf({ hostName, stack }: Receiver) {
  return { host_name: hostName, stack_word: shellWord(stack) };
}

/**
 * Returns a script for a shell of the login user that becomes root, then runs a command with an input.
 *
 * @param become core/steps/lib/become.sh with its dependencies
 * @param input shell text, with a line break at its end
 */
export function rootEnvelope(receiver: Receiver, become: string, command: string, input: string): string {
  const { sudoPassword = "", configured } = receiver;
  const login_key = loginKeys(configured).login.slice("pillar-host:".length);
  return `${assignments({ ...namesOf(receiver), login_key, sudo_password: sudoPassword })}${become}
become_root ${command} <<'PILLAR_HOST_ROOT'
${input}PILLAR_HOST_ROOT
`;
}
