import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Pulumi } from "../../../cli/pulumi/pulumiCommand.ts";
import { findStackOf, runUp, writeSettings } from "../../../cli/pulumi/stackFiles.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";

const scratch = scratchDirectory();

test.each([
  ["prints the command, and runs nothing", { up: false }, 0, "Then:\n  pulumi up -s prod --yes", [], 0],
  [
    "runs the command, and says how to go on",
    { up: true },
    3,
    "running: pulumi up -s prod --yes",
    [["up", "--yes"]],
    1,
  ],
  [
    "leaves it to migrate to say how to go on",
    { up: true, command: "migrate" as const },
    3,
    "running: pulumi up -s prod --yes",
    [["up", "--yes"]],
    0,
  ],
])("%s", async (_, options, exitCode, line, ran, said) => {
  const printed = vi.spyOn(console, "log").mockImplementation(() => undefined);
  const failed = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const handOver = vi.fn(async () => 3);
  expect(await runUp("prod", options, ["--yes"], { handOver } as unknown as Pulumi)).toBe(exitCode);
  expect(printed.mock.calls).toEqual([[line]]);
  expect(handOver.mock.calls.flat()).toEqual(ran);
  expect(failed.mock.calls.filter(([text]) => String(text).includes("Nothing is lost."))).toHaveLength(said);
});

test("a key's file takes the place of the key, because both contradict each other", async () => {
  const read = vi.fn(async (_args: readonly string[]) => "");
  await writeSettings({ read } as unknown as Pulumi, {
    "oldHost.privateKeyFile": "~/.ssh/old",
    "oldHost.user": undefined,
  });
  expect(read.mock.calls.map(([args]) => args.join(" "))).toEqual([
    "config rm-all --path pillar-host:oldHost.privateKey",
    "config set-all --path --plaintext pillar-host:oldHost.privateKeyFile=~/.ssh/old",
  ]);
});

test("finds the stack of a host by the stacks' files, and only among the stacks that there are", async () => {
  const write = (name: string, text: string, mode = 0o644) => writeFileSync(join(scratch(), name), text, { mode });
  const listed = JSON.stringify([{ name: "prod-2" }, { name: "prod-1" }, { name: "me/pillar-host/far" }]);
  write(
    "pulumi",
    `#!/bin/sh\n[ "$*" = "stack ls --json --non-interactive --color never" ] && echo '${listed}'\n`,
    0o755,
  );
  for (const [stack, address] of Object.entries({ "prod-1": "1.2.3.4", far: "1.2.3.5", removed: "1.2.3.6" }))
    write(`Pulumi.${stack}.yaml`, `config:\n  pillar-host:host:\n    address: ${address}\n`);
  vi.stubEnv("PATH", `${scratch()}:${process.env.PATH}`);
  const directory = vi.spyOn(process, "cwd").mockReturnValue(scratch());
  onTestFinished(() => {
    vi.unstubAllEnvs();
    directory.mockRestore();
  });
  expect(await findStackOf("1.2.3.4", "prod-2")).toBe("prod-1");
  expect(await findStackOf("1.2.3.5", "prod-2")).toBe("me/pillar-host/far");
  expect(await findStackOf("1.2.3.6", "prod-2")).toBeUndefined();
  expect(await findStackOf("1.2.3.4", "prod-1")).toBeUndefined();
});
