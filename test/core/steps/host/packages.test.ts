import { expect } from "vitest";
import { packages } from "../../../../core/steps/nodeSteps.ts";
import { configOf } from "../../../components/exampleConfig.ts";
import { replaceAll, type Sandbox, test } from "../sandbox.ts";

const all = "unzip wget git perl file";

/** Runs the step on a host that has these commands and no others that it asks for. Returns the calls, too. */
async function install(box: Sandbox, { tools = all, hourlyRestart = true, headers = "yes", update = "" }) {
  const { script } = packages(configOf({ sync: { hourlyRestart } }));
  for (const name of ["apt-get", "dpkg"])
    box.command(
      name,
      `echo "${name} $*" >> $sandbox/calls; [ -t 0 ] && exit 9; [ ! -e $sandbox/fails ] || exit 1; [[ $* != *" update" ]] || { ${update || ":"}; }`,
    );
  const ran = await box.run(
    replaceAll(box.local(script), [
      ['has() { command -v "$1" > /dev/null 2>&1; }', `has() { [[ " ${tools} " == *" $1 "* ]]; }`],
      ["[ -x /usr/bin/sudo ]", "has sudo"],
      ['=$(LC_ALL=C apt-get -s install "$kernel_headers" 2>&1)', `='${headers}'; [ "${headers}" = yes ]`],
      ["sleep 3", "sleep 0.01"],
    ]),
  );
  return { ...ran, calls: box.read("calls")?.replace(/ -o [^ ]+/g, "") };
}

test("packages are installed one by one, with cron and sudo if the image lacks them, and once", async ({ box }) => {
  const { code, stdout, stderr, calls } = await install(box, {});
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(calls).toBe(
    "dpkg --configure -a --force-confdef --force-confold\napt-get -q -y update\napt-get -q -y upgrade\n" +
      "apt-get -q -y install unzip wget git perl file cron sudo\n",
  );
  expect(stdout.replace(/\d+ s/g, "N s")).toBe(
    "unfinished installations: done in N s\npackage index: done in N s\nupgrade: done in N s\n" +
      "installing unzip wget git perl file cron sudo: done in N s\n",
  );
  expect(box.read("state/packages.done")).toMatch(/^20\d\d-/);
  const again = await install(box, { tools: "" });
  expect(again.stdout).toMatch(/^done before, at .*: not upgraded again\n/);
  expect(again.calls).toBe(calls);
});

test.for([
  ["on an image that has them", { tools: `crontab sudo ${all}` }],
  ["without an hourly restart", { hourlyRestart: false }],
] as const)("cron and sudo are not installed %s", async ([, host], { box }) => {
  expect((await install(box, host)).calls).toContain("apt-get -q -y install unzip wget git perl file\n");
});

test("an empty package takes the place of missing kernel headers", async ({ box }) => {
  box.command("dpkg-deb", 'cp "$2/DEBIAN/control" $sandbox/control; echo "dpkg-deb $1" >> $sandbox/calls');
  const { code, calls } = await install(box, { headers: "Unable to locate package" });
  expect([code, calls]).toEqual([0, expect.stringMatching(/\ndpkg-deb --build\ndpkg --install .*\.deb\n$/)]);
  expect(box.read("control")).toContain("Package: linux-kernel-headers\nVersion: 0\nArchitecture: all\n");
});

const noRelease = "E: The repository 'https://x.example ./' has no Release file.";
test("a source that does not answer is a warning if all packages are available", async ({ box }) => {
  const { code, stdout } = await install(box, { update: `echo "${noRelease}"; exit 100` });
  expect([code, stdout]).toEqual([0, expect.stringContaining(`nothing of them is needed here: ${noRelease}\n`)]);
});

test.for([
  [
    "an unmet dependency",
    "E: Unmet dependencies. Try 'apt --fix-broken install'",
    "needed: apt-get --fix-broken install",
  ],
  ["a release past its end", "Err:1 https://x.example 404  Not Found", "Is the distribution past its end?"],
  [
    "a resolver without an answer",
    "Err:1 Temporary failure resolving 'x.example'",
    "needed: a way from the host to its",
  ],
  [
    "a package's own script that fails, and what depends on it",
    "dpkg: error processing package a: post-installation script subprocess returned error exit status 1; dependency problems - leaving unconfigured",
    undefined,
  ],
  [
    "packages that are held",
    "x : Depends: y. E: Unable to correct problems, you have held broken packages.",
    undefined,
  ],
  [
    "a wrong clock",
    "E: Release file for https://x.example is not valid yet (invalid for another 3h)",
    "needed: the right time on the host; it says 20",
  ],
  [
    "a disk without room, on which a package's own script fails",
    "update-initramfs: No space left on device. dpkg: post-installation script subprocess returned error exit status 1",
    "needed: room (apt-get clean frees some). Nearly full: / /boot /var\n",
  ],
  ["anything else", "E: Sub-process bash returned an error code", undefined],
] as const)("the step names a cure only for the cause that apt shows: %s", async ([, output, cure], { box }) => {
  const full = "echo '/dev/a 9000 8900 100 98% /'; echo '/dev/b 500 420 80 85% /boot'; echo '/dev/c 90 1 89 1% /data'";
  const pseudo = "[[ $* == *'-x tmpfs'*'-x efivarfs'* ]] || echo 'tmpfs 5 5 0 100% /run/lock'";
  box.command("df", `echo head; case $1 in -Pi) echo '/dev/d 9 9 0 100% /var' ;; *) ${full}; ${pseudo} ;; esac`);
  // The sources' packages are not there either.
  box.write("broken", "");
  const update = `echo "${output}"; touch $sandbox/fails; exit 100`;
  const { code, stderr } = await install(box, { update });
  expect([code, stderr]).toEqual([1, expect.stringContaining(`  ${output}\n`)]);
  const cures = /(needed: |Is the distribution).*\n/.exec(stderr)?.[0];
  expect(cures).toEqual(cure === undefined ? undefined : expect.stringContaining(cure));
});

test.for([
  ["apt fails otherwise on headers", { headers: "E: Unmet dependencies" }, "  found: E: Unmet dependencies\n"],
  ["a command fails", { update: "exit 100" }, "packages.log on the host. Fix what it says, then run pulumi up -s"],
] as const)("the step ends, and is not marked as done, if %s", async ([, host, words], { box }) => {
  if ("update" in host) box.write("fails", "");
  const { code, stderr } = await install(box, host);
  expect([code, stderr, box.read("state/packages.done")]).toEqual([1, expect.stringContaining(words), undefined]);
});
