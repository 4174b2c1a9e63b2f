import { spawnSync } from "node:child_process";
import { expect, it, test } from "vitest";
import { computeFingerprint } from "../../../core/ssh/publicKey";
import { keyPair } from "../chain/fakes";

const line = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";

test("computes github.com's published fingerprint", () => {
  expect(computeFingerprint(line)).toBe("SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU");
});

test("ignores a comment", () => {
  expect(computeFingerprint(`${line} git@github.com`)).toBe(computeFingerprint(line));
});

// The unit tests do not depend on OpenSSH, so this one needs an installed one.
it.runIf(spawnSync("ssh-keygen", ["-?"]).error === undefined)("agrees with ssh-keygen about a new key", () => {
  const key = keyPair().public;
  const said = spawnSync("ssh-keygen", ["-l", "-f", "-"], { input: `${key}\n`, encoding: "utf8" }).stdout;
  expect(said.split(" ")[1]).toBe(computeFingerprint(key));
});
