import { expect, test, vi } from "vitest";
import { createLoginCheck } from "../../components/login.ts";
import type { SshTarget } from "../../core/ssh/ssh.ts";
import { ProblemError } from "../../core/util/problem.ts";

const target: SshTarget = { address: "203.0.113.7", port: 22, user: "root", hostKey: "ssh-ed25519 AAAA" };

test("tries a refused login once for all steps of a run, and names the next command", async () => {
  const login = vi.fn(async () => {
    throw new ProblemError({ kind: "refusedLogin", what: "root@203.0.113.7:22 refuses the login" });
  });
  const { check } = createLoginCheck("prod", login);
  for (const _step of ["preflight", "deploy"]) await expect(check(target)).rejects.toThrow("Then: pulumi up -s prod");
  expect(login).toHaveBeenCalledOnce();
});

test("tries an accepted login once, and not after the first contact", async () => {
  const login = vi.fn(async () => undefined);
  const alone = createLoginCheck("prod", login);
  for (const _step of ["preflight", "deploy"]) await alone.check(target);
  const contacted = createLoginCheck("prod", login);
  contacted.pass();
  await contacted.check(target);
  expect(login).toHaveBeenCalledOnce();
});
