import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";
import { takeFirstLine } from "../../core/util/printable.ts";
import { realProgram } from "../real/realPrograms.ts";
import { cached, cachePath } from "../util/cache.ts";
import { step } from "../util/progress.ts";
import { buildGo, sourceHash } from "./go.ts";
import { checkout, pinnedVersion } from "./version.ts";

/** Provider plugins that the program needs, each with the npm package that pins its version. */
const table = {
  command: "@pulumi/command",
  hcloud: "@pulumi/hcloud",
  digitalocean: "@pulumi/digitalocean",
} as const;

/** Time for the download of a plugin: its build with Go takes as long. */
const downloadLimitMs = 120_000;

/** A provider plugin of the lab. */
export type PluginName = keyof typeof table;

/** `best` uses a real program if there is one, else the stand-in. `standIn` always uses the stand-in. */
export type PluginKind = "best" | "standIn";

export const allPlugins = Object.keys(table) as PluginName[];

/** A directory of provider plugins, laid out like `$PULUMI_HOME/plugins`. */
export interface Plugins {
  directory: string;
  source: string;
}

/**
 * Collects plugins in one directory. Each is the real one at hand (lab/real/realPrograms.ts), else the official one of
 * this machine, else the one that an official engine downloads, else the stand-in in lab/plugins. Builds only the
 * requested ones.
 * @param engine path of an official engine
 */
export async function ensurePlugins(
  names: readonly PluginName[],
  kind: PluginKind = "best",
  engine?: string,
): Promise<Plugins> {
  const found: Plugins[] = [];
  // The builds run one after another: they share nearly all modules, and parallel builds would compile them twice.
  for (const name of names) found.push(kind === "standIn" ? await standIn(name) : await ensurePlugin(name, engine));
  const directories = found.map(({ directory }) => directory).sort();
  const key = createHash("sha256").update(directories.join("\n")).digest("hex").slice(0, 12);
  const together = async (dir: string) => {
    for (const directory of directories) linkTree(directory, dir);
  };
  const source = found.map((plugin) => plugin.source).join(", ");
  return { directory: await cached("plugins", key, together), source };
}

async function ensurePlugin(name: PluginName, engine: string | undefined): Promise<Plugins> {
  const real = await realProgram(executableName(name));
  if (real) return asPlugins(name, real);
  const installed = path.join(os.homedir(), ".pulumi/plugins", directoryName(name));
  const version = pinnedVersion(table[name]);
  const official = [`plugin-${name}`, `official-${version}`] as const;
  const source = `${name} plugin ${version}, official`;
  if (fs.existsSync(path.join(installed, executableName(name)))) {
    const copy = async (dir: string): Promise<void> =>
      fs.cpSync(installed, path.join(dir, directoryName(name)), { recursive: true });
    return { directory: await cached(...official, copy), source };
  }
  // A built stand-in is not replaced: each run without the internet would try the download again.
  const isBuilt =
    !fs.existsSync(cachePath(...official)) && fs.existsSync(cachePath(`plugin-${name}`, standInKey(name)));
  if (engine === undefined || isBuilt) return standIn(name);
  try {
    return { directory: await cached(...official, (dir) => downloadPlugin(engine, name, dir)), source };
  } catch (error) {
    const reason = takeFirstLine((error as Error).message);
    console.error(`the ${name} plugin could not be downloaded, so its stand-in is built with Go: ${reason}`);
    return standIn(name);
  }
}

/** Downloads a plugin with an official engine, as an operator does. */
async function downloadPlugin(engine: string, name: PluginName, dir: string): Promise<void> {
  const home = path.join(dir, "home");
  await step(`download of the ${name} plugin`, async (progress) => {
    const child = execa(engine, ["plugin", "install", "resource", name, `v${pinnedVersion(table[name])}`], {
      env: { PULUMI_HOME: home, PULUMI_SKIP_UPDATE_CHECK: "true" },
      timeout: downloadLimitMs,
      all: true,
    });
    progress.follow(child.all);
    await child;
  });
  fs.renameSync(path.join(home, "plugins", directoryName(name)), path.join(dir, directoryName(name)));
  fs.rmSync(home, { recursive: true });
}

async function standIn(name: PluginName): Promise<Plugins> {
  const directory = await cached(`plugin-${name}`, standInKey(name), async (dir) => {
    fs.mkdirSync(path.join(dir, directoryName(name)));
    await buildGo(`build of the ${name} plugin's stand-in`, {
      module: standIns,
      package: [`./${name}`],
      output: path.join(dir, directoryName(name), executableName(name)),
      flags: ["-ldflags", "-s -w"],
    });
  });
  return { directory, source: `${name} plugin ${pinnedVersion(table[name])}, stand-in of lab/plugins` };
}

/** Wraps an executable as a plugin of the version that the package pins. The engine looks for that version. */
async function asPlugins(name: PluginName, executable: string): Promise<Plugins> {
  // The executable's directory is named after its content, so the name can be part of the cache key.
  const directory = await cached(
    `plugin-${path.basename(path.dirname(executable))}`,
    pinnedVersion(table[name]),
    async (dir) => {
      fs.mkdirSync(path.join(dir, directoryName(name)));
      fs.linkSync(executable, path.join(dir, directoryName(name), executableName(name)));
    },
  );
  return { directory, source: `${name} plugin, the real one at hand` };
}

/** Go module of all stand-ins. */
const standIns = path.join(checkout, "lab/plugins");

function standInKey(name: PluginName): string {
  const sources = [name, "shared"].map((room) => path.join(standIns, room));
  const modules = fs.readFileSync(path.join(standIns, "go.sum"), "utf8");
  return `stand-in-${sourceHash(sources, [pinnedVersion(table[name]), modules])}`;
}

function directoryName(name: PluginName): string {
  return `resource-${name}-v${pinnedVersion(table[name])}`;
}

function executableName<Name extends PluginName>(name: Name): `pulumi-resource-${Name}` {
  return `pulumi-resource-${name}`;
}

// Directories are created and only files are linked, because the engine ignores a linked plugin directory.
function linkTree(from: string, to: string): void {
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (!entry.isDirectory()) fs.symlinkSync(source, target);
    else {
      fs.mkdirSync(target);
      linkTree(source, target);
    }
  }
}
