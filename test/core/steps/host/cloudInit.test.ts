import { describe, expect } from "vitest";
import { cloudInit } from "../../../../core/steps/nodeSteps";
import { test } from "../boxed";
import type { Sandbox } from "../sandbox";

/** Runs the step on a host where cloud-init says this and sshd that. */
function look(box: Sandbox, says: string, sshd = "passwordauthentication no", isUpgrading = true) {
  box.command("cloud-init", `echo "cloud-init $*" >> $sandbox/calls\n${says}`);
  box.command("sshd", `echo "port 22"; echo "${sshd}"`);
  box.command("dpkg", isUpgrading ? "exit 0" : "exit 1");
  box.command("apt-get", 'echo "apt-get $*" >> $sandbox/calls; [ ! -e $sandbox/offline ]');
  return box.run(box.local(cloudInit().script));
}

describe("the end of cloud-init", () => {
  test("is waited for, once", async ({ box }) => {
    const first = await look(box, 'echo "status: done"');
    expect(first).toEqual({
      code: 0,
      stderr: "",
      stdout: "cloud-init is done; logins with keys only, security upgrades without a restart\n",
    });
    expect(box.read("calls")).toBe("cloud-init status --wait --long\n");
    const second = await look(box, "exit 1");
    expect(second.stdout).toMatch(/^cloud-init was done at 20/);
  });

  test("is reported with its reasons if there was an error", async ({ box }) => {
    const { code, stderr } = await look(box, 'echo "status: error"; echo "detail:"; echo "  - no such module"; exit 1');
    expect(code).toBe(1);
    expect(stderr.split("\n")).toEqual(
      expect.arrayContaining([
        "h: cloud-init did not do all of its tasks",
        "  status: error",
        "  detail:",
        "    - no such module",
      ]),
    );
    expect(stderr).toContain(
      "  pulumi config set --path pillar-host:lifecycle retiring -s prod && pulumi up -s prod && pulumi destroy -s prod\n" +
        "  pulumi config rm --path pillar-host:lifecycle -s prod && pulumi up -s prod\n",
    );
  });

  test("is reported if it does not come", async ({ box }) => {
    const { code, stderr } = await look(box, 'echo "status: running"; exit 124');
    expect(code).toBe(1);
    expect(stderr).toContain("h: cloud-init did not end within 900 s\n  status: running\n");
  });

  test("does not count while sshd accepts passwords", async ({ box }) => {
    const { code, stderr } = await look(box, 'echo "status: done"', "PasswordAuthentication yes");
    expect(code).toBe(1);
    expect(stderr).toContain("h: logins with a password are not off\n  found: PasswordAuthentication yes\n");
  });

  test("is followed by unattended upgrades if the image lacks them", async ({ box }) => {
    const { code } = await look(box, 'echo "status: done"', "passwordauthentication no", false);
    expect(code).toBe(0);
    expect(box.read("calls")).toMatch(/apt-get .*update\napt-get .*install unattended-upgrades\n/);
  });

  test("reports an image that can't get them", async ({ box }) => {
    box.write("offline", "");
    const { code, stderr } = await look(box, 'echo "status: done"', "passwordauthentication no", false);
    expect(code).toBe(1);
    expect(stderr).toContain("h: security upgrades could not be turned on\n");
  });
});
