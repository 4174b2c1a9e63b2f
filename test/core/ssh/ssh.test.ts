import type { PublicKeyAuthContext } from "ssh2";
import { test as base, expect } from "vitest";
import { connectSsh, type SshTarget, scanHostKey } from "../../../core/ssh/ssh.ts";
import { isFatal } from "../../../core/ssh/sshErrors.ts";
import { closedPort, keyPair, loginTo, type SshHost, sshHost, use } from "../chain/fakes.ts";

const test = base.extend<{ host: SshHost }>({
  host: async ({ task: _task }, provide) => {
    const host = await sshHost();
    await provide(host);
    await host.close();
  },
});

/** Returns a login's error as its message and whether a retry could help. */
async function refusal(target: SshTarget) {
  const connected = () => new Error("connected");
  const error = await connectSsh(target).then(connected, (thrown: Error) => thrown);
  return { fatal: isFatal(error), message: error.message };
}

test("another key than the pinned one is fatal before any login, and both are named", async ({ host }) => {
  const pinned = keyPair().public.split(" ").slice(0, 2).join(" ");
  expect(await refusal({ ...loginTo(host), hostKey: pinned })).toEqual({
    fatal: true,
    message:
      `127.0.0.1 shows another host key than the pinned one\n  found: ${host.hostKey}\n  needed: ${pinned}\n` +
      "  Was the machine reinstalled, or is somebody in between? Compare the key at the provider's console before you " +
      "change pillar-host:host.hostKey.",
  });
});

const keyOf = ({ key }: PublicKeyAuthContext) => key.data.toString("base64");

test("the login is fatal if refused, and shows no password", async ({ host }) => {
  expect(await refusal({ ...loginTo(host), password: "hunter2" })).toEqual({
    fatal: true,
    message:
      `op@127.0.0.1:${host.port} refuses the login\n` +
      "  needed: set a key or password that the host accepts (pillar-host:ssh)",
  });
});

test.for([undefined, "pass-phrase"])("the login works with a key, pass phrase: %s", async (passphrase) => {
  const user = keyPair(passphrase);
  const [, publicKey = ""] = user.public.split(" ");
  const keyed = await use(sshHost((each) => each.method === "publickey" && keyOf(each) === publicKey));
  const target = { ...loginTo(keyed), password: undefined, privateKey: user.private };
  const session = await connectSsh({ ...target, privateKeyPassword: passphrase });
  expect(session.isOpen).toBe(true);
  session.close();
});

test("the login fails without a crash for a wrong pass phrase", async ({ host }) => {
  const user = keyPair("right");
  const seen = await refusal({ ...loginTo(host), privateKey: user.private, privateKeyPassword: "wrong" });
  expect(seen.message).not.toContain("connected");
});

test("is not fatal if a host closes the connection before it", async () => {
  const closing: SshHost = await use(sshHost(undefined, async () => closing.breakAll()));
  expect(await refusal({ ...loginTo(closing) })).toEqual({
    fatal: false,
    message: `op@127.0.0.1:${closing.port}: the host closed the connection before the login was done`,
  });
});

test("names a port of the host without a listener", async ({ host }) => {
  const port = await closedPort();
  const session = await connectSsh(loginTo(host));
  await expect(session.forward("127.0.0.1", port)).rejects.toThrow(`127.0.0.1:${port} on the host: `);
  session.close();
});

test("reports that sshd forbids the forwarding, not that the node is down", async () => {
  const host = await use(sshHost(undefined, undefined, undefined, { forbidsForwarding: true }));
  const session = await connectSsh(loginTo(host));
  await expect(session.forward("127.0.0.1", 1)).rejects.toThrow(
    "127.0.0.1: its sshd forbids forwarding to 127.0.0.1:1 for op",
  );
  session.close();
});

test("a command gets its input, and returns its output", async ({ host }) => {
  const session = await connectSsh(loginTo(host));
  const result = await session.run("cat; echo heard >&2; exit 3", "an input\n");
  expect(result).toEqual({ exitCode: 3, stdout: "an input\n", stderr: "heard\n" });
  expect(await session.run("kill -9 $$", "")).toMatchObject({ exitCode: undefined });
  session.close();
});

test("a command fails if it prints without end", async ({ host }) => {
  const session = await connectSsh(loginTo(host));
  const tooMuch = "the output of a command on the host is larger than 0.25 MiB";
  await expect(session.run("yes", "")).rejects.toThrow(tooMuch);
  expect(await session.run("head -c 262144 /dev/zero | tr '\\0' x", "")).toMatchObject({ exitCode: 0 });
  // Two bytes a character: the limit counts bytes.
  await expect(session.run("yes é | head -n 140000 | tr -d '\\n'", "")).rejects.toThrow(tooMuch);
  session.close();
});

test("the scan of a host key returns the key that the host shows, without a login", async ({ host }) => {
  expect(await scanHostKey("127.0.0.1", host.port)).toBe(host.hostKey);
  const port = await closedPort();
  await expect(scanHostKey("127.0.0.1", port)).rejects.toThrow(`127.0.0.1:${port}: connect ECONNREFUSED`);
});
