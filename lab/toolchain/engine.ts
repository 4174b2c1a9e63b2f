import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { realProgram } from "../real/realPrograms.ts";
import { cached } from "../util/cache.ts";
import { buildGo, sourceHash } from "./go.ts";
import type { PluginKind } from "./plugins.ts";
import { checkout, engineVersion, fits } from "./version.ts";

const LANGUAGE_HOST = "pulumi-language-nodejs";
// A shell script of the npm package. The engine looks for it in its own directory.
const DYNAMIC_PROVIDER = "pulumi-resource-pulumi-nodejs";
const EXECUTABLES = ["pulumi", LANGUAGE_HOST, DYNAMIC_PROVIDER] as const;

const engineSource = path.join(import.meta.dirname, "engine");
const languageHostSource = path.join(import.meta.dirname, "languageHost");

/** A Pulumi engine with the Node language host next to it. */
export interface Engine {
  pulumi: string;
  source: string;
  /** Path of the official engine that this one is, or was copied from. */
  official?: string;
  /** The lab's own language host, if the engine has no other: it starts runs in a resident process, too. */
  starter?: string;
}

/**
 * Finds an official engine on this machine, else builds one from its Go modules. The language host is the real one at
 * hand (lab/real/realPrograms.ts), else the engine's own, else the lab's.
 */
export async function ensureEngine(kind: PluginKind = "best"): Promise<Engine> {
  const { isBuilt, ...engine } = await ensureAnyEngine();
  const real = kind === "best" ? await realProgram(LANGUAGE_HOST) : undefined;
  if (real) return withLanguageHost(engine, real, "the real language host at hand");
  if (!isBuilt) return engine;
  const starter = await ownLanguageHost();
  return { ...(await withLanguageHost(engine, starter, "the lab's language host")), starter };
}

async function withLanguageHost(engine: Engine, languageHost: string, what: string): Promise<Engine> {
  const source = `${engine.source}, with ${what}`;
  // The language host's path changes with its content. An installed engine's path does not, so the key contains
  // `source`, which names its version.
  const version = createHash("sha256").update(`${source} ${engine.pulumi} ${languageHost}`).digest("hex").slice(0, 12);
  const directory = await cached("engine-with", version, async (dir) => {
    fs.copyFileSync(engine.pulumi, path.join(dir, "pulumi"));
    fs.copyFileSync(languageHost, path.join(dir, LANGUAGE_HOST));
    const script = path.join(checkout, "node_modules/@pulumi/pulumi", DYNAMIC_PROVIDER);
    fs.copyFileSync(script, path.join(dir, DYNAMIC_PROVIDER));
    for (const name of EXECUTABLES) fs.chmodSync(path.join(dir, name), 0o755);
  });
  return { ...engine, pulumi: path.join(directory, "pulumi"), source };
}

async function ownLanguageHost(): Promise<string> {
  const version = sourceHash([languageHostSource, engineSource]);
  const directory = await cached("language-host", version, (dir) =>
    buildGo("build of the lab's language host from the engine's Go modules", {
      module: engineSource,
      package: ["main.go", "resident.go"].map((file) => path.join(languageHostSource, file)),
      output: path.join(dir, LANGUAGE_HOST),
      flags: ["-ldflags", "-s -w"],
    }),
  );
  return path.join(directory, LANGUAGE_HOST);
}

/** Finds or builds an engine. `isBuilt` means that it has no language host. */
async function ensureAnyEngine(): Promise<Engine & { isBuilt?: true }> {
  const version = engineVersion();
  const installed = installedEngine(version);
  if (installed) return installed;

  const flags = engineFlags(version);
  const built = `${version}-${sourceHash([engineSource], flags)}`;
  const directory = await cached("engine", built, (dir) => buildEngine(version, flags, dir));
  return {
    pulumi: path.join(directory, "pulumi"),
    source: `Pulumi ${version}, built from its Go modules`,
    isBuilt: true,
  };
}

function installedEngine(needed: string): Engine | undefined {
  for (const directory of (process.env.PATH ?? "").split(path.delimiter)) {
    const pulumi = path.join(directory || ".", "pulumi");
    if (!fs.existsSync(pulumi)) continue;
    const real = fs.realpathSync(pulumi);
    if (!fs.existsSync(path.join(path.dirname(real), LANGUAGE_HOST))) continue;
    const found = versionOf(real);
    if (fits(found, needed))
      return { pulumi: real, official: real, source: `Pulumi ${found.replace(/^v/, "")} of this machine (${real})` };
  }
  return undefined;
}

function versionOf(pulumi: string): string {
  try {
    const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
    return execFileSync(pulumi, ["version"], { encoding: "utf8", env, timeout: 20_000 }).trim();
  } catch {
    return "";
  }
}

function engineFlags(version: string): string[] {
  const stamp = `-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${version}`;
  return ["-tags", "osusergo,grpcnotrace", "-ldflags", `-s -w ${stamp}`];
}

async function buildEngine(version: string, flags: readonly string[], dir: string): Promise<void> {
  await buildGo(`build of Pulumi ${version} from its Go modules (a few minutes)`, {
    module: engineSource,
    package: ["github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"],
    output: path.join(dir, "pulumi"),
    flags,
  });
}
