import { expect, test } from "vitest";
import { createLoginCheck } from "../../components/login";
import type { SshTarget } from "../../core/ssh/ssh";
import { createLoginRefusal } from "../../core/ssh/sshErrors";

const target: SshTarget = { address: "203.0.113.7", port: 22, user: "root", hostKey: "ssh-ed25519 AAAA" };

test("tries a refused login once for all steps of a run, and names the next command", async () => {
  let logins = 0;
  const { check } = createLoginCheck("prod", async () => {
    logins += 1;
    throw createLoginRefusal("login", { what: "root@203.0.113.7:22 refuses the login" });
  });
  for (const _step of ["preflight", "deploy"]) await expect(check(target)).rejects.toThrow("Then: pulumi up -s prod");
  expect(logins).toBe(1);
});

test("tries an accepted login once, and not after the first contact", async () => {
  let logins = 0;
  const login = async () => {
    logins += 1;
    return 100;
  };
  const alone = createLoginCheck("prod", login);
  await alone.check(target);
  await alone.check(target);
  expect(logins).toBe(1);
  const contacted = createLoginCheck("prod", login);
  contacted.pass();
  await contacted.check(target);
  expect(logins).toBe(1);
});
