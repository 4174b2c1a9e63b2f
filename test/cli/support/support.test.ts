import { expect, test } from "vitest";
import { listSecrets } from "../../../cli/support/support";

test("lists the stack's secrets, and those of the terminal", () => {
  const raw = {
    ssh: { privateKey: "private", address: "203.0.113.7" },
    notify: "https://hook",
    sync: { tolerance: 3 },
  };
  const env = { AWS_SECRET_ACCESS_KEY: "aws-key", HOME: "/root", PULUMI_CONFIG_PASSPHRASE: "pass phrase" };
  expect(listSecrets(raw, env).sort()).toEqual(["aws-key", "https://hook", "pass phrase", "private"]);
});
