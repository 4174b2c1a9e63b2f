#!/usr/bin/env node
require("../core/util/start.cjs").start(2);

try {
  require.resolve("commander");
} catch (_) {
  console.error(
    "pillar-host is not installed yet: its libraries are missing\n  needed: npm ci --omit=dev --omit=optional --ignore-scripts, in the program's directory",
  );
  process.exit(2);
}

require("./main.ts");
