import { spawnSync } from "node:child_process";
import { expect, it, test } from "vitest";
import { computeFingerprint } from "../../../core/ssh/publicKey";
import { keyPair } from "../chain/fakes";

const line = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";

test("github.com's key has the fingerprint that github.com publishes", () => {
  expect(computeFingerprint(line)).toBe("SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU");
});

test("a comment changes nothing", () => {
  expect(computeFingerprint(`${line} git@github.com`)).toBe(computeFingerprint(line));
});

// Only where OpenSSH is installed: it is no dependency of the unit tests.
it.runIf(spawnSync("ssh-keygen", ["-?"]).error === undefined)("ssh-keygen says the same of a new key", () => {
  const key = keyPair().public;
  const said = spawnSync("ssh-keygen", ["-l", "-f", "-"], { input: `${key}\n`, encoding: "utf8" }).stdout;
  expect(said.split(" ")[1]).toBe(computeFingerprint(key));
});
