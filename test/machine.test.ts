import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, describe, expect, test, vi } from "vitest";
import { findGoFault, findMachineFault } from "../lab/util/machine.cjs";
import packageJson from "../package.json" with { type: "json" };
import { scratchDirectory } from "./scratchDirectory.ts";

const work = scratchDirectory();
const lab = join(import.meta.dirname, "../lab");

afterEach(() => void vi.unstubAllEnvs());

/** Puts a `go` into PATH that prints this, and where it was asked, and a module that requires Go 1.26.6. */
function withGo(answer: string | undefined, code = 0): string {
  const module = join(work(), "module");
  mkdirSync(module, { recursive: true });
  writeFileSync(join(module, "go.mod"), "module x\n\ngo 1.26.6\n");
  const file = join(work(), "go");
  if (answer !== undefined) writeFileSync(file, `#!/bin/sh\n[ -e go.mod ] || echo go1.1\n${answer}\nexit ${code}\n`);
  if (answer !== undefined) chmodSync(file, 0o755);
  vi.stubEnv("PATH", work());
  return module;
}

describe("a machine that can't run the lab is told what it needs", () => {
  test("Windows: WSL 2", () => {
    expect(findMachineFault("npm test", { platform: "win32", arch: "x64" })).toBe(
      "npm test boots test hosts on this machine\n" +
        "  found: Windows\n" +
        "  needed: Linux: WSL 2, and there the same command\n" +
        "    wsl --install -d Ubuntu-24.04",
    );
  });

  test("a Mac: a virtual machine, but not on Apple's processors, which run none of x86-64", () => {
    const fault = (arch: string) => findMachineFault("npm run demo", { platform: "darwin", arch, uid: 0 });
    expect(fault("x64")).toBe(
      "npm run demo boots test hosts on this machine\n" +
        "  found: a Mac\n" +
        "  needed: Linux, for example in a virtual machine:\n" +
        "    multipass launch 24.04 -n pillar -c 4 -m 8G -d 30G\n" +
        "    multipass shell pillar",
    );
    expect(fault("arm64")).toMatch(/found: a Mac, arm64\n {2}needed: Linux on x86-64, for example a rented server/);
  });

  test("Linux: x86-64, and root with the user's PATH", () => {
    const fault = (arch: string, uid: number) => findMachineFault("npm run lab", { platform: "linux", arch, uid });
    expect(fault("arm64", 0)).toContain("found: linux, arm64");
    expect(fault("x64", 1000)).toBe(
      "npm run lab boots test hosts on this machine\n" +
        "  found: user 1000\n" +
        "  needed: root:\n" +
        '    sudo env "PATH=$PATH" npm run lab',
    );
    expect(fault("x64", 0)).toBeUndefined();
  });
});

describe("Go", () => {
  test.each(["go1.26.6", "go1.26.10", "go1.27.0", "go1.27rc1", "go2.0.0"])("is new enough: %s", (version) => {
    expect(findGoFault(withGo(`echo ${version}`))).toBeUndefined();
  });

  test("is asked in the module's directory; an older one is refused, with both ways out", () => {
    expect(findGoFault(withGo("echo go1.26.5"))).toBe(
      "the lab builds its tools with Go, or uses a Pulumi that is installed\n" +
        "  found: go1.26.5\n" +
        "  needed: one of them in PATH, and then the same command: Go 1.26.6 or newer,\n" +
        "    https://go.dev/dl\n" +
        "    https://www.pulumi.com/docs/install/",
    );
  });

  test("is missing: sudo may hide it", () => {
    expect(findGoFault(withGo(undefined), "npm run demo")).toMatch(
      /found: no go in PATH\n[\s\S]*sudo may hide it; try:\n {4}sudo env "PATH=\$PATH" npm run demo$/,
    );
  });

  test("can't fetch the version that the module requires: its own words", () => {
    expect(findGoFault(withGo("echo 'go: download go1.26.6: no route' >&2", 1))).toContain(
      "found: go: download go1.26.6: no route",
    );
  });
});

test("the check runs before anything is installed, in every command that boots hosts, and stops it", async () => {
  for (const name of ["test", "test:long", "lab", "bench"] as const)
    expect(packageJson.scripts[name]).toMatch(/^node lab\/util\/machine\.cjs && /);
  expect(packageJson.scripts.demo).toBe("node lab/demo/start.cjs");
  const stopped = async (file: string, npm_lifecycle_event: string) => {
    const env = { PATH: work(), XDG_CACHE_HOME: work(), npm_lifecycle_event };
    const run = await execa(process.execPath, [join(lab, file)], { env, extendEnv: false, reject: false });
    expect(run.exitCode).toBe(2);
    return run.stderr;
  };
  expect(await stopped("demo/start.cjs", "demo")).toMatch(
    /needed: [\s\S]*\n {2}Or watch a recorded run: npm run demo -- --replay$/,
  );
  expect(await stopped("util/machine.cjs", "test")).toMatch(
    /^(npm test boots test hosts on this machine|the lab builds its tools with Go)[\s\S]*needed: /,
  );
});
