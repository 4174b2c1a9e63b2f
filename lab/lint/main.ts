import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { refusedComments } from "./comments.ts";
import { exportedTwice } from "./exportedNames.ts";

const checkout = join(import.meta.dirname, "../..");
const readFiles = (folders: readonly string[]) =>
  folders
    .flatMap((folder) =>
      readdirSync(join(checkout, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
    )
    .filter((name) => name.endsWith(".ts"))
    .map((path) => ({ path, text: readFileSync(join(checkout, path), "utf8") }));
const files = readFiles(["components", "core", "providers", "cli"]);

const problems = [
  ...exportedTwice(files).map(({ name, files }) => `${name} is exported by ${files.join(" and ")}: rename one`),
  ...[...files, ...readFiles(["lab", "test"])]
    .flatMap(({ path, text }) => refusedComments(path, text))
    .map(({ path, line, why }) => `${path}:${line}: ${why}`),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
