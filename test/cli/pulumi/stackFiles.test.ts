import { afterEach, expect, test, vi } from "vitest";
import type { Pulumi } from "../../../cli/pulumi/pulumiCommand";
import { runOrPrintUp, runUp } from "../../../cli/pulumi/stackFiles";

const printed = vi.spyOn(console, "log").mockImplementation(() => undefined);
afterEach(() => printed.mockClear());

const engine = () => {
  const handOver = vi.fn(async () => 3);
  return { handOver, asEngine: { handOver } as unknown as Pulumi };
};

test("prints the command without --up, and runs nothing", async () => {
  const { handOver, asEngine } = engine();
  expect(await runOrPrintUp("prod", false, ["--yes"], asEngine)).toBe(0);
  expect(printed.mock.calls).toEqual([["Then:\n  pulumi up -s prod --yes"]]);
  expect(handOver).not.toHaveBeenCalled();
});

test.each([
  ["with --up", (asEngine: Pulumi) => runOrPrintUp("prod", true, ["--yes"], asEngine)],
  ["from resume", (asEngine: Pulumi) => runUp("prod", ["--yes"], asEngine)],
])("prints and runs the command %s, and returns its exit code", async (_, run) => {
  const { handOver, asEngine } = engine();
  expect(await run(asEngine)).toBe(3);
  expect(printed.mock.calls).toEqual([["running: pulumi up -s prod --yes"]]);
  expect(handOver).toHaveBeenCalledWith(["up", "--yes"]);
});
