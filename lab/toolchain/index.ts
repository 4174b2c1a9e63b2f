import fs from "node:fs";
import path from "node:path";
import { cacheRoot } from "../util/cache";
import { ensureEngine } from "./engine";
import { settleEngineLogs } from "./engineLogs";
import { ensurePlugins, type PluginKind, type PluginName } from "./plugins";
import { checkout } from "./version";

/** What it takes to run Pulumi in the lab. */
export interface Toolchain {
  /** Path of the executable. */
  pulumi: string;
  /** Where engine and plugins came from, for people. */
  source: string;
  /** To be merged over `process.env` when running `pulumi`. */
  env: Record<string, string>;
}

/** Choices of a caller. */
export interface ToolchainOptions {
  /**
   * The caller's own PULUMI_HOME, made where it is missing. Pulumi keeps credentials and workspaces in it, so runs that
   * must not disturb each other each bring a directory of their own; the plugins in it are shared and never written.
   * Default: one below the cache, shared by all who bring none.
   */
  home?: string;
  /** The provider plugins that the program uses; default: command alone. A build takes a minute or two each. */
  plugins?: readonly PluginName[];
  /** Of plugins and language host; default: the best. */
  kind?: PluginKind;
}

/** Finds, downloads or builds the engine and the plugins (minutes the first time) and says how to run them. */
export async function ensureToolchain(options: ToolchainOptions = {}): Promise<Toolchain> {
  const engine = await ensureEngine(options.kind);
  const plugins = await ensurePlugins(engine.pulumi, options.plugins ?? ["command"], options.kind);
  const home = options.home ?? path.join(cacheRoot(), `home-${path.basename(plugins.directory)}`);
  linkPlugins(home, plugins.directory);
  settleEngineLogs(home);

  // Node 24 is the npm package `node`: the machine's own may be too old for @pulumi/pulumi.
  const searched = [path.join(checkout, "node_modules/.bin"), path.dirname(engine.pulumi), process.env.PATH ?? ""];
  return {
    pulumi: engine.pulumi,
    source: `${engine.source}; ${plugins.source}`,
    env: {
      PATH: searched.join(path.delimiter),
      PULUMI_HOME: home,
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      PULUMI_DISABLE_REGISTRY_RESOLVE: "true",
    },
  };
}

function linkPlugins(home: string, plugins: string): void {
  fs.mkdirSync(home, { recursive: true });
  const link = path.join(home, "plugins");
  if (fs.existsSync(link) && fs.realpathSync(link) === fs.realpathSync(plugins)) return;
  // Renamed into place, since another run may look through the old link right now.
  const fresh = `${link}.${process.pid}`;
  fs.rmSync(fresh, { force: true });
  fs.symlinkSync(plugins, fresh);
  fs.renameSync(fresh, link);
}
