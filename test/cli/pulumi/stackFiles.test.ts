import { expect, test, vi } from "vitest";
import type { Pulumi } from "../../../cli/pulumi/pulumiCommand.ts";
import { runOrPrintUp } from "../../../cli/pulumi/stackFiles.ts";

test.each([
  ["prints the command, and runs nothing", false, 0, "Then:\n  pulumi up -s prod --yes", []],
  ["runs the command that it prints", true, 3, "running: pulumi up -s prod --yes", [["up", "--yes"]]],
])("%s", async (_, up, exitCode, line, ran) => {
  const printed = vi.spyOn(console, "log").mockImplementation(() => undefined);
  const handOver = vi.fn(async () => 3);
  expect(await runOrPrintUp("prod", up, ["--yes"], { handOver } as unknown as Pulumi)).toBe(exitCode);
  expect(printed.mock.calls).toEqual([[line]]);
  expect(handOver.mock.calls.flat()).toEqual(ran);
});
