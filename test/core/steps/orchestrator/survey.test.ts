import { expect } from "vitest";
import { formatAssignments } from "../../../../core/ssh/shellWords.ts";
import { readOrchestratorLibrary } from "../../../../core/steps/libraries.ts";
import { test } from "../sandbox.ts";

test("asks a host for its key of the pinned type alone, in one connection", async ({ box }) => {
  box.command(
    "ssh-keyscan",
    'echo "$*" >> "$sandbox/asked"; echo "# h:2222 SSH-2.0"; echo "[h]:2222 ssh-ed25519 AAAA"',
  );
  const variables = formatAssignments({ address: "203.0.113.5", port: 2222, key_type: "ed25519" });
  const { code, stdout } = await box.run(`${box.library(readOrchestratorLibrary())}\n${variables}orchestrator_scan`);
  expect([code, stdout]).toEqual([0, "ssh-ed25519 AAAA\n"]);
  expect(box.read("asked")).toBe("-T 10 -t ed25519 -p 2222 -- 203.0.113.5\n");
});
