import { shellWord } from "../util/quote";
import { assignments } from "./shellWords";

/** A host on which something is to run as root. */
export interface Receiver {
  readonly hostName: string;
  /** Whose host it is: what an operator is told to type names it. */
  readonly stack: string;
  /** A secret: it goes through standard input, never into a command line. */
  readonly sudoPassword?: string | undefined;
}

/** What every script on a host knows of it (pure). */
export function namesOf({ hostName, stack }: Receiver) {
  return { host_name: hostName, stack_word: shellWord(stack) };
}

/**
 * What is sent to a shell of the login user: becomes root, then runs a command there with this input (pure).
 *
 * @param become core/steps/become.sh, and what it needs
 * @param input shell text, with a line break at its end
 */
export function rootEnvelope(receiver: Receiver, become: string, command: string, input: string): string {
  const { sudoPassword = "" } = receiver;
  return `${assignments({ ...namesOf(receiver), sudo_password: sudoPassword })}${become}
become_root ${command} <<'PILLAR_HOST_ROOT'
${input}PILLAR_HOST_ROOT
`;
}
