import { resolve } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { onceARun } from "../testRun/onceARun";
import type { ControllerBuild } from "./controller/build";
import type { NodeBuild } from "./node/logLines";
import { orchestratorBuild } from "./orchestrator/build";

/** The interpreter as the lab mounts it into every host. */
export const interpreter = "/usr/local/bin/node";

/** The node double as one executable file. @param nodeBuild of a release of it; else what the controller builds */
export function bundleNode(nodeBuild?: NodeBuild): Promise<string> {
  return bundle("node/main.ts", { NODE_BUILD: nodeBuild === undefined ? "undefined" : JSON.stringify(nodeBuild) });
}

/** The orchestrator double as one executable file. */
export function bundleOrchestrator(version: string): Promise<string> {
  return bundle("orchestrator/main.ts", { ORCHESTRATOR_BUILD: JSON.stringify(orchestratorBuild(version)) });
}

/** The controller double as one executable file, with the node double inside. */
export async function bundleController(controller: ControllerBuild): Promise<string> {
  return bundle("controller/main.ts", {
    CONTROLLER_BUILD: JSON.stringify(controller),
    NODE_EXECUTABLE: JSON.stringify(await bundleNode()),
  });
}

/** Bundles a TypeScript file, by its path in this folder or anywhere, into one CommonJS executable. */
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
