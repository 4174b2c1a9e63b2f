import { expect, test } from "vitest";
import { commandsFor } from "../../../core/util/commands.ts";

const prod = commandsFor("prod-2");

test.each([
  [commandsFor("a b").up, "pulumi up -s 'a b'"],
  [prod.removePlain("a.b"), "pulumi config rm pillar-host:a.b -s prod-2"],
  [
    prod.set("host.sshFrom[0]", "198.51.100.7/32"),
    "pulumi config set --path 'pillar-host:host.sshFrom[0]' 198.51.100.7/32 -s prod-2",
  ],
  [prod.set("a", "ssh-ed25519 AAAA"), "pulumi config set --path pillar-host:a 'ssh-ed25519 AAAA' -s prod-2"],
  // With --path alone the engine stores a decimal number as a text, and a text of digits as a number.
  [prod.set("a", 0.5), "pulumi config set --type float --path pillar-host:a 0.5 -s prod-2"],
  [prod.setText("a", "7"), "pulumi config set --type string --path pillar-host:a 7 -s prod-2"],
  [prod.setSecret("ssh.password"), "pulumi config set --secret --path pillar-host:ssh.password -s prod-2"],
  [prod.move("a b", "--no-up"), "./pillar-host move prod-2 --from 'a b' --no-up"],
  [prod.restoreFrom("prod", "--no-up"), "./pillar-host restore prod-2 --from prod --no-up"],
  [prod.migrate("prod", "--yes"), "./pillar-host migrate prod prod-2 --yes"],
])("prints %s", (command, printed) => {
  expect(command).toBe(printed);
});
