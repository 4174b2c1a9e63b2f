import { describe, expect } from "vitest";
import { packages } from "../../../core/steps/nodeSteps";
import { configOf } from "../../components/exampleConfig";
import { test } from "./boxed";
import { replaceAll, type Sandbox } from "./sandbox";

/** Runs the step on a host that has these commands and no others that it asks for. */
function install(box: Sandbox, tools: string, hourlyRestart = true) {
  const { script } = packages(configOf({ sync: { hourlyRestart } }));
  for (const name of ["dnf", "apt-get", "dpkg", "systemctl"]) {
    box.command(
      name,
      `echo "${name} $*" >> $sandbox/calls; [ -t 0 ] && exit 9; ${name === "dnf" ? "[ ! -e $sandbox/fails ]" : ":"}`,
    );
  }
  return box.run(
    replaceAll(box.local(script), [
      ['has() { command -v "$1" > /dev/null 2>&1; }', `has() { [[ " ${tools} " == *" $1 "* ]]; }`],
      ["[ -x /usr/bin/sudo ]", "has sudo"],
      ["[ -x /usr/sbin/service ]", "has service"],
    ]),
  );
}

describe("packages", () => {
  test("with dnf: index, upgrade, installation, run one by one; cron, sudo and service where the image lacks them", async ({
    box,
  }) => {
    const { code, stdout, stderr } = await install(box, "dnf unzip wget");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(box.read("calls")?.split("\n")).toEqual([
      "dnf -q -y makecache",
      "dnf -q -y upgrade",
      "dnf -q -y install unzip wget cronie sudo /usr/sbin/service",
      "systemctl enable --now crond",
      "",
    ]);
    expect(stdout.replace(/\d+ s/g, "N s").split("\n")).toEqual([
      "package index: done in N s",
      "upgrade: done in N s",
      "installing unzip wget cronie sudo /usr/sbin/service: done in N s",
      "cron: done in N s",
      "",
    ]);
    expect(box.read("state/packages.done")).toMatch(/^20\d\d-/);
  });

  test("with apt, on an image that has cron and sudo", async ({ box }) => {
    const { code } = await install(box, "apt-get crontab sudo unzip wget");
    expect(code).toBe(0);
    const calls = box.read("calls")?.replace(/ -o [^ ]+/g, "");
    expect(calls?.split("\n")).toEqual([
      "dpkg --configure -a --force-confdef --force-confold",
      "apt-get -q -y update",
      "apt-get -q -y upgrade",
      "apt-get -q -y install unzip wget",
      "",
    ]);
  });

  test("needs neither cron nor sudo where there is no hourly restart", async ({ box }) => {
    await install(box, "dnf unzip wget", false);
    expect(box.read("calls")).toContain("dnf -q -y install unzip wget\n");
    expect(box.read("calls")).not.toContain("systemctl");
  });

  test("is never repeated on a host that is past it", async ({ box }) => {
    box.mark("packages.done");
    expect((await install(box, "dnf")).stdout).toBe("done before, at 2026-01-02T03:04:05Z: not upgraded again\n");
    expect(box.read("calls")).toBeUndefined();
  });

  test("a failure names what failed and where its log is, and is not marked as done", async ({ box }) => {
    box.write("fails", "");
    const { code, stderr } = await install(box, "dnf");
    expect(code).toBe(1);
    expect(stderr).toContain("h: package index failed\n");
    expect(stderr).toContain(
      `The whole log: ${box.logs}/packages.log on the host. Fix what it says, then run pulumi up -s prod again.`,
    );
    expect(box.read("state/packages.done")).toBeUndefined();
  });

  test("a host without apt and dnf is refused", async ({ box }) => {
    expect(await install(box, "")).toEqual({
      code: 1,
      stdout: "",
      stderr: "h: no package manager\n  found: neither apt-get nor dnf\n  needed: one of them\n",
    });
  });
});
