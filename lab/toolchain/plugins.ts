import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { cached, cachePath } from "../cache";
import { step } from "../progress";
import { officialPlugins, officialReachable } from "./download";
import { buildGo, sourceHash } from "./go";
import { run } from "./run";
import { checkout, pinnedVersion } from "./version";

const INSTALL_LIMIT_MS = 120_000;

const standInSource = path.join(checkout, "lab/plugins/command");

/** A directory of provider plugins, laid out as `$PULUMI_HOME/plugins`. */
export interface Plugins {
  directory: string;
  source: string;
}

/** The official command plugin where it is to be had, else the stand-in of lab/plugins. */
export async function ensurePlugins(pulumi: string): Promise<Plugins> {
  const version = pinnedVersion("@pulumi/command");
  const official = `official-${version}`;
  const asOfficial = (directory: string): Plugins => ({ directory, source: `command plugin ${version}, official` });
  if (fs.existsSync(cachePath("plugins", official))) return asOfficial(cachePath("plugins", official));

  const installed = path.join(os.homedir(), ".pulumi/plugins", pluginName(version));
  if (fs.existsSync(path.join(installed, "pulumi-resource-command"))) {
    const copy = async (dir: string): Promise<void> =>
      fs.cpSync(installed, path.join(dir, pluginName(version)), { recursive: true });
    return asOfficial(await cached("plugins", official, copy));
  }

  const standIn = standInKey();
  if (!fs.existsSync(cachePath("plugins", standIn)) && (await officialReachable())) {
    try {
      return asOfficial(await cached("plugins", official, (dir) => installOfficial(pulumi, version, dir)));
    } catch (error) {
      process.stderr.write(`the official command plugin cannot be used: ${(error as Error).message}\n`);
    }
  }
  return { directory: await ensureStandIn(), source: `command plugin ${version}, stand-in of lab/plugins` };
}

/** Builds the stand-in, whatever else there is, and returns its plugins directory. */
export async function ensureStandIn(): Promise<string> {
  return cached("plugins", standInKey(), async (dir) => {
    const directory = path.join(dir, pluginName(pinnedVersion("@pulumi/command")));
    fs.mkdirSync(directory);
    await buildGo("build of the command plugin's stand-in", {
      module: standInSource,
      package: ".",
      output: path.join(directory, "pulumi-resource-command"),
      flags: ["-ldflags", "-s -w"],
    });
  });
}

function standInKey(): string {
  return `stand-in-${sourceHash([standInSource], [pinnedVersion("@pulumi/command")])}`;
}

async function installOfficial(pulumi: string, version: string, dir: string): Promise<void> {
  const home = path.join(dir, "home");
  const args = ["plugin", "install", "resource", "command", version, "--server", officialPlugins];
  const env = { ...process.env, PULUMI_HOME: home, PULUMI_SKIP_UPDATE_CHECK: "true" };
  await step(`download of the official command plugin ${version}`, (progress) =>
    run(pulumi, args, { env, timeoutMs: INSTALL_LIMIT_MS, onLine: progress.detail }),
  );
  fs.renameSync(path.join(home, "plugins", pluginName(version)), path.join(dir, pluginName(version)));
  fs.rmSync(home, { recursive: true });
}

function pluginName(version: string): string {
  return `resource-command-v${version}`;
}
