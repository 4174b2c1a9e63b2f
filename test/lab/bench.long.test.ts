import { execa } from "execa";
import { expect, it } from "vitest";
import { type Row, rowNames } from "../../lab/bench/rows";

// That it measures, whatever it finds, beside other tests: a goal is for a machine that does nothing else.
it("the bench comes to its end, with a figure in each row", { timeout: 1_800_000 }, async () => {
  const argv = ["lab/bench/main.ts", "--json", "--trial"];
  const { exitCode, stdout, stderr } = await execa("tsx", argv, { preferLocal: true, reject: false });
  expect(exitCode, stderr.slice(-5000)).toBe(0);
  const rows = JSON.parse(stdout) as Row[];
  expect(rows.map(({ name }) => name)).toEqual(rowNames);
  for (const { name, value } of rows) expect(Number.isFinite(value), name).toBe(true);
});
