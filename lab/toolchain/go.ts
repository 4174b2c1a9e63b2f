import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { findGoFault } from "../util/machine.cjs";
import { step } from "../util/progress.ts";

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
  const fault = findGoFault(build.module);
  if (fault) throw new Error(fault);
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
