import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { cached, cachePath, cacheRoot } from "../lab/util/cache.ts";

// Builds that must die or run at once do so in processes of their own: this one asks for a "slow" result.
const child = `
  const fs = require("node:fs");
  const { cached } = require(${JSON.stringify(path.resolve(import.meta.dirname, "../lab/util/cache.ts"))});
  cached("slow", "1", async (dir) => {
    fs.appendFileSync(process.env.BUILDS, process.pid + "\\n");
    fs.writeFileSync(dir + "/half", "1");
    await new Promise((resolve) => setTimeout(resolve, Number(process.env.BUILD_MS)));
    fs.writeFileSync(dir + "/whole", "1");
  }, { lockStaleMs: 2000 }).then((dir) => console.log(dir));
`;

let work: string;
let builds: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  work = fs.mkdtempSync(path.join(os.tmpdir(), "cache-"));
  builds = path.join(work, "builds");
  vi.stubEnv("XDG_CACHE_HOME", work);
});

afterEach(() => {
  for (const started of children.splice(0)) started.kill("SIGKILL");
  vi.unstubAllEnvs();
  fs.rmSync(work, { recursive: true, force: true });
});

function start(buildMs: number): ChildProcess {
  const tsx = path.resolve(import.meta.dirname, "../node_modules/tsx/dist/cjs/index.cjs");
  const started = spawn(process.execPath, ["--require", tsx, "-e", child], {
    env: { ...process.env, BUILDS: builds, BUILD_MS: String(buildMs) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(started);
  return started;
}

const result = async ({ stdout }: ChildProcess) => (stdout ? (await text(stdout)).trim() : "");

const buildCount = (): number =>
  fs.existsSync(builds) ? fs.readFileSync(builds, "utf8").trim().split("\n").length : 0;
const left = (): string[] => fs.readdirSync(cacheRoot()).sort();

test("builds what is missing, once, for each version", async () => {
  const build = vi.fn(async (dir: string) => fs.writeFileSync(path.join(dir, "file"), "content"));
  const first = await cached("thing", "1", build);
  expect(first).toBe(path.join(work, "pillar-host/thing-1"));
  expect(await cached("thing", "1", build)).toBe(first);
  expect(build).toHaveBeenCalledTimes(1);
  await cached("thing", "1.1", build);
  expect(build).toHaveBeenCalledTimes(2);
  expect(fs.readFileSync(path.join(first, "file"), "utf8")).toBe("content");
  expect(left()).toEqual(["thing-1", "thing-1.1"]);
});

test("removes the result of a killed build", async () => {
  const killed = start(60_000);
  await expect.poll(buildCount).toBe(1);
  const dead = result(killed);
  killed.kill("SIGKILL");
  await dead;
  expect(left().filter((name) => name.startsWith(".building-"))).toHaveLength(1);
  expect(fs.existsSync(cachePath("slow", "1"))).toBe(false);

  expect(await result(start(1))).toBe(cachePath("slow", "1"));
  expect(fs.readdirSync(cachePath("slow", "1")).sort()).toEqual(["half", "whole"]);
  expect(left()).toEqual(["slow-1"]);
});
