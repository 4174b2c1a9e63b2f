import { describe, expect } from "vitest";
import { packages } from "../../../../core/steps/nodeSteps";
import { configOf } from "../../../components/exampleConfig";
import { test } from "../boxed";
import { replaceAll, type Sandbox } from "../sandbox";

/** Runs the step on a host that has these commands and no others that it asks for. */
function install(box: Sandbox, tools: string, hourlyRestart = true, headers = "yes") {
  const { script } = packages(configOf({ sync: { hourlyRestart } }));
  for (const name of ["apt-get", "dpkg"]) {
    box.command(
      name,
      `echo "${name} $*" >> $sandbox/calls; [ -t 0 ] && exit 9; [ ! -e $sandbox/fails ] && { [ "$3" != update ] && [[ $* != *" update" ]] || [ ! -e $sandbox/offline ] || { echo "E: The repository 'https://x.example ./' has no Release file."; exit 100; }; }`,
    );
  }
  return box.run(
    replaceAll(box.local(script), [
      ['has() { command -v "$1" > /dev/null 2>&1; }', `has() { [[ " ${tools} " == *" $1 "* ]]; }`],
      ["[ -x /usr/bin/sudo ]", "has sudo"],
      [
        'headers_said=$(LC_ALL=C apt-get -s install "$kernel_headers" 2>&1)',
        `headers_said='${headers}'; [ "${headers}" = yes ]`,
      ],
    ]),
  );
}

const all = "unzip wget git perl file";

const called = (box: Sandbox) =>
  box
    .read("calls")
    ?.replace(/ -o [^ ]+/g, "")
    .split("\n");

describe("packages", () => {
  test("are installed one by one, with cron and sudo if the image lacks them", async ({ box }) => {
    const { code, stdout, stderr } = await install(box, all);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(called(box)).toEqual([
      "dpkg --configure -a --force-confdef --force-confold",
      "apt-get -q -y update",
      "apt-get -q -y upgrade",
      "apt-get -q -y install unzip wget git perl file cron sudo",
      "",
    ]);
    expect(stdout.replace(/\d+ s/g, "N s").split("\n")).toEqual([
      "unfinished installations: done in N s",
      "package index: done in N s",
      "upgrade: done in N s",
      "installing unzip wget git perl file cron sudo: done in N s",
      "",
    ]);
    expect(box.read("state/packages.done")).toMatch(/^20\d\d-/);
  });

  test("need neither cron nor sudo on an image that has them", async ({ box }) => {
    await install(box, `crontab sudo ${all}`);
    expect(called(box)).toContain("apt-get -q -y install unzip wget git perl file");
  });

  test("need neither cron nor sudo without an hourly restart", async ({ box }) => {
    await install(box, all, false);
    expect(called(box)).toContain("apt-get -q -y install unzip wget git perl file");
  });

  test("get an empty package in place of missing kernel headers", async ({ box }) => {
    box.command("dpkg-deb", 'cp "$2/DEBIAN/control" $sandbox/control; echo "dpkg-deb $1" >> $sandbox/calls');
    const { code, stdout } = await install(box, all, false, "Unable to locate package");
    expect(code).toBe(0);
    expect(stdout).toContain("empty package linux-kernel-headers: done in");
    expect(called(box)?.slice(-3)).toEqual(["dpkg-deb --build", expect.stringMatching(/^dpkg --install .*\.deb$/), ""]);
    expect(box.read("control")).toContain("Package: linux-kernel-headers\nVersion: 0\nArchitecture: all\n");
  });

  test("fail if one is missing after its installation", async ({ box }) => {
    const { code, stderr } = await install(box, "unzip wget perl file");
    expect(code).toBe(1);
    expect(stderr).toContain("needed: unzip, wget, git, perl and file\n");
  });

  test("warns about a source that does not answer if all packages are available", async ({ box }) => {
    box.write("offline", "");
    const { code, stdout } = await install(box, all);
    expect(code).toBe(0);
    expect(stdout).toContain(
      "warning: package index: some sources do not answer, and nothing of them is needed here: E: The repository 'https://x.example ./' has no Release file.\n",
    );
  });

  test("ends the step with apt's words if apt fails otherwise on the kernel headers", async ({ box }) => {
    const { code, stderr } = await install(box, all, true, "E: Unmet dependencies");
    expect(code).toBe(1);
    expect(stderr).toContain("h: apt does not say whether it has linux-kernel-headers");
    expect(stderr).toContain("  found: E: Unmet dependencies\n");
  });

  test("are not repeated on a host that has them", async ({ box }) => {
    box.mark("packages.done");
    expect((await install(box, "")).stdout).toBe("done before, at 2026-01-02T03:04:05Z: not upgraded again\n");
    expect(box.read("calls")).toBeUndefined();
  });

  test("fail with the name and the log, and are not marked as done", async ({ box }) => {
    box.write("fails", "");
    const { code, stderr } = await install(box, "");
    expect(code).toBe(1);
    expect(stderr).toContain("h: unfinished installations failed\n");
    expect(stderr).toContain(
      `The whole log: ${box.logs}/packages.log on the host. Fix what it says, then run pulumi up -s prod again.`,
    );
    expect(box.read("state/packages.done")).toBeUndefined();
  });
});
