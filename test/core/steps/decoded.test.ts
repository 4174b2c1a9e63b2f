import { expect, test } from "vitest";
import { readChainCopyLibrary, readOrchestratorLibrary } from "../../../core/steps/libraries.ts";
import { decoded } from "../../hostile.ts";

test.each(decoded)("scripts only test whether $%s is empty, or decode it into a file", (name) => {
  const use = new RegExp(`\\$\\{?${name}\\b`);
  const lines = `${readOrchestratorLibrary()}\n${readChainCopyLibrary()}`
    .split("\n")
    .map((line) => line.trim())
    // A variable of Perl has a value of its own.
    .filter((line) => !line.startsWith("#") && use.test(line.replace(/\$\w+ =|my \$\w+/g, "")));
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines)
    expect(line).toMatch(new RegExp(`^(base64 -d <<< "\\$${name}" > "[^"]+"$|\\[ -n "\\$${name}" \\] \\|\\| fail )`));
});

test.each(["journal", "next_journal", "last_journal"])(
  "scripts only compare $%s, keep it, or make it the journal",
  (name) => {
    const uses = readOrchestratorLibrary()
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => !line.startsWith("#") && new RegExp(`\\$\\{?${name}\\b`).test(line));
    expect(uses.length).toBeGreaterThan(0);
    const allowed = [
      /\[ "\$(found|next_journal|1)" = "\$journal" \]/,
      /^orchestrator_enter "\$(next|last)_journal"$/,
      /^say "\$journal" > "\$copy_dir\/bulk"$/,
    ];
    for (const line of uses)
      expect(allowed.reduce((left, use) => left.replace(use, ""), line)).not.toMatch(
        /\$\{?(journal|next_journal|last_journal)\b/,
      );
  },
);
