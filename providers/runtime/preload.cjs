// @ts-check
// Node loads this file before Pulumi's SDK, both for the program (Pulumi.yaml) and for the process of the dynamic
// providers.
require("../../core/util/start.cjs").start(1);
const Module = require("node:module");

const sdk = Module.createRequire(require.resolve("@pulumi/pulumi/package.json"));
// The SDK needs these only to serialize functions, which this program does not. They are nearly two thirds of its loading
// time.
for (const name of ["./typescript-shim", "normalize-package-data"]) loadWhenUsed(sdk, name);
// Only needed by programs that start the engine. This program is started by the engine.
loadWhenUsed(sdk, "./automation");
// Only needed for `pulumi --tracing`. Otherwise the SDK calls nothing of it but `newSpan`.
loadWhenUsed(sdk, "./cmd/run/tracing", { newSpan });
if (!process.env.PILLAR_HOST_TRACES) {
  // Keeps source-map-support off. The SDK takes a stack trace for every promise, and source-map-support would translate
  // each to TypeScript lines, which costs a tenth of the program's time. For debugging, set PILLAR_HOST_TRACES.
  standIn(sdk.resolve("source-map-support/register"));
  // The engine shows debug messages only with `--debug`, and the SDK sends each only after the answer to the one before.
  sdk("./log").debug = () => Promise.resolve();
}

/**
 * Replaces a library's module with an empty one.
 * @param {string} file
 */
function standIn(file) {
  const stand = Object.assign(new Module(file), { filename: file, loaded: true });
  require.cache[file] = stand;
  return stand;
}

/**
 * Makes a package load one of its modules only on first use.
 * @param {NodeRequire} from
 * @param {string} name
 * @param {Readonly<Record<string, unknown>>} [own] used in place of the module's exports until the module is loaded
 */
function loadWhenUsed(from, name, own = {}) {
  const file = from.resolve(name);
  const stand = standIn(file);
  const isLoaded = () => require.cache[file] !== stand;
  const library = () => {
    if (!isLoaded()) delete require.cache[file];
    return from(file);
  };
  const get = (/** @type {object} */ _, /** @type {string} */ key) => {
    // Claims to be an ES module, because TypeScript's import helper would read, and so load, all keys of another one.
    if (key === "__esModule") return true;
    if (key === "default") return library();
    return key in own && !isLoaded() ? own[key] : library()[key];
  };
  stand.exports = new Proxy({}, { get });
}

/**
 * Replaces `newSpan` of the SDK's cmd/run/tracing.js, with the same result as while tracing is off.
 * @param {string} name
 */
function newSpan(name) {
  return sdk("@opentelemetry/api").trace.getTracer("nodejs-runtime").startSpan(name);
}
