import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { isPrintable, printable, printableLines, say } from "../../../core/util/printable.ts";
import { evilText, harmless } from "../../evilText.ts";
import { soon } from "../../soon.ts";

test("removes control characters and bidi overrides from a line", () => {
  expect(printable(evilText)).toBe(harmless);
  expect(printable("a\tb\nc\u0000\u2028d")).toBe("a bcd");
});

test("breaks the engine's colour tags", () => {
  expect(printable("a<{%x%}>b<\u0007{%")).toBe("a<{ %x%}>b<{ %");
});

test("keeps line breaks between lines", () => {
  expect(printableLines(`x\n${evilText}\n`)).toBe(`x\n${harmless}\n`);
});

test("refuses unprintable values that are compared", () => {
  expect(["z1qexample", ""].map(isPrintable)).toEqual([true, true]);
  expect([evilText, "z1q\u200bexample", 1, undefined].map(isPrintable)).toEqual([false, false, false, false]);
});

test("filters what a provider prints", () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  say(`waiting\n${evilText}`);
  expect(log.mock.calls).toEqual([[`waiting\n${harmless}`]]);
  log.mockRestore();
});

test("say sends a line only after the line before it has arrived", async () => {
  vi.resetModules();
  const fresh = await import("../../../core/util/printable.ts");
  expect(fresh.linesSent()).toBeUndefined();
  const [arrived, later]: [string[], (() => void)[]] = [[], []];
  fresh.sendLines((text) => new Promise<void>((resolve) => later.push(resolve)).then(() => arrived.push(text)));
  for (const line of ["one", "two"]) fresh.say(line);
  await soon(() => expect(later.length).toBe(1));
  later[0]?.();
  await soon(() => expect(later.length).toBe(2));
  later[1]?.();
  await fresh.linesSent();
  expect(arrived).toEqual(["one", "two"]);
});

test("providers and components print only with say", () => {
  const project = join(import.meta.dirname, "../../..");
  const files = globSync("{providers,components}/**/*.ts", { cwd: project });
  expect(files.length).toBeGreaterThan(20);
  const others = files.filter(
    (file) =>
      !["components/log.ts", "providers/runtime/engine.ts"].includes(file) &&
      /console\.\w+\(|pulumi\.log|process\.std/.test(readFileSync(join(project, file), "utf8")),
  );
  expect(others, "components/log.ts, showBeside and say of core/util/printable.ts tell the operator").toEqual([]);
});
