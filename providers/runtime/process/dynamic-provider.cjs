// @ts-check
// Starts the SDK's own process of the dynamic providers, with the same preload as the program to start fast.
require("../preload.cjs");
const Module = require("node:module");

// The SDK would compile and run the text that the state has as a provider. Here the text is a name, and the code comes
// from the checkout.
const { findProvider } = require("../providerTable.ts");
const sdk = Module.createRequire(require.resolve("@pulumi/pulumi/package.json"));
const file = sdk.resolve("require-from-string");
const byName = (/** @type {unknown} */ name) => ({ handler: () => findProvider(name) });
require.cache[file] = Object.assign(new Module(file), { filename: file, loaded: true, exports: byName });

// Checks the name in each request, because the SDK looks it up among the keys of a plain object first, where it finds
// `toString`: a guard with that name would allow everything.
const { Struct } = sdk("google-protobuf/google/protobuf/struct_pb");
const { toJavaScript } = Struct.prototype;
Struct.prototype.toJavaScript = function () {
  const properties = toJavaScript.call(this);
  if (Object.hasOwn(properties, "__provider")) findProvider(properties.__provider);
  return properties;
};

// A provider can end a run as awaiting (exit code 10). The engine has that state, the SDK's dynamic providers do not: they
// send each error with an id as a failed one.
const { Status } = require("@pulumi/pulumi/proto/status_pb");
const { ErrorResourceAwaitFailed, ErrorResourceInitFailed } = require("@pulumi/pulumi/proto/provider_pb");
const { addDetails } = Status.prototype;
/** @type {typeof addDetails} */
Status.prototype.addDetails = function (detail) {
  const failed = detail?.unpack(ErrorResourceInitFailed.deserializeBinary, "pulumirpc.ErrorResourceInitFailed");
  if (failed?.getId() === "pillar-host:awaiting")
    detail?.pack(new ErrorResourceAwaitFailed().serializeBinary(), "pulumirpc.ErrorResourceAwaitFailed");
  return addDetails.call(this, detail);
};

// Connects the SDK's log with the engine, as in a program: a wait shows its progress beside its resource, and lines keep their
// order. The engine would print what this process writes in one piece, after the next step, which the program sends last.
const { getProject, getStack, resetOptions } = require("@pulumi/pulumi/runtime/settings");
resetOptions(getProject(), getStack(), -1, process.argv[2] ?? "", "", false, "");
const { info } = require("@pulumi/pulumi/log");
require("../../../core/util/printable.ts").sendLines((/** @type {string} */ text) => info(text));

// A provider leaves its connection to the next one (core/ssh/connection.ts), because a host may limit new connections.
Reflect.set(process, "idleSshSessions", new Map());
require("@pulumi/pulumi/cmd/dynamic-provider");

// Writes the compile cache now: the engine ends this process with a signal, after which Node writes nothing.
require("node:module").flushCompileCache?.();

require("../engine.ts").watchEngine();
