import { existsSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import net from "node:net";
import { join } from "node:path";
import readline from "node:readline";
import { PassThrough } from "node:stream";

/**
 * Runs the program and its dynamic providers for the engines of a lab, one run after another, in a process that has
 * loaded them already: a process of their own needs two seconds of processor for each `up`. The starter in
 * lab/toolchain/languageHost hands over a run's arguments and environment, and takes its output. A run that the engine
 * ends early ends this process, too; lab/stack/residents.ts starts the next one. Usage: DIRECTORY program|provider
 */
async function main([directory = "", kind = ""]: readonly string[]): Promise<void> {
  const serve = kind === "program" ? runProgram : runProvider;
  const path = join(directory, `${kind}.sock`);
  let current: net.Socket | undefined;
  const server = net.createServer(async (socket) => {
    if (current) return void socket.end();
    current = socket;
    socket.on("error", () => socket.destroy());
    for await (const line of readline.createInterface({ input: socket })) {
      const request = JSON.parse(line) as Request;
      socket.write(frame({ begun: true }));
      hear(socket);
      enter(request);
      const exit = await serve(request, socket, server);
      hear(undefined);
      current = undefined;
      socket.end(frame({ exit }));
    }
    // Its starter was killed before it sent anything.
    if (current === socket) current = undefined;
  });
  rmSync(path, { force: true });
  server.listen(path);
  // A killed test run takes nothing down.
  const testRun = `/proc/${process.env.PILLAR_TEST_RUN}/exe`;
  setInterval(() => existsSync(testRun) || process.exit(1), 2000).unref();
}

/** A run, as the engine would start it in a process of its own. */
interface Request {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

const frame = (value: object) => `${JSON.stringify(value)}\n`;

/** Sends what the process prints to the run's starter. */
function hear(socket: net.Socket | undefined): void {
  for (const name of ["stdout", "stderr"] as const) {
    type Write = typeof process.stdout.write;
    const write = ((chunk: string | Uint8Array, ...rest: readonly unknown[]) => {
      const told = rest.findLast((one) => typeof one === "function") as (() => void) | undefined;
      socket?.write(frame({ [name]: Buffer.from(chunk as string).toString() }));
      told?.();
      return true;
    }) as Write;
    process[name].write = write;
  }
}

function enter({ directory, env }: Request): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(directory);
}

/** Returns what removes the listeners that a run adds to the process, and returns those for its end. */
function listenersOf(): () => NodeJS.ExitListener[] {
  const names = ["uncaughtException", "unhandledRejection", "beforeExit", "exit"];
  const before = names.map((name) => process.listeners(name as "exit"));
  return () => {
    let added: NodeJS.ExitListener[] = [];
    for (const [index, name] of names.entries()) {
      added = process.listeners(name as "exit").filter((listener) => !before[index]?.includes(listener));
      for (const listener of added) process.off(name, listener);
    }
    return added;
  };
}

/** Runs the program with the SDK's own starter, and returns the exit code that the process would have. */
async function runProgram({ directory, args }: Request, socket: net.Socket, server: net.Server): Promise<number> {
  const load = createRequire(join(directory, "index.ts"));
  loadOnce(load, "./providers/runtime/preload.cjs");
  const restore = listenersOf();
  const starter = load.resolve("@pulumi/pulumi/cmd/run");
  // The SDK keeps the settings of a run here, and reads them from the environment if there are none.
  Reflect.deleteProperty(globalThis, "globalStore");
  process.argv = [process.execPath, starter, ...args];
  // Evaluated again for each run: it starts one.
  delete load.cache[starter];
  load(starter);
  await nothingLeft(socket, server);
  process.exitCode = undefined;
  for (const listener of restore()) listener(0);
  const code = Number(process.exitCode ?? 0);
  process.exitCode = undefined;
  return code;
}

const loaded = new Set<string>();

function loadOnce(load: NodeJS.Require, name: string): void {
  if (!loaded.has(name)) load(name);
  loaded.add(name);
}

/**
 * Waits until the program has nothing left to do, as a process of its own would before it ends. At the first such time
 * the SDK's starter registers its last work, at the second it does that.
 */
async function nothingLeft(socket: net.Socket, server: net.Server): Promise<void> {
  const leave = () => process.exit(1);
  socket.on("close", leave);
  for (const handle of [server, socket]) handle.unref();
  for (let times = 0; times < 3; times += 1)
    await new Promise<void>((resolve) => process.once("beforeExit", () => setImmediate(resolve)));
  for (const handle of [server, socket]) handle.ref();
  socket.off("close", leave);
}

/** Runs the providers' process until the engine ends its starter. */
async function runProvider({ directory, args }: Request, socket: net.Socket): Promise<number> {
  const script = join(directory, "dynamic-provider.cjs");
  const load = createRequire(script);
  loadOnce(load, "../preload.cjs");
  const { Server } = load("@grpc/grpc-js") as { Server: { prototype: { bindAsync: (...all: unknown[]) => void } } };
  const { Status } = load("@pulumi/pulumi/proto/status_pb");
  const { Struct } = load("google-protobuf/google/protobuf/struct_pb");
  const { bindAsync } = Server.prototype;
  const { addDetails } = Status.prototype;
  const { toJavaScript } = Struct.prototype;
  const restore = listenersOf();
  let bound: { tryShutdown: (done: () => void) => void } | undefined;
  Server.prototype.bindAsync = function (this: typeof bound, ...all: unknown[]) {
    bound = this;
    bindAsync.apply(this, all);
  };
  // Ends with the engine, which this process outlives.
  Object.defineProperty(process, "stdin", { value: new PassThrough(), configurable: true });
  process.argv = [process.execPath, script, ...args];
  // Evaluated again for each run: it starts a server.
  for (const name of [script, "@pulumi/pulumi/cmd/dynamic-provider"]) delete load.cache[load.resolve(name)];
  load(script);
  await new Promise((resolve) => socket.on("close", resolve));
  Server.prototype.bindAsync = bindAsync;
  Status.prototype.addDetails = addDetails;
  Struct.prototype.toJavaScript = toJavaScript;
  for (const session of idleSessions().values()) session.close();
  restore();
  // A call that the engine no longer waits for would go on.
  const deadline = setTimeout(() => process.exit(1), 500);
  await new Promise<void>((resolve) => (bound ? bound.tryShutdown(resolve) : resolve()));
  clearTimeout(deadline);
  return 0;
}

const idleSessions = () => Reflect.get(process, "idleSshSessions") as Map<string, { close: () => void }>;

void main(process.argv.slice(2));
