// @ts-check
// Starts the SDK's own process of the dynamic providers, with the same preload as the program to start fast.
require("../../../preload");

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

// A provider leaves its connection to the next one (core/ssh/connection.ts), because a host may limit new connections.
Reflect.set(process, "idleSshSessions", new Map());
require("@pulumi/pulumi/cmd/dynamic-provider");

// Writes the compile cache now: the engine ends this process with a signal, after which Node writes nothing.
require("node:module").flushCompileCache?.();

// A killed engine leaves this process running and closes its standard input. A running method notices that itself and
// ends (providers/runtime/engine.ts), for which it has this time. An idle process would wait for the next call for ever.
const grace = 15_000;
process.stdin.on("end", () => setTimeout(() => process.exit(1), grace)).resume();
