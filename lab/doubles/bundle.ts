import { resolve } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { onceARun } from "../testRun/onceARun.ts";
import type { ControllerBuild } from "./controller/controller.ts";
import type { NodeBuild } from "./node/logLines.ts";

/** Path at which the lab mounts Node.js into every host. */
export const interpreter = "/usr/local/bin/node";

/**
 * Bundles the node double into one executable file.
 * @param nodeBuild the build that a release contains; default: the build that the controller makes
 */
export function bundleNode(nodeBuild?: NodeBuild): Promise<string> {
  return bundle("node/main.ts", { NODE_BUILD: nodeBuild === undefined ? "undefined" : JSON.stringify(nodeBuild) });
}

/** Bundles the orchestrator double into one executable file. */
export function bundleOrchestrator(): Promise<string> {
  return bundle("orchestrator/main.ts", {});
}

/** Bundles the controller double, with the node double inside, into one executable file. */
export async function bundleController(controller: ControllerBuild): Promise<string> {
  return bundle("controller/main.ts", {
    CONTROLLER_BUILD: JSON.stringify(controller),
    NODE_EXECUTABLE: JSON.stringify(await bundleNode()),
  });
}

/** Bundles a TypeScript file into one CommonJS executable. `entry` is an absolute path or relative to this folder. */
export async function bundle(entry: string, define: Record<string, string>): Promise<string> {
  return (await onceARun(["bundle", entry, define], () => bundled(entry, define))).toString();
}

async function bundled(entry: string, define: Record<string, string>): Promise<string> {
  const options: BuildOptions & { write: false } = {
    absWorkingDir: import.meta.dirname,
    entryPoints: [resolve(import.meta.dirname, entry)],
    bundle: true,
    write: false,
    platform: "node",
    format: "cjs",
    target: "node22",
    banner: { js: `#!${interpreter}` },
    define,
    logLevel: "silent",
    legalComments: "none",
  };
  const [file] = (await build(options)).outputFiles ?? [];
  if (file === undefined) throw new Error(`${entry}: the bundler wrote nothing`);
  return file.text;
}
