// @ts-check
// Node keeps what it made of each module's text, beside the compiled program: not where another user of this machine could
// put something of theirs. Where that can't be had, compile.js says why. Required before all else (Pulumi.yaml, cli/bin.js), as most of the time goes into libraries.
const nodeModule = require("node:module");
const path = require("node:path");
const { ownDirectory } = require("./compile");

try {
  nodeModule.enableCompileCache?.(path.join(ownDirectory(), "node"));
} catch {}
