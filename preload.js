// @ts-check
// What Node loads before Pulumi's SDK, for the program (Pulumi.yaml) and for the process of the dynamic providers.
require("./compileCache");
const Module = require("node:module");

// The SDK loads both at its start, for functions that are to be stored: nearly two thirds of its time, and a run that
// stores none needs neither.
for (const name of ["typescript", "@npmcli/arborist"]) loadWhenUsed(name);
// It takes a stack trace for every promise, and this one leads each through the source maps of all libraries: a tenth of the
// program's time, to show their TypeScript in traces. Who looks for a fault in the program wants to see it.
if (!process.env.PILLAR_HOST_TRACES) standIn("source-map-support/register");

/**
 * Puts an empty module in the place of one of the SDK's libraries.
 *
 * @param {string} name
 */
function standIn(name) {
  const sdk = Module.createRequire(require.resolve("@pulumi/pulumi/package.json"));
  const file = sdk.resolve(name);
  const stand = Object.assign(new Module(file), { filename: file, loaded: true });
  require.cache[file] = stand;
  return { sdk, file, stand };
}

/**
 * Has the SDK load one of its libraries when it first uses it.
 *
 * @param {string} name
 */
function loadWhenUsed(name) {
  const { sdk, file, stand } = standIn(name);
  const library = () => {
    if (require.cache[file] === stand) delete require.cache[file];
    return sdk(name);
  };
  // As of a module that has a default: TypeScript's helpers then take it as it is, without a look at what is in it.
  const get = (/** @type {object} */ _, /** @type {string} */ key) =>
    key === "__esModule" ? true : key === "default" ? library() : library()[key];
  stand.exports = new Proxy({}, { get });
}
