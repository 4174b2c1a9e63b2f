import { expect, test } from "vitest";
import { computeFingerprint, isSameHost } from "../../../core/ssh/publicKey.ts";

const line = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";

test.each([line, `${line} git@github.com`])("computes github.com's published fingerprint of %s", (key) => {
  expect(computeFingerprint(key)).toBe("SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU");
});

const now = { address: "192.0.2.1", hostKey: "ssh-ed25519 NEW" };

test.each<[string, Parameters<typeof isSameHost>[0], boolean]>([
  ["the same", now, true],
  ["the same key with a comment", { ...now, hostKey: "ssh-ed25519 NEW root@pillar" }, true],
  ["installed anew at the same address", { ...now, hostKey: "ssh-ed25519 OLD" }, false],
  ["another address, and a copied key", { ...now, address: "192.0.2.2" }, false],
  ["no key was recorded", { address: now.address }, true],
  ["a key that nobody had recorded yet", { ...now, hostKey: "" }, true],
  ["no key was recorded, another address", { address: "192.0.2.2" }, false],
])("compares a machine with its earlier facts: %s", (_what, known, isSame) => {
  expect(isSameHost(known, now)).toBe(isSame);
});
