import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { compileFunction } from "node:vm";
import { build } from "esbuild";
import { findShutdownWithoutOrchestrator } from "../../core/eventLog/guardFacts.ts";
import { findFault, isConfirmedLoss, mergeHeads } from "../../core/eventLog/logIntegrity.ts";
import { runSaga } from "../../core/orchestrator/move/saga.ts";
import { applyEvent } from "../../core/orchestrator/rules/generation.ts";
import { findFence, findFenceFault } from "../../core/orchestrator/rules/moveHistory.ts";
import { findForeignBackup } from "../../core/orchestrator/rules/obstacles.ts";
import { chooseLastBackup, findBackupFault } from "../../core/retirement/backupRule.ts";
import { decideRetirement } from "../../core/retirement/decideRetirement.ts";
import { isReached } from "../../core/retirement/guardMemory.ts";
import { isOrchestratorThere } from "../../core/retirement/lossRules.ts";

/** Decisions of the program that the simulation plays. */
export const realRules = {
  runSaga,
  applyEvent,
  findForeignBackup,
  findFence,
  findFenceFault,
  decideRetirement,
  isReached,
  findBackupFault,
  isOrchestratorThere,
  findShutdownWithoutOrchestrator,
  mergeHeads,
  findFault,
  isConfirmedLoss,
  chooseLastBackup,
};
export type Rules = typeof realRules;

/** A replacement in the program's text, such as one that undoes a fix. */
export interface Mutation {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const root = join(import.meta.dirname, "../..");

/** Builds the decisions from a changed copy of the sources. @throws if a text to replace is missing */
export function mutated(mutations: readonly Mutation[]): Promise<Rules> {
  const retirement = ["decideRetirement", "guardMemory", "backupRule", "lossRules"].map((name) => `retirement/${name}`);
  const rules = ["moveHistory", "generation", "obstacles"].map((name) => `orchestrator/rules/${name}`);
  const files = ["orchestrator/move/saga", ...rules, "eventLog/guardFacts", "eventLog/logIntegrity", ...retirement];
  return loadMutated<Rules>(
    files.map((file) => `core/${file}`),
    mutations,
  );
}

/** Loads the program's files from a changed copy of the sources. @throws if a text to replace is missing */
export async function loadMutated<T>(files: readonly string[], mutations: readonly Mutation[]): Promise<T> {
  const left = new Set(mutations);
  const contents = files.map((file) => `export * from "./${file}";`).join("\n");
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root, loader: "ts" },
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    packages: "external",
    plugins: [
      {
        name: "mutations",
        setup: (bundle) => {
          bundle.onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const here = mutations.filter(({ file }) => file === relative(root, path));
            let text = readFileSync(path, "utf8");
            for (const mutation of here) {
              if (!text.includes(mutation.from)) continue;
              text = text.replace(mutation.from, () => mutation.to);
              left.delete(mutation);
            }
            return { contents: text, loader: "ts" };
          });
        },
      },
    ],
  });
  for (const { file, from } of left) throw new Error(`not in ${file}: ${from}`);
  const text = outputFiles[0]?.text ?? "";
  const module = { exports: {} };
  const run = compileFunction(text, ["module", "exports", "require", "__dirname"]);
  run(module, module.exports, createRequire(join(root, "index.ts")), root);
  return module.exports as T;
}
