import { shellWord } from "../util/quote";
import { assignments } from "./shellWords";
import { loginKeys } from "./ssh";

/** A host on which something is to run as root. */
export interface Receiver {
  readonly hostName: string;
  /** Whose host it is: what an operator is told to type names it. */
  readonly stack: string;
  /** The key of the configuration that says how it is logged in to; `pillar-host:ssh` where it is left out. */
  readonly configured?: string | undefined;
  /** A secret: it goes through standard input, never into a command line. */
  readonly sudoPassword?: string | undefined;
}

/** What every script on a host knows of it. */
export function namesOf({ hostName, stack }: Receiver) {
  return { host_name: hostName, stack_word: shellWord(stack) };
}

/**
 * What is sent to a shell of the login user: becomes root, then runs a command there with this input.
 *
 * @param become core/steps/lib/become.sh, and what it needs
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
