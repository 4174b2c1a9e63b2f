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

/** Runs a program for an engine that answers nothing of interest. Returns the messages that the engine got. */
async function run(program: string, env: Readonly<Record<string, string>> = {}) {
  const calls: { name: string; request: Record<string, unknown> }[] = [];
  const server = new grpc.Server();
  for (const service of [ResourceMonitorService, EngineService]) {
    const methods = Object.entries<{ responseType: new () => object }>(service).map(([name, { responseType }]) => {
      const answer = ({ request }: Call, reply: Reply) => {
        calls.push({ name, request: request.toObject() });
        reply(null, new responseType());
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
  const options = { reject: false, env: { ...ownCache, ...env } } as const;
  const { exitCode } = await execa(process.execPath, [...args, directory], options);
  server.forceShutdown();
  return { exitCode, messages: calls.flatMap(({ name, request }) => (name === "log" ? [request] : [])) };
}

const sdkName = JSON.stringify(load.resolve("@pulumi/pulumi"));
const warns = `const { log } = require(${sdkName}); module.exports = () => log.warn("careful");`;

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
