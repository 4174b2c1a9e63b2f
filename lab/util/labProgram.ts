import { createHash } from "node:crypto";
import { readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build, type Plugin } from "esbuild";
import { onceARun } from "../testRun/onceARun";
import { checkout } from "../toolchain/version";
import { cached } from "./cache";

/** A module finds what lies beside it where its source lies; the entry alone is the file that was started. */
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
 * The command that runs a program of the lab from one file: tsx would look up and compile all of its modules again for
 * each lab of each test file, which took half of such a program's work.
 */
export async function labProgram(entry: string): Promise<string[]> {
  const text = (await onceARun(["program", entry], () => bundled(entry))).toString();
  // Of this checkout, whose libraries it takes: another one may be gone by the time that it starts.
  const version = createHash("sha256").update(`${checkout}\n${text}`).digest("hex").slice(0, 16);
  const directory = await cached("lab-program", version, async (dir) => {
    writeFileSync(join(dir, "main.mjs"), text);
    symlinkSync(join(checkout, "node_modules"), join(dir, "node_modules"));
  });
  // As the program itself reads its name: links followed.
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
