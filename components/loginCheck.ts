import { reachDeps, waitForLogin } from "../core/ssh/reachability";
import type { SshTarget } from "../core/ssh/ssh";
import { commandsFor } from "../core/util/commands";
import { info } from "./log";

/** Checks a host's login before its first step, unless the first contact did: --target can leave the contact out. */
export interface LoginCheck {
  pass(): void;
  /** Logs in, once a run: the command plugin would try a refused login eleven times. @throws Error for the operator */
  check(target: SshTarget): Promise<void>;
}

export function createLoginCheck(
  stack: string,
  login: (target: SshTarget) => Promise<number> = reachDeps.login,
): LoginCheck {
  let checked: Promise<void> | undefined;
  return {
    pass: () => {
      checked = Promise.resolve();
    },
    check: (target) => {
      checked ??= waitForLogin(target, { ...reachDeps, login, say: (line) => void info(line) }, commandsFor(stack));
      return checked;
    },
  };
}
