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
