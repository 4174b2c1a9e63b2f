// @ts-check
// Pulumi's entry point. The program itself is index.ts.
const path = require("node:path");
const { nodeFault } = require("./nodeVersion");

const fault = nodeFault();
if (fault) {
  console.error(fault);
  process.exit(1);
}
const { compiled, orEnd } = require("./compile");

module.exports = require(path.join(orEnd(1, compiled), "index.js"));
