import { expect, test } from "vitest";
import { computeFingerprint } from "../../../core/ssh/publicKey";

const line = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";

test.each([line, `${line} git@github.com`])("computes github.com's published fingerprint of %s", (key) => {
  expect(computeFingerprint(key)).toBe("SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU");
});
