import { anyStack, commandsFor } from "../../core/util/commands";

/** True if pulumi needs a pass phrase and can't ask for it, because its output is captured. */
export function isPassphraseMissing(stderr: string): boolean {
  return /passphrase must be set/.test(stderr);
}

export function formatPulumiError(command: string, stack: string, stderr: string): string {
  const known: readonly (readonly [RegExp, string])[] = [
    [
      /no stack named/,
      `there is no stack ${stack} here\n  needed: one of \`${anyStack.list}\`; is this its program's directory, and its backend (${anyStack.whoami})?\n  A new one is made with: ${commandsFor(stack).init}`,
    ],
    [
      /incorrect passphrase/,
      `the pass phrase does not open stack ${stack}\n  needed: the one that was typed when the stack was made, or in PULUMI_CONFIG_PASSPHRASE or the file at PULUMI_CONFIG_PASSPHRASE_FILE`,
    ],
    [
      /passphrase must be set/,
      `stack ${stack} has a pass phrase\n  needed: a terminal to ask in, or PULUMI_CONFIG_PASSPHRASE, or the file at PULUMI_CONFIG_PASSPHRASE_FILE`,
    ],
    [/no Pulumi\.yaml/, "there is no Pulumi.yaml here\n  needed: the program's directory (cd pillar-host)"],
    [
      /PULUMI_ACCESS_TOKEN must be set|not (yet )?logged in|pulumi login/,
      `pulumi is not logged in to a backend\n  needed: ${anyStack.login}, to where your stacks are`,
    ],
  ];
  const found = known.find(([pattern]) => pattern.test(stderr));
  if (found) return found[1];
  const said = stderr.trim().replace(/^error: /gm, "");
  return `pulumi ${command} failed${said === "" ? "" : `: ${said}`}`;
}
