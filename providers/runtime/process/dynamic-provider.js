// @ts-check
// The SDK's own process of the dynamic providers, loaded as quickly as the program is.
require("../../../preload");

// Providers leave a connection to the next one (core/ssh/connection.ts): a host may limit new ones.
Reflect.set(process, "idleSshSessions", new Map());
require("@pulumi/pulumi/cmd/dynamic-provider");

// The engine ends this process by a signal, upon which Node keeps nothing.
require("node:module").flushCompileCache?.();

// An engine that was killed leaves this process behind, and lets go of its standard input. What is at work has the time to see
// it by itself, and comes to its end (providers/runtime/engine.ts); what is not would wait for a next call for ever.
const grace = 15_000;
process.stdin.on("end", () => setTimeout(() => process.exit(1), grace)).resume();
