#!/usr/bin/env node
// Plain JavaScript that any Node understands: an old one must live to say what it lacks.
var needed = 22;

if (Number(process.versions.node.split(".")[0]) < needed) {
  console.error(
    "pillar-host needs Node " +
      needed +
      " or newer, found " +
      process.versions.node +
      " (" +
      process.execPath +
      ")\n" +
      "  needed: https://nodejs.org, or another PATH",
  );
  process.exit(2);
}

require("tsx/cjs");
require("./main.ts");
