import { anyStack, commandsFor } from "../../core/util/commands";
import { formatProblem } from "../../core/util/problem";

/** True if pulumi needs a pass phrase and can't ask for it, because its output is captured. */
export function isPassphraseMissing(stderr: string): boolean {
  return /passphrase must be set/.test(stderr);
}

const passphraseVariables = "set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE";

export function formatPulumiError(command: string, stack: string, stderr: string): string {
  const problems: readonly (readonly [pattern: RegExp, what: string, needed: string])[] = [
    [
      /no stack named/,
      `there is no stack ${stack} here`,
      `name a stack that \`${anyStack.list}\` lists (backend: ${anyStack.whoami}), or make it: ${commandsFor(stack).init}`,
    ],
    [
      /incorrect passphrase/,
      `the pass phrase does not open stack ${stack}`,
      `type the pass phrase that was chosen when the stack was made, or ${passphraseVariables}`,
    ],
    [
      /passphrase must be set/,
      `stack ${stack} needs its pass phrase`,
      `run the command in a terminal, or ${passphraseVariables}`,
    ],
    [/no Pulumi\.yaml/, "there is no Pulumi.yaml here", "change to the program's directory (cd pillar-host)"],
    [
      /PULUMI_ACCESS_TOKEN must be set|not (yet )?logged in|pulumi login/,
      "pulumi is not logged in to a backend",
      `log in to the backend with your stacks: ${anyStack.login}`,
    ],
  ];
  const [, what, needed] = problems.find(([pattern]) => pattern.test(stderr)) ?? [];
  if (what !== undefined) return formatProblem({ what, needed });
  const said = stderr.trim().replace(/^error: /gm, "");
  return `pulumi ${command} failed${said === "" ? "" : `: ${said}`}`;
}
