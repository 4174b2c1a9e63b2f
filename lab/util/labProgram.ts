import { createHash } from "node:crypto";
import { readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build, type Plugin } from "esbuild";
import { onceARun } from "../testRun/onceARun.ts";
import { checkout } from "../toolchain/version.ts";
import { cached } from "./cache.ts";

/**
 * Returns a plugin that gives each module the directory of its source, where the files beside it are. The entry alone
 * keeps its own file name, to tell that it was started.
 */
const atItsSource = (entry: string): Plugin => ({
  name: "at its source",
  setup({ onLoad }) {
    onLoad({ filter: /\.m?ts$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8").replaceAll("import.meta.dirname", JSON.stringify(dirname(path)));
      const own = path === entry ? text : text.replaceAll("import.meta.filename", JSON.stringify(path));
      return { contents: own, loader: "ts" };
    });
  },
});

/**
 * Returns a command that runs a program of the lab from one file. tsx would look up and compile all of its modules
 * again for each lab of each test file: half of such a program's work.
 */
export async function labProgram(entry: string): Promise<string[]> {
  const text = (await onceARun(["program", entry], () => bundled(entry))).toString();
  // The version depends on this checkout, whose libraries the program uses: another checkout may be gone when it
  // starts.
  const version = createHash("sha256").update(`${checkout}\n${text}`).digest("hex").slice(0, 16);
  const directory = await cached("lab-program", version, async (dir) => {
    writeFileSync(join(dir, "main.mjs"), text);
    symlinkSync(join(checkout, "node_modules"), join(dir, "node_modules"));
  });
  // The program reads its own name with links followed.
  return [process.execPath, realpathSync(join(directory, "main.mjs"))];
}

async function bundled(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node22",
    packages: "external",
    plugins: [atItsSource(entry)],
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}
