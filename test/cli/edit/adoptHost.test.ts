import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keyPair } from "../../core/chain/fakes.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";
import { printConfig, runTool } from "../fakePulumi.ts";

const place = scratchDirectory();
const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const config = {
  pillar: { name: "Anvil" },
  host: { provider: "existing", address: "203.0.113.7" },
  ssh: { privateKey: keyPair().private },
  controller: { release: { url: "https://example.org/controller.zip" } },
  sync: { references: ["https://one.example.org", "https://two.example.org"] },
};

test.each(["prod-1", "organization/pillar-host/prod-1"])(
  "adopt goes on with its stack after a kill, and names its file: %s",
  async (stack) => {
    // The killed run made the stack, and wrote its file.
    writeFileSync(
      join(place(), "Pulumi.prod-1.yaml"),
      "config:\n  pillar-host:host:\n    provider: existing\n    address: 203.0.113.5\n",
    );
    const script = `case "$*" in
      "stack ls "*) echo '[{"name":"prod-2"},{"name":"prod-1"}]' ;;
      "stack export "*) echo '{"deployment":{}}' ;;
      "config --json "*) cat <<'END'\n${printConfig(config)}\nEND\n;;
      "config "*) ;;
      *) echo "not expected: $*" >&2; exit 1 ;;
    esac`;
    const args = ["adopt", stack, "203.0.113.5", "--like", "prod-2", "--host-key", hostKey, "--no-up"];
    const { all, exitCode } = await runTool(place(), script, args);
    expect(all).toContain("is now the stack of 203.0.113.5 (Pulumi.prod-1.yaml), with the login and the pass phrase");
    expect(exitCode).toBe(0);
  },
);
