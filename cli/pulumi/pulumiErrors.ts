import { anyStack, commandsFor } from "../../core/util/commands";
import { formatProblem, type Problem } from "../../core/util/problem";

/** True if pulumi needs a pass phrase and can't ask for it, because its output is captured. */
export function isPassphraseMissing(stderr: string): boolean {
  return /passphrase must be set/.test(stderr);
}

export function formatPulumiError(command: string, stack: string, stderr: string): string {
  const problems: readonly (readonly [RegExp, Problem])[] = [
    [
      /no stack named/,
      {
        what: `there is no stack ${stack} here`,
        needed: `name a stack that \`${anyStack.list}\` lists; check the current directory, and the backend (${anyStack.whoami})`,
        next: `To make a new stack: ${commandsFor(stack).init}`,
      },
    ],
    [
      /incorrect passphrase/,
      {
        what: `the pass phrase does not open stack ${stack}`,
        needed: "give the pass phrase that was chosen when the stack was made",
        next: "Type the pass phrase, or set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE",
      },
    ],
    [
      /passphrase must be set/,
      {
        what: `stack ${stack} needs its pass phrase`,
        needed: "run the command in a terminal, or set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE",
      },
    ],
    [
      /no Pulumi\.yaml/,
      { what: "there is no Pulumi.yaml here", needed: "change to the program's directory (cd pillar-host)" },
    ],
    [
      /PULUMI_ACCESS_TOKEN must be set|not (yet )?logged in|pulumi login/,
      {
        what: "pulumi is not logged in to a backend",
        needed: `log in to the backend with your stacks: ${anyStack.login}`,
      },
    ],
  ];
  const problem = problems.find(([pattern]) => pattern.test(stderr))?.[1];
  if (problem) return formatProblem(problem);
  const said = stderr.trim().replace(/^error: /gm, "");
  return `pulumi ${command} failed${said === "" ? "" : `: ${said}`}`;
}
