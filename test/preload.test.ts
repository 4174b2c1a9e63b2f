import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { beforeEach, expect, it } from "vitest";
import { parse } from "yaml";
import { scratchDirectory } from "./scratchDirectory.ts";

const { runtime, plugins } = parse(readFileSync("Pulumi.yaml", "utf8"));
// A configured cache, as in these tests, is kept.
const { NODE_COMPILE_CACHE: _, ...env } = process.env;

const root = scratchDirectory();
beforeEach(() => {
  for (const name of ["package.json", "core", "providers"]) cpSync(name, join(root(), name), { recursive: true });
  symlinkSync(join(process.cwd(), "node_modules"), join(root(), "node_modules"));
});

const program = (text: string, more: Record<string, string> = {}) => {
  const args = ["--no-warnings", runtime.options.nodeargs, "--input-type=commonjs", "-e", text];
  return execFileSync(process.execPath, args, { cwd: root(), env: { ...env, ...more }, encoding: "utf8" }).trim();
};

it("keeps Node's compile cache, with the libraries, beside the program", () => {
  const said = program('console.log(require("node:module").getCompileCacheDir())');
  expect(said.startsWith(join(root(), ".compiled/"))).toBe(true);
});

it("gives each address of a name 5 s, in the program and in the operator's tool", () => {
  expect(program('console.log(require("node:net").getDefaultAutoSelectFamilyAttemptTimeout())')).toBe("5000");
  const tool = `process.argv[2] = "--version";
    process.on("exit", () => console.log(require("node:net").getDefaultAutoSelectFamilyAttemptTimeout()));
    require(${JSON.stringify(join(process.cwd(), "cli/bin.cjs"))});`;
  const said = execFileSync(process.execPath, ["--input-type=commonjs", "-e", tool, "--", "tool"], {
    env,
    encoding: "utf8",
  });
  expect(said.trim().split("\n").at(-1)).toBe("5000");
});

it("sends requests through the proxy of the environment, as Pulumi does, but none to this machine", async () => {
  const asked: string[] = [];
  const proxy = http.createServer((_request, response) => response.end("direct"));
  proxy.on("connect", ({ url = "" }, socket) => {
    asked.push(url);
    socket.end("HTTP/1.1 403 no\r\n\r\n");
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  const text = `
    const urls = ["https://one.invalid", "https://two.invalid", "http://three.invalid", "http://127.0.0.1:${port}"];
    const ask = (url) => fetch(url).then((answer) => answer.text(), () => "none");
    Promise.all(urls.map(ask)).then((answers) => console.log(answers.join()));`;
  const ask = async (more: Record<string, string>) => {
    asked.length = 0;
    const args = ["--no-warnings", runtime.options.nodeargs, "--input-type=commonjs", "-e", text];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root(), env: { ...env, ...more } });
    return [asked.toSorted(), stdout.trim()];
  };
  const answers = "none,none,none,direct";
  const at = `127.0.0.1:${port}`;
  expect(await ask({ HTTPS_PROXY: at, no_proxy: "two.invalid" })).toEqual([["one.invalid:443"], answers]);
  const both = ["one.invalid:443", "three.invalid:80", "two.invalid:443"];
  expect(await ask({ https_proxy: `http://${at}`, HTTP_PROXY: at })).toEqual([both, answers]);
  expect(await ask({ HTTPS_PROXY: "socks5://127.0.0.1:1" })).toEqual([[], answers]);
  expect(await ask({})).toEqual([[], answers]);
  proxy.close();
});

it("loads the SDK's function serializer, automation and traces only when used", () => {
  const said = program(`
    const { isProxy } = require("node:util").types;
    const { automation } = require("@pulumi/pulumi");
    const tracing = require("@pulumi/pulumi/cmd/run/tracing");
    const late = ["@pulumi/pulumi/automation", "@pulumi/pulumi/cmd/run/tracing"];
    const never = ["@pulumi/pulumi/typescript-shim", "normalize-package-data"];
    const isLate = () => [...late, ...never].map((name) => isProxy(require.cache[require.resolve(name)].exports));
    tracing.newSpan("one").end();
    const before = isLate();
    // As with pulumi --tracing, to a place that is no server's.
    tracing.start("tcp://127.0.0.1:1");
    const used = [automation.LocalWorkspace.name, typeof tracing.newSpan("two").end];
    console.log(JSON.stringify([before, used, isLate()]));`);
  expect(JSON.parse(said.split("\n").at(-1) ?? "")).toEqual([
    [true, true, true, true],
    ["LocalWorkspace", "function"],
    [false, false, true, true],
  ]);
});

it("loads none of zod's languages but English", () => {
  const said = program(`import("zod").then(({ z }) =>
    console.log(Object.keys(z.locales).length, z.string().safeParse(1).error.issues[0].message));`);
  expect(said).toBe("0 Invalid input: expected string, received number");
});

it("is a single process of the SDK; Node has written its cache before a signal can end it, and it ends after its engine", async () => {
  const [{ name, path }] = plugins.providers;
  // The engine starts it from the project's directory, by its whole path.
  const engine = "127.0.0.1:1";
  const running = spawn(join(root(), path, `pulumi-resource-${name}`), [engine], { cwd: root(), env });
  const [port] = await once(createInterface({ input: running.stdout }), "line");
  expect(port).toMatch(/^\d+$/);
  const command = readFileSync(`/proc/${running.pid}/cmdline`, "utf8").split("\0");
  expect(command.slice(-2)).toEqual([engine, ""]);
  expect(command[1]).toMatch(/dynamic-provider\.cjs$/);
  const kept = readdirSync(join(root(), ".compiled"), { recursive: true });
  expect(kept.length).toBeGreaterThan(100);
  // A killed engine asks nothing more.
  running.stdin.end();
  expect(await once(running, "exit")).toEqual([1, null]);
});
