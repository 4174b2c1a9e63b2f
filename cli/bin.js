#!/usr/bin/env node
// Plain JavaScript that any Node understands: an old one must live to say what it lacks.
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
// Node gives each address of a name 250 ms: too little from the other side of the earth, where one of them leads nowhere.
require("node:net").setDefaultAutoSelectFamilyAttemptTimeout(5000);
var compile = require("../compile");

require(require("node:path").join(compile.orEnd(2, compile.compiled), "cli/main.js"));
