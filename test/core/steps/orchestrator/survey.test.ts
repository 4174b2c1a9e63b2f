import { expect } from "vitest";
import { formatAssignments } from "../../../../core/ssh/shellWords.ts";
import { readOrchestratorLibrary } from "../../../../core/steps/libraries.ts";
import { test } from "../sandbox.ts";

test.for([
  ["ssh-ed25519", "ed25519"],
  ["ssh-rsa", "rsa"],
  ["ecdsa-sha2-nistp256", "ecdsa"],
])(
  "asks a host for its key of the pinned type alone, %s, in one connection",
  async ([key_type = "", type], { box }) => {
    box.command(
      "ssh-keyscan",
      `echo "$*" >> "$sandbox/asked"; echo "# h:2222 SSH-2.0"; echo "[h]:2222 ${key_type} AAAA"`,
    );
    const variables = formatAssignments({ address: "203.0.113.5", port: 2222, key_type });
    const { code, stdout } = await box.run(`${box.library(readOrchestratorLibrary())}\n${variables}orchestrator_scan`);
    expect([code, stdout]).toEqual([0, `${key_type} AAAA\n`]);
    expect(box.read("asked")).toBe(`-T 10 -t ${type} -p 2222 -- 203.0.113.5\n`);
  },
);
