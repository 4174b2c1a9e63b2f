// @ts-check
// Enables Node's compile cache beside the compiled program, where no other user of this machine can write. If that
// fails, compile.js reports why. Loaded first (Pulumi.yaml, cli/bin.js), because the libraries take most of the start
// time.
const nodeModule = require("node:module");
const path = require("node:path");
const { ownDirectory } = require("./compile");

try {
  nodeModule.enableCompileCache?.(path.join(ownDirectory(), "node"));
} catch {}
