// @ts-check
// Node loads this file before Pulumi's SDK, both for the program (Pulumi.yaml) and for the process of the dynamic
// providers.
require("./compileCache");
const Module = require("node:module");

// Node's 250 ms for each address are too short for a distant server if another of its addresses does not work.
require("node:net").setDefaultAutoSelectFamilyAttemptTimeout(5000);

const sdk = of("@pulumi/pulumi");
// Needed to serialize functions, which few runs do. Loading them takes nearly two thirds of the SDK's start.
for (const name of ["typescript", "normalize-package-data"]) loadWhenUsed(sdk, name);
// Needed by programs that drive the engine. The engine drives this program.
loadWhenUsed(sdk, "./automation");
// Needed for `pulumi --tracing`. Without tracing the SDK calls only `newSpan`.
loadWhenUsed(sdk, "./cmd/run/tracing", { newSpan });
// Error messages in about fifty languages.
loadWhenUsed(of("zod"), "./v4/locales/index.cjs");
// The SDK takes a stack trace for every promise, and this module resolves each one through the source maps of all
// libraries. That costs a tenth of the program's time and only shows the libraries' TypeScript in traces.
// PILLAR_HOST_TRACES turns it on for debugging.
if (!process.env.PILLAR_HOST_TRACES) standIn(sdk.resolve("source-map-support/register"));

/**
 * Returns a function that resolves and loads files as the package itself would.
 * @param {string} name
 */
function of(name) {
  return Module.createRequire(require.resolve(`${name}/package.json`));
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
 * @param {Readonly<Record<string, unknown>>} [own] exports that need no loading, until another export is used
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
    // Claims to have a default export, so that TypeScript's helpers use the module without reading its keys.
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
