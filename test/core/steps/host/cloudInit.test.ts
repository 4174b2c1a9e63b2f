import { expect } from "vitest";
import { cloudInit } from "../../../../core/steps/nodeSteps.ts";
import { type Sandbox, test } from "../sandbox.ts";

const keysOnly = "passwordauthentication no\nkbdinteractiveauthentication no";

/** Runs the step on a host where cloud-init says this, and sshd that of a login as root. */
function look(box: Sandbox, says = 'echo "status: done"', sshd = keysOnly, isUpgrading = true) {
  box.command("cloud-init", `echo "cloud-init $*" >> $sandbox/calls\n${says}`);
  box.command("sshd", `[[ $* == *user=root* ]] || exit 9; echo "port 22"; echo "${sshd}"`);
  box.command("dpkg", isUpgrading ? "exit 0" : "exit 1");
  box.command("apt-get", 'echo "apt-get $*" >> $sandbox/calls; [ ! -e $sandbox/offline ]');
  return box.run(box.local(cloudInit().script));
}

test("the end of cloud-init is waited for, once", async ({ box }) => {
  const stdout = "cloud-init is done; logins with keys only; unattended-upgrades is installed\n";
  expect(await look(box)).toEqual({ code: 0, stderr: "", stdout });
  expect(box.read("calls")).toBe("cloud-init status --wait --long\n");
  expect((await look(box, "exit 1")).stdout).toMatch(/^cloud-init was done at 20/);
});

const passwords = "PasswordAuthentication yes";
const prompts = "passwordauthentication no\nkbdinteractiveauthentication yes";
test.for([
  [
    "there was an error",
    ['echo "status: error"; echo "detail:"; echo "  - no such module"; exit 1'],
    "h: cloud-init did not do all of its tasks\n  status: error\n  detail:\n    - no such module\n  Nothing runs on this host yet. To delete its server and make another:\n" +
      "  pulumi config set --path pillar-host:lifecycle retiring -s prod && pulumi up -s prod && pulumi destroy -s prod\n" +
      "  pulumi config rm --path pillar-host:lifecycle -s prod && pulumi up -s prod\n",
  ],
  ["it does not end", ['echo "status: running"; exit 124'], "cloud-init did not end within 900 s\n  status: running\n"],
  ["sshd accepts passwords", [undefined, passwords], `h: logins with a password are not off\n  found: ${passwords}\n`],
  [
    "PAM asks for passwords",
    [undefined, prompts],
    `h: logins with a password are not off\n  found: ${prompts.replace("\n", "\n  ")}\n`,
  ],
  ["no upgrades can be had", [undefined, undefined, false], "h: security upgrades could not be turned on\n"],
] as const)("the step fails if %s", async ([, [says, sshd, isUpgrading], words], { box }) => {
  box.write("offline", "");
  expect(await look(box, says, sshd, isUpgrading)).toMatchObject({ code: 1, stderr: expect.stringContaining(words) });
});
