#!/usr/bin/env node
// Plain JavaScript for any version of Node, because an old Node must get as far as this check.
var fault = require("../nodeVersion").nodeFault();

if (fault) {
  console.error(fault);
  process.exit(2);
}

try {
  require.resolve("typescript");
} catch (_) {
  console.error(
    "pillar-host is not installed yet: its libraries are missing\n  needed: npm ci --omit=dev --ignore-scripts, in the program's directory",
  );
  process.exit(2);
}

require("../compileCache");
// By default Node tries each address of a name for 250 ms: too short for a distant server with a second, dead address.
require("node:net").setDefaultAutoSelectFamilyAttemptTimeout(5000);
var compile = require("../compile");

require(require("node:path").join(compile.orEnd(2, compile.compiled), "cli/main.js"));
