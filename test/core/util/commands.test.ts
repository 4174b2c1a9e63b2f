import { describe, expect, test } from "vitest";
import { commandsFor } from "../../../core/util/commands";

describe("a printed command", () => {
  const prod = commandsFor("prod-2");

  test("names its stack", () => {
    expect([prod.up, prod.destroy, prod.refresh, prod.preview]).toEqual([
      "pulumi up -s prod-2",
      "pulumi destroy -s prod-2",
      "pulumi refresh -s prod-2",
      "pulumi preview -s prod-2",
    ]);
    expect(prod.remove("lifecycle")).toBe("pulumi config rm --path pillar-host:lifecycle -s prod-2");
    expect(prod.status("--watch")).toMatch(/pillar-host status prod-2 --watch$/);
    expect(prod.resume()).toMatch(/pillar-host resume prod-2$/);
    expect(prod.report("--directory", "DIR")).toMatch(/pillar-host report prod-2 --directory DIR$/);
  });

  test("is quoted only if the shell requires it", () => {
    expect(prod.set("host.address", "203.0.113.7")).toBe(
      "pulumi config set --path pillar-host:host.address 203.0.113.7 -s prod-2",
    );
    expect(prod.set("host.sshFrom[0]", "198.51.100.7/32")).toBe(
      "pulumi config set --path 'pillar-host:host.sshFrom[0]' 198.51.100.7/32 -s prod-2",
    );
    expect(prod.set("host.hostKey", "ssh-ed25519 AAAA")).toBe(
      "pulumi config set --path pillar-host:host.hostKey 'ssh-ed25519 AAAA' -s prod-2",
    );
    expect(commandsFor("a b").up).toBe("pulumi up -s 'a b'");
  });

  test("never contains a secret", () => {
    expect(prod.setSecret("ssh.password")).toBe("pulumi config set --secret --path pillar-host:ssh.password -s prod-2");
  });

  test("keeps a name of digits a text", () => {
    expect(prod.setText("node.service", "7")).toBe(
      "pulumi config set --type string --path pillar-host:node.service 7 -s prod-2",
    );
  });
});
