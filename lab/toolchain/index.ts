import fs from "node:fs";
import path from "node:path";
import { cacheRoot } from "../util/cache.ts";
import { ensureEngine } from "./engine.ts";
import { settleEngineLogs } from "./engineLogs.ts";
import { ensurePlugins, type PluginKind, type PluginName } from "./plugins.ts";
import { checkout } from "./version.ts";

/** Everything that is needed to run Pulumi in the lab. */
export interface Toolchain {
  /** Path of the executable. */
  pulumi: string;
  /** Origin of the engine and the plugins, for people. */
  source: string;
  /** See {@link Engine}. */
  starter?: string;
  /** Variables to merge over `process.env` when running `pulumi`. */
  env: Record<string, string>;
}

export interface ToolchainOptions {
  /**
   * The caller's own PULUMI_HOME. It is created if it is missing. Pulumi keeps credentials and workspaces in it, so
   * runs that must not disturb each other need separate directories. The plugins in it are shared and never written.
   * Default: a directory in the cache, shared by all callers without their own.
   */
  home?: string;
  /** Provider plugins that the program uses (default: command alone). A build takes a minute or two each. */
  plugins?: readonly PluginName[];
  /** Kind of the plugins and of the language host (default: the best). */
  kind?: PluginKind;
}

/** Finds or builds the engine and the plugins. The first time takes minutes. Returns how to run them. */
export async function ensureToolchain(options: ToolchainOptions = {}): Promise<Toolchain> {
  const engine = await ensureEngine(options.kind);
  const plugins = await ensurePlugins(options.plugins ?? ["command"], options.kind, engine.official);
  const home = options.home ?? path.join(cacheRoot(), `home-${path.basename(plugins.directory)}`);
  linkPlugins(home, plugins.directory);
  settleEngineLogs(home);

  // node_modules has Node 24 from the npm package `node`. The machine's own may be too old for @pulumi/pulumi.
  const searched = [path.join(checkout, "node_modules/.bin"), path.dirname(engine.pulumi), process.env.PATH ?? ""];
  return {
    pulumi: engine.pulumi,
    source: `${engine.source}; ${plugins.source}`,
    ...(engine.starter === undefined ? {} : { starter: engine.starter }),
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
  // The rename is atomic, because another run may be reading the old link.
  const fresh = `${link}.${process.pid}`;
  fs.rmSync(fresh, { force: true });
  fs.symlinkSync(plugins, fresh);
  fs.renameSync(fresh, link);
}
