import { expect, test } from "vitest";
import { type InitFlags, listMissingAnswers } from "../../../cli/init/initFlags";

/** Returns the first words of each missing answer. */
const missing = (stack: string | undefined, flags: InitFlags, hasPassphrase = true) =>
  listMissingAnswers(stack, flags, hasPassphrase).map((line) => line.replace(/[ ,:].*/, ""));

const reference = ["http://192.0.2.1:35997"];
const existing = { pillar: "Anvil", provider: "existing", address: "203.0.113.7", agent: true, reference } as const;

test("lists every missing answer, and the pass phrase", () => {
  expect(missing(undefined, {}, false)).toEqual([
    "STACK",
    "--pillar",
    "--provider",
    "--old-host",
    "--key-file",
    "PULUMI_CONFIG_PASSPHRASE",
  ]);
});

test("requires address and host key of an existing server", () => {
  expect(missing("prod-2", { provider: "existing", reference })).toEqual([
    "--pillar",
    "--address",
    "--fingerprint",
    "--key-file",
  ]);
  expect(missing("prod", { adopt: true })).toEqual(["--pillar", "--address", "--fingerprint", "--key-file"]);
  expect(missing("prod-2", existing)).toEqual(["--fingerprint"]);
  expect(missing("prod-2", { ...existing, agent: false, password: true })).toEqual(["--fingerprint"]);
  for (const known of [{ hostKey: "ssh-ed25519 AAAA" }, { fingerprint: "SHA256:x" }, { acceptHostKey: true }])
    expect(missing("prod-2", { ...existing, ...known })).toEqual([]);
});

test("requires networks and a key file for an ordered server, not the agent", () => {
  const cloud = { pillar: "Anvil", provider: "hetzner", reference } as const;
  expect(missing("prod-2", { ...cloud, agent: true })).toEqual(["--ssh-from", "--key-file"]);
  expect(missing("prod-2", { ...cloud, sshFrom: ["192.0.2.1/32"], keyFile: "k" })).toEqual([]);
});

test("requires a witness of the chain for a new host, and the old host's key", () => {
  const alone = { ...existing, fingerprint: "SHA256:x", reference: undefined as never };
  expect(missing("prod-2", { ...alone })).toEqual(["--old-host"]);
  expect(missing("prod-2", { ...alone, oldHost: "198.51.100.9" })).toEqual(["--old-fingerprint"]);
  expect(missing("prod-2", { ...alone, oldHost: "198.51.100.9", oldHostKey: "ssh-ed25519 AAAA" })).toEqual([]);
});
