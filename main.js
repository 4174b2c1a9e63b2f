// @ts-check
// Where Pulumi starts: the program is index.ts.
const path = require("node:path");
const { nodeFault } = require("./nodeVersion");

const fault = nodeFault();
if (fault) {
  console.error(fault);
  process.exit(1);
}
const { compiled } = require("./compile");

// The SDK takes a stack trace for every promise, and leads each through the source maps of all libraries: a tenth of
// the program's time, to show their TypeScript in traces. Who looks for a fault in the program wants to see it.
if (!process.env.PILLAR_HOST_TRACES) Object.assign(Error, { prepareStackTrace: undefined });

module.exports = require(path.join(compiled(), "index.js"));
