// @ts-check
// What Node loads before Pulumi's SDK, for the program (Pulumi.yaml) and for the process of the dynamic providers.
require("./compileCache");
const Module = require("node:module");

// Node gives each address of a name 250 ms: too little from the other side of the earth, where one of them leads nowhere.
require("node:net").setDefaultAutoSelectFamilyAttemptTimeout(5000);

const sdk = of("@pulumi/pulumi");
// For functions that are to be stored: nearly two thirds of the SDK's start, and a run that stores none needs none of them.
for (const name of ["typescript", "normalize-package-data"]) loadWhenUsed(sdk, name);
// Programs that drive the engine: this one is driven by it.
loadWhenUsed(sdk, "./automation");
// Traces for `pulumi --tracing`. What the SDK asks it without them is one thing, which answers the same.
loadWhenUsed(sdk, "./cmd/run/tracing", { newSpan });
// Error texts in some fifty languages.
loadWhenUsed(of("zod"), "./v4/locales/index.cjs");
// The SDK takes a stack trace for every promise, and this one leads each through the source maps of all libraries: a tenth of
// the program's time, to show their TypeScript in traces. Who looks for a fault in the program wants to see it.
if (!process.env.PILLAR_HOST_TRACES) standIn(sdk.resolve("source-map-support/register"));

/**
 * How a package finds its own files and libraries.
 *
 * @param {string} name
 */
function of(name) {
  return Module.createRequire(require.resolve(`${name}/package.json`));
}

/**
 * Puts an empty module in the place of a library's.
 *
 * @param {string} file
 */
function standIn(file) {
  const stand = Object.assign(new Module(file), { filename: file, loaded: true });
  require.cache[file] = stand;
  return stand;
}

/**
 * Has a package load one of its modules when it first uses it.
 *
 * @param {NodeRequire} from
 * @param {string} name
 * @param {Readonly<Record<string, unknown>>} [own] what needs no loading, until something else of the module was used
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
    // As of a module that has a default: TypeScript's helpers then take it as it is, without a look at what is in it.
    if (key === "__esModule") return true;
    if (key === "default") return library();
    return key in own && !isLoaded() ? own[key] : library()[key];
  };
  stand.exports = new Proxy({}, { get });
}

/**
 * As `newSpan` of the SDK's cmd/run/tracing.js while it was not started.
 *
 * @param {string} name
 */
function newSpan(name) {
  return sdk("@opentelemetry/api").trace.getTracer("nodejs-runtime").startSpan(name);
}
