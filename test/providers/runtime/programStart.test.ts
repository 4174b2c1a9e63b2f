import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { execa } from "execa";
import { expect, test } from "vitest";
import { scratchDirectory } from "../../scratchDirectory.ts";

const root = join(import.meta.dirname, "../../..");
const preload = join(root, "providers/runtime/preload.cjs");
const load = createRequire(import.meta.url);
const sdk = createRequire(load.resolve("@pulumi/pulumi/package.json"));
const grpc = sdk("@grpc/grpc-js");
const { ResourceMonitorService } = sdk("./proto/resource_grpc_pb");
const { EngineService } = sdk("./proto/engine_grpc_pb");
const scratch = scratchDirectory();
/** A cache that is configured, as in these tests, would take the place of the program's own. */
const ownCache = { NODE_COMPILE_CACHE: undefined };

type Call = { readonly request: { toObject(): Record<string, unknown> } };
type Reply = (error: object | null, answer?: object) => void;

/** Runs a program for an engine whose plugins refuse everything. Returns what it printed, and the calls of the engine. */
async function run(program: string, env: Readonly<Record<string, string>> = {}) {
  const calls: { name: string; request: Record<string, unknown> }[] = [];
  const server = new grpc.Server();
  for (const service of [ResourceMonitorService, EngineService]) {
    const methods = Object.entries<{ responseType: new () => object }>(service).map(([name, { responseType }]) => {
      const answer = ({ request }: Call, reply: Reply) => {
        calls.push({ name, request: request.toObject() });
        if (name === "invoke") reply({ code: grpc.status.UNKNOWN, details: "no such function" });
        else reply(null, new responseType());
      };
      return [name, answer] as const;
    });
    server.addService(service, Object.fromEntries(methods));
  }
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error: Error | null, bound: number) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  const directory = join(scratch(), "program");
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "package.json"), "{}");
  writeFileSync(join(directory, "index.js"), program);
  const addresses = ["monitor", "engine"].map((name) => `--${name}=127.0.0.1:${port}`);
  const args = [
    `--require=${preload}`,
    load.resolve("@pulumi/pulumi/cmd/run"),
    ...addresses,
    "--project=p",
    "--stack=s",
  ];
  const options = { all: true, reject: false, env: { ...ownCache, ...env } } as const;
  const { exitCode, all } = await execa(process.execPath, [...args, directory], options);
  server.forceShutdown();
  const listCalls = (name: string) => calls.flatMap((call) => (call.name === name ? [call.request] : []));
  return { exitCode, all, invocations: listCalls("invoke"), messages: listCalls("log") };
}

const sdkName = JSON.stringify(load.resolve("@pulumi/pulumi"));
const warns = `const { log } = require(${sdkName}); module.exports = () => log.warn("careful");`;

test("both plugins start with the program, which prints nothing of it and ends as it would", async () => {
  const { version } = load("@pulumi/command/package.json");
  const { exitCode, all, invocations } = await run("");
  expect([exitCode, all]).toEqual([0, ""]);
  expect(invocations).toMatchObject([
    { tok: "pulumi-nodejs:dynamic:start", version: "" },
    { tok: "command:remote:start", version },
  ]);
  const failed = await run('throw new Error("no program")');
  expect([failed.exitCode, failed.messages]).toMatchObject([32, [{ message: expect.stringContaining("no program") }]]);
});

test("the engine gets the program's warnings, and the SDK's debug messages only on request", async () => {
  expect((await run(warns)).messages).toMatchObject([{ message: "careful" }]);
  const { messages } = await run(warns, { PILLAR_HOST_TRACES: "1" });
  expect(messages.length).toBeGreaterThan(1);
  expect(messages).toContainEqual(expect.objectContaining({ message: "careful" }));
});

test("the program and the command line keep each other's entries of the compile cache", async () => {
  const program = JSON.stringify(pathToFileURL(join(root, "index.ts")));
  expect((await run(`module.exports = () => import(${program}).then(() => undefined);`)).exitCode).toBe(0);
  const env = { ...ownCache, NODE_DEBUG_NATIVE: "COMPILE_CACHE" };
  const { all } = await execa(process.execPath, [join(root, "cli/bin.cjs"), "status", "--help"], { all: true, env });
  expect(all).toContain(" was accepted");
  expect(all).not.toContain(" was rejected");
});
