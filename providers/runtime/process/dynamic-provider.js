// @ts-check
// The SDK's own process of the dynamic providers, loaded as quickly as the program is.
require("../../../preload");
require("@pulumi/pulumi/cmd/dynamic-provider");

// The engine ends this process by a signal, upon which Node keeps nothing.
require("node:module").flushCompileCache?.();
