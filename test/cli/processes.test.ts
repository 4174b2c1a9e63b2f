import { expect, test, vi } from "vitest";
import { parseProcess, processSeen } from "../../cli/processes";

const now = Date.parse("2026-11-21T15:00:00Z");
const second = 1000;
const hour = 3600 * second;

test.each<[string, string, number]>([
  ["Sl          00:05 pulumi", "pulumi", 5 * second],
  ["S+       01:02:03 pulumi", "pulumi", hour + 123 * second],
  ["Ss    03-04:00:00 /opt/homebrew/bin/pulumi", "pulumi", 76 * hour],
  ["S           10:00 Some App", "Some App", 600 * second],
])("a process of ps is read: %s", (line, name, age) => {
  expect(parseProcess(`${line}\n`, now)).toEqual({ kind: "process", name, startedAt: now - age });
});

test("a process that only waits for its parent is gone", () => {
  expect(parseProcess("Z           00:05 pulumi <defunct>\n", now)).toEqual({ kind: "nothing" });
});

test("what ps does not tell is not known", () => {
  expect(parseProcess("\n", now)).toEqual({ kind: "something" });
});

test("this process is seen with its start, and a free process id is not", async () => {
  const seen = await processSeen(process.pid);
  if (seen.kind !== "process") throw new Error(`seen: ${seen.kind}`);
  expect(Math.abs(seen.startedAt - (Date.now() - process.uptime() * second))).toBeLessThan(3 * second);
  expect(await processSeen(2 ** 30)).toEqual({ kind: "nothing" });
});

test("a process of somebody else, which may not be asked, is seen all the same", async () => {
  const kill = vi.spyOn(process, "kill").mockImplementation(() => {
    throw Object.assign(new Error("kill EPERM"), { code: "EPERM" });
  });
  const seen = await processSeen(process.pid);
  kill.mockRestore();
  expect(seen.kind).toBe("process");
});
