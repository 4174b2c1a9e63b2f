// @ts-check
// Enables Node's compile cache, in .compiled, where no other user of this machine can write. Ignores an error, which
// compile.js reports later. Must run before the libraries are loaded: compiling them takes most of the start time.
const nodeModule = require("node:module");
const path = require("node:path");
const { ownDirectory } = require("./compile");

try {
  nodeModule.enableCompileCache?.(path.join(ownDirectory(), "node"));
} catch {}
