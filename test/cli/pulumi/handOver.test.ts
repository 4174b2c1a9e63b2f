import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createPulumi } from "../../../cli/pulumi/pulumiCommand.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";

const scratch = scratchDirectory();

test("pulumi prints no outputs below the next step or the error, unless the operator wants them", async () => {
  const seen = join(scratch(), "seen");
  const pulumi = `#!/bin/sh\n[ "$1" = stack ] && echo '{}' || echo "$1 $PULUMI_OPTION_SUPPRESS_OUTPUTS" >> ${seen}\n`;
  writeFileSync(join(scratch(), "pulumi"), pulumi, { mode: 0o755 });
  vi.stubEnv("PATH", `${scratch()}:${process.env.PATH}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const [set, passed] of [
    [undefined, "true"],
    ["false", "false"],
  ] as const) {
    vi.stubEnv("PULUMI_OPTION_SUPPRESS_OUTPUTS", set);
    expect(await createPulumi("prod").handOver(["up"])).toBe(0);
    expect(readFileSync(seen, "utf8")).toMatch(new RegExp(`up ${passed}\n$`));
  }
});
