import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { realProgram } from "../real/realPrograms";
import { cached, cachePath } from "../util/cache";
import { step } from "../util/progress";
import { officialPlugins, officialReachable } from "./download";
import { buildGo, sourceHash } from "./go";
import { run } from "./run";
import { checkout, pinnedVersion } from "./version";

const INSTALL_LIMIT_MS = 120_000;

/** The provider plugins that the program needs, each with the npm package that pins its version. */
const table = {
  command: "@pulumi/command",
  hcloud: "@pulumi/hcloud",
  digitalocean: "@pulumi/digitalocean",
} as const;

/** A provider plugin of the lab. */
export type PluginName = keyof typeof table;

/** Which program is taken: a real one where it is to be had, else the stand-in; or the stand-in whatever there is. */
export type PluginKind = "best" | "standIn";

export const allPlugins = Object.keys(table) as PluginName[];

/** A directory of provider plugins, laid out as `$PULUMI_HOME/plugins`. */
export interface Plugins {
  directory: string;
  source: string;
}

/**
 * These plugins in one directory, each the real one that lies at hand (lab/real/realPrograms.ts), else the official one where it is
 * to be had, else the stand-in of lab/plugins. Only what is asked for is downloaded or built.
 */
export async function ensurePlugins(
  pulumi: string,
  names: readonly PluginName[],
  kind: PluginKind = "best",
): Promise<Plugins> {
  const found: Plugins[] = [];
  // One after the other: they share nearly all their modules, which two builds at once would both compile.
  for (const name of names) found.push(kind === "standIn" ? await standIn(name) : await ensurePlugin(pulumi, name));
  const directories = found.map(({ directory }) => directory).sort();
  const key = createHash("sha256").update(directories.join("\n")).digest("hex").slice(0, 12);
  const together = async (dir: string) => {
    for (const directory of directories) linkTree(directory, dir);
  };
  const source = found.map((plugin) => plugin.source).join(", ");
  return { directory: await cached("plugins", key, together), source };
}

async function ensurePlugin(pulumi: string, name: PluginName): Promise<Plugins> {
  const real = await realProgram(executableName(name));
  if (real) return asPlugins(name, real);
  const version = pinnedVersion(table[name]);
  const cacheName = `plugin-${name}`;
  const official = `official-${version}`;
  const asOfficial = (directory: string): Plugins => ({ directory, source: `${name} plugin ${version}, official` });
  if (fs.existsSync(cachePath(cacheName, official))) return asOfficial(cachePath(cacheName, official));

  const installed = path.join(os.homedir(), ".pulumi/plugins", directoryName(name));
  if (fs.existsSync(path.join(installed, executableName(name)))) {
    const copy = async (dir: string): Promise<void> =>
      fs.cpSync(installed, path.join(dir, directoryName(name)), { recursive: true });
    return asOfficial(await cached(cacheName, official, copy));
  }

  if (!fs.existsSync(cachePath(cacheName, standInKey(name))) && (await officialReachable())) {
    try {
      return asOfficial(await cached(cacheName, official, (dir) => installOfficial(pulumi, name, dir)));
    } catch (error) {
      process.stderr.write(`the official ${name} plugin cannot be used: ${(error as Error).message}\n`);
    }
  }
  return standIn(name);
}

async function standIn(name: PluginName): Promise<Plugins> {
  const source = `${name} plugin ${pinnedVersion(table[name])}, stand-in of lab/plugins`;
  return { directory: await ensureStandIn(name), source };
}

/** An executable as the plugin of the version that the package pins, which the engine looks for. */
async function asPlugins(name: PluginName, executable: string): Promise<Plugins> {
  // The executable's directory is named after its content.
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

/** Builds the stand-in, whatever else there is, and returns its plugins directory. */
export async function ensureStandIn(name: PluginName = "command"): Promise<string> {
  return cached(`plugin-${name}`, standInKey(name), async (dir) => {
    const directory = path.join(dir, directoryName(name));
    fs.mkdirSync(directory);
    await buildGo(`build of the ${name} plugin's stand-in`, {
      module: standIns,
      package: `./${name}`,
      output: path.join(directory, executableName(name)),
      flags: ["-ldflags", "-s -w"],
    });
  });
}

/** One Go module for all stand-ins. */
const standIns = path.join(checkout, "lab/plugins");

function standInKey(name: PluginName): string {
  const sources = [name, "shared"].map((room) => path.join(standIns, room));
  const modules = fs.readFileSync(path.join(standIns, "go.sum"), "utf8");
  return `stand-in-${sourceHash(sources, [pinnedVersion(table[name]), modules])}`;
}

async function installOfficial(pulumi: string, name: PluginName, dir: string): Promise<void> {
  const version = pinnedVersion(table[name]);
  const home = path.join(dir, "home");
  const args = ["plugin", "install", "resource", name, version, "--server", officialPlugins];
  const env = { ...process.env, PULUMI_HOME: home, PULUMI_SKIP_UPDATE_CHECK: "true" };
  await step(`download of the official ${name} plugin ${version}`, (progress) =>
    run(pulumi, args, { env, timeoutMs: INSTALL_LIMIT_MS, onLine: progress.detail }),
  );
  fs.renameSync(path.join(home, "plugins", directoryName(name)), path.join(dir, directoryName(name)));
  fs.rmSync(home, { recursive: true });
}

function directoryName(name: PluginName): string {
  return `resource-${name}-v${pinnedVersion(table[name])}`;
}

function executableName<Name extends PluginName>(name: Name): `pulumi-resource-${Name}` {
  return `pulumi-resource-${name}`;
}

// Directories are made and only files linked: the engine takes no linked directory for a plugin.
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
