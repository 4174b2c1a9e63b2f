import { quoteShellWord } from "../util/quote";
import { formatAssignments } from "./shellWords";
import { createLoginKeys } from "./ssh";

export interface Receiver {
  readonly hostName: string;
  readonly stack: string;
  /** `pillar-host:ssh` if left out. */
  readonly configured?: string | undefined;
  /** Secret: goes through standard input, never into a command line. */
  readonly sudoPassword?: string | undefined;
}

export function createHostVariables({ hostName, stack }: Receiver) {
  return { host_name: hostName, stack_word: quoteShellWord(stack) };
}

/**
 * Returns a script for the login user's shell that becomes root with core/steps/lib/become.sh, then runs a command with
 * an input: shell text, with a line break at its end.
 */
export function createRootEnvelope(receiver: Receiver, become: string, command: string, input: string): string {
  const { sudoPassword = "", configured } = receiver;
  const login_key = createLoginKeys(configured).login.slice("pillar-host:".length);
  return `${formatAssignments({ ...createHostVariables(receiver), login_key, sudo_password: sudoPassword })}${become}
become_root ${command} <<'PILLAR_HOST_ROOT'
${input}PILLAR_HOST_ROOT
`;
}
