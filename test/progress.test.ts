import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { elapsed, step } from "../lab/util/progress";

let lines: string[];
const print = (line: string) => void lines.push(line);

beforeEach(() => {
  lines = [];
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

test("formats the elapsed time", () => {
  expect([0, 12_400, 59_600, 184_000].map(elapsed)).toEqual(["0 s", "12 s", "1 min 00 s", "3 min 04 s"]);
});

const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

test("prints its start, its progress every ten seconds, and its duration", async () => {
  const work = step("packages", () => sleep(25_000).then(() => "result"), { print });
  await vi.advanceTimersByTimeAsync(25_000);
  expect(await work).toBe("result");
  const said = [" …", ": still going after 10 s", ": still going after 20 s", ": done in 25 s"];
  expect(lines).toEqual(said.map((words) => `packages${words}`));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(lines).toHaveLength(4);
});

test("shows the last line of a tool's output, cut to fit", async () => {
  const work = step(
    "build",
    async ({ detail }) => {
      detail("first");
      detail(`  ${"x".repeat(100)}  `);
      await sleep(10_000);
    },
    { print },
  );
  await vi.advanceTimersByTimeAsync(10_000);
  await work;
  expect(lines[1]).toBe(`build: still going after 10 s (${"x".repeat(79)}…)`);
});

test("follows a stream without its empty lines", async () => {
  vi.useRealTimers();
  await step(
    "build",
    async ({ follow }) => {
      follow(Readable.from(["one\ntwo\n", "\n"]));
      await sleep(50);
    },
    { print, heartbeatMs: 30 },
  );
  expect(lines[1]).toBe("build: still going after 0 s (two)");
});

test("says that it failed, and fails", async () => {
  const failing = step("build", () => Promise.reject(new Error("no luck")), { print });
  await expect(failing).rejects.toThrow("no luck");
  expect(lines).toEqual(["build …", "build: failed after 0 s"]);
});
