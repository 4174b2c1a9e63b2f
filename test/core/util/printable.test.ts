import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { isPrintable, printable, printableLines } from "../../../core/util/printable";
import { say } from "../../../core/util/say";
import { evilText, harmless } from "../../evilText";

test("one line keeps nothing that commands a terminal, or that turns text around", () => {
  expect(printable(evilText)).toBe(harmless);
  expect(printable("a\tb\nc\u0000\u2028d")).toBe("a bcd");
});

test("one line holds no colour as the engine writes it, at which it may end itself", () => {
  expect(printable("a<{%x%}>b<\u0007{%")).toBe("a<{ %x%}>b<{ %");
});

test("several lines stay lines", () => {
  expect(printableLines(`x\n${evilText}\n`)).toBe(`x\n${harmless}\n`);
});

test("what is compared is refused, not mended", () => {
  expect(["z1qexample", ""].map(isPrintable)).toEqual([true, true]);
  expect([evilText, "z1q\u200bexample", 1, undefined].map(isPrintable)).toEqual([false, false, false, false]);
});

test("what a provider says is filtered", () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  say(`waiting\n${evilText}`);
  expect(log.mock.calls).toEqual([[`waiting\n${harmless}`]]);
  log.mockRestore();
});

test("providers and components have no other way to the terminal", () => {
  const project = join(import.meta.dirname, "../../..");
  const files = globSync("{providers,components}/**/*.ts", { cwd: project });
  expect(files.length).toBeGreaterThan(20);
  const others = files.filter(
    (file) =>
      file !== "components/log.ts" &&
      /console\.\w+\(|pulumi\.log|process\.std/.test(readFileSync(join(project, file), "utf8")),
  );
  expect(others, "components/log.ts and core/util/say.ts tell the operator").toEqual([]);
});
