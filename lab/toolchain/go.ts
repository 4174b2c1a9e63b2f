import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { step } from "../util/progress.ts";

const GO_NEEDED = [1, 26] as const;

/** Build of one executable from Go modules. */
export interface GoBuild {
  /** Directory with the go.mod and go.sum that pin every module. */
  module: string;
  /** Import path of the main package, or its files. */
  package: readonly string[];
  output: string;
  flags?: readonly string[];
}

/** Builds from a committed go.mod and go.sum, and shows the current package. */
export async function buildGo(title: string, build: GoBuild): Promise<void> {
  requireGo();
  const args = ["build", "-v", "-buildvcs=false", "-trimpath", ...(build.flags ?? []), "-o", build.output];
  await step(title, async (progress) => {
    const child = execa("go", [...args, ...build.package], {
      cwd: build.module,
      // The user's GOFLAGS or workspace must not change the build.
      env: { CGO_ENABLED: "0", GOFLAGS: "-mod=readonly", GOWORK: "off" },
      all: true,
    });
    progress.follow(child.all);
    await child;
  });
}

/** Checks that Go is installed and new enough before minutes are spent on a build that must fail. */
export function requireGo(): void {
  const needed = GO_NEEDED.join(".");
  const remedy = `install Go ${needed} or newer and put it on PATH`;
  let found: string;
  try {
    found = execFileSync("go", ["env", "GOVERSION"], { encoding: "utf8", cwd: "/" }).trim();
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === "ENOENT" ? "not on PATH" : String(error);
    throw new Error(
      `Go is needed to build the lab's tools.\n  found:  ${reason}\n  needed: ${needed}\n  do:     ${remedy}`,
    );
  }
  const [major = 0, minor = 0] = found.replace(/^go/, "").split(".").map(Number.parseFloat);
  if (major > GO_NEEDED[0] || (major === GO_NEEDED[0] && minor >= GO_NEEDED[1])) return;
  throw new Error(
    `Go is too old to build the lab's tools.\n  found:  ${found}\n  needed: ${needed}\n  do:     ${remedy}`,
  );
}

/** Returns twelve hex digits that change with any Go file below `directories` and with `extra`. */
export function sourceHash(directories: readonly string[], extra: readonly string[] = []): string {
  const hash = createHash("sha256").update(JSON.stringify(extra));
  for (const directory of directories) {
    const files = fs.readdirSync(directory, { recursive: true, encoding: "utf8" }).sort();
    for (const file of files) {
      if (/\.go$|^go\.(mod|sum)$/.test(file)) {
        hash
          .update(`${file}\0`)
          .update(fs.readFileSync(path.join(directory, file)))
          .update("\0");
      }
    }
  }
  return hash.digest("hex").slice(0, 12);
}
