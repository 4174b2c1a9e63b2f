import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import config from "../../lab/lint/rooms.cjs";

const root = join(import.meta.dirname, "../..");
const foldersIn = (folder: string) =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${folder}/${name}`);

/** Returns the folders that a rule's pattern names. */
const named = (pattern: unknown) => /^\^\((.*)\)\/$/.exec(String(pattern))?.[1]?.split("|") ?? [];
const rows = (config.forbidden ?? []).flatMap((rule) =>
  rule.name?.startsWith("arrows of ") && "to" in rule
    ? [{ from: named(rule.from.path), others: named(rule.to.pathNot) }]
    : [],
);

test("each row of the import rules names existing folders, and each folder has a row", () => {
  const folders = ["core", "core/orchestrator", "cli"].flatMap(foldersIn).filter((name) => name !== "cli/commands");
  expect(rows.flatMap(({ from }) => from).sort()).toEqual([...folders, "cli", "components", "providers"].sort());
  expect(rows.flatMap(({ others }) => others).filter((name) => !existsSync(join(root, name)))).toEqual([]);
});
