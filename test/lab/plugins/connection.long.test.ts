import { spawn } from "node:child_process";
import net, { type AddressInfo } from "node:net";
import path from "node:path";
import ssh2, { type AuthContext } from "ssh2";
import { describe, expect, test } from "vitest";
import { contract } from "../contracts/contract";
import {
  COMMAND,
  cleanUp,
  failure,
  hostKey,
  lockedKey,
  PASS_PHRASE,
  PASSWORD,
  plugin,
  startPlugin,
  startServer,
  to,
  usePlugin,
  userKey,
  work,
} from "./fixture";
import { secret } from "./provider";

contract("command plugin", ["pulumi-resource-command"], (kind) => {
  usePlugin(kind);

  describe("defaults", () => {
    test("check fills in user, port and dial limits", async () => {
      const { inputs } = await plugin.check(COMMAND, { connection: { host: "h" }, create: "true" });
      expect(inputs).toEqual({
        connection: secret({ host: "h", user: "root", port: 22, dialErrorLimit: 10, perDialTimeout: 15 }),
        create: "true",
      });
    });

    test("the default user logs in", async () => {
      const server = await startServer();
      await plugin.create(COMMAND, { connection: to(server), create: "true" });
      expect(server.attempts.at(-1)).toBe("publickey root");
    });
  });

  const otherKey = ssh2.utils.generateKeyPairSync("ed25519");

  describe("host key", () => {
    test("a host with the pinned key is used", async () => {
      const server = await startServer();
      const connection = to(server, { hostKey: `${hostKey.public} a comment` });
      const { outputs } = await plugin.create(COMMAND, { connection, create: "echo hello" });
      expect(outputs.stdout).toBe("hello");
    });

    test("a host with another key is refused before anything is authenticated", async () => {
      const server = await startServer();
      const connection = to(server, { hostKey: otherKey.public });
      const message = await failure(plugin.create(COMMAND, { connection, create: "echo hello" }));
      expect(message).toContain("after 0 failed attempts: ssh: handshake failed: ssh: host key mismatch");
      expect(server.attempts).toEqual([]);
      expect(server.commands).toEqual([]);
    });

    test("without one any host is used", async () => {
      const server = await startServer({ hostKey: otherKey.private });
      const { outputs } = await plugin.create(COMMAND, { connection: to(server), create: "echo hello" });
      expect(outputs.stdout).toBe("hello");
    });

    test("what is no key is said to be none", async () => {
      const connection = { host: "127.0.0.1", hostKey: "nonsense" };
      const message = await failure(plugin.create(COMMAND, { connection, create: "true" }));
      expect(message).toContain("failed to parse host key: ssh: no key found");
    });
  });

  describe("dialing", () => {
    test("retries dialErrorLimit times, says so, and then gives up with the last error", async () => {
      const port = await closedPort();
      const connection = to({ port }, { dialErrorLimit: 2 });
      const message = await failure(plugin.create(COMMAND, { connection, create: "true" }));
      expect(message).toBe(`after 2 failed attempts: dial tcp 127.0.0.1:${port}: connect: connection refused`);
      expect(plugin.live()).toEqual(["Dial 1/2 failed: retrying", "Dial 2/2 failed: retrying"]);
    });

    test("retries a key that the host refuses, too", async () => {
      const server = await startServer({ authenticate: () => false });
      const message = await failure(
        plugin.create(COMMAND, { connection: to(server, { dialErrorLimit: 2 }), create: "true" }),
      );
      expect(message).toContain("after 2 failed attempts: ssh: handshake failed: ssh: unable to authenticate");
      expect(server.connections).toBe(3);
    });

    test("without a limit waits until the host is there", async () => {
      const port = await closedPort();
      const created = plugin.create(COMMAND, { connection: to({ port }, { dialErrorLimit: -1 }), create: "echo up" });
      await expect.poll(() => plugin.live()).toContain("Dial 2/inf failed: retrying");
      await startServer({ port });
      expect((await created).outputs.stdout).toBe("up");
    });

    test("perDialTimeout ends an attempt that nobody answers", async () => {
      const port = await silentPort();
      const started = Date.now();
      const message = await failure(
        plugin.create(COMMAND, { connection: to({ port }, { perDialTimeout: 1 }), create: "true" }),
      );
      expect(message).toBe(`after 0 failed attempts: dial tcp 127.0.0.1:${port}: i/o timeout`);
      // The default is fifteen seconds.
      expect(Date.now() - started).toBeLessThan(12_000);
    });

    test("goes through a proxy", async () => {
      const [server, bastion] = [await startServer(), await startServer()];
      const { dialErrorLimit: _, ...proxy } = to(bastion);
      const { outputs } = await plugin.create(COMMAND, { connection: to(server, { proxy }), create: "echo there" });
      expect(outputs.stdout).toBe("there");
      expect([server.connections, bastion.connections, bastion.commands]).toEqual([1, 1, []]);
    });

    test("a connection stays open until the plugin ends", async () => {
      const server = await startServer();
      await plugin.create(COMMAND, { connection: to(server), create: "true" });
      await plugin.create(COMMAND, { connection: to(server), create: "true" });
      expect(server.open).toBe(2);
      await plugin.stop();
      await expect.poll(() => server.open).toBe(0);
    });
  });

  describe("authentication", () => {
    const offers = (key: string) => (attempt: AuthContext) =>
      attempt.method === "publickey" && attempt.key.data.equals(publicBytes(key));

    test("with a private key", async () => {
      const server = await startServer({ authenticate: offers(userKey.public) });
      await plugin.create(COMMAND, { connection: to(server, { user: "operator" }), create: "true" });
      expect(server.attempts).toContain("publickey operator");
    });

    test("with a private key that has a pass phrase", async () => {
      const server = await startServer({ authenticate: offers(lockedKey.public) });
      const connection = to(server, { privateKey: lockedKey.private, privateKeyPassword: PASS_PHRASE });
      await plugin.create(COMMAND, { connection, create: "true" });
      const without = to(server, { privateKey: lockedKey.private });
      expect(await failure(plugin.create(COMMAND, { connection: without, create: "true" }))).toContain(
        "ssh: this private key is passphrase protected",
      );
    });

    test("with a password", async () => {
      const server = await startServer({
        authenticate: (attempt) => attempt.method === "password" && attempt.password === PASSWORD,
      });
      const { privateKey: _, ...rest } = to(server);
      await plugin.create(COMMAND, { connection: { ...rest, password: PASSWORD }, create: "true" });
      expect(server.commands).toEqual(["true"]);
    });

    test("with a password that is asked for interactively", async () => {
      const server = await startServer({ authenticate: () => false, ask: PASSWORD });
      const { privateKey: _, ...rest } = to(server);
      await plugin.create(COMMAND, { connection: { ...rest, password: PASSWORD }, create: "true" });
      expect(server.commands).toEqual(["true"]);
    });

    test("tries the key first, then the password, then interactively", async () => {
      const server = await startServer({ authenticate: () => false });
      await failure(plugin.create(COMMAND, { connection: to(server, { password: PASSWORD }), create: "true" }));
      expect(server.attempts).toEqual(["none root", "publickey root", "password root", "keyboard-interactive root"]);
    });

    test("with an agent, by agentSocketPath or else SSH_AUTH_SOCK", async () => {
      const server = await startServer({ authenticate: offers(userKey.public) });
      const socket = await startAgent();
      const { privateKey: _, ...rest } = to(server);
      await plugin.create(COMMAND, { connection: { ...rest, agentSocketPath: socket }, create: "echo by path" });

      const other = await startPlugin({ SSH_AUTH_SOCK: socket });
      await other.create(COMMAND, { connection: rest, create: "echo by variable" });
      expect(server.commands).toEqual(["echo by path", "echo by variable"]);
    });
  });

  /** A loopback port that nobody listens on. */
  async function closedPort(): Promise<number> {
    const server = net.createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }

  // A listener that never accepts, with its backlog full: the kernel drops what else wants to connect.
  async function silentPort(): Promise<number> {
    const script = `const s = require("node:net").createServer();
    s.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => console.log(s.address().port))`;
    const listener = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
    cleanUp(() => listener.kill("SIGKILL"));
    const port = Number(await new Promise((resolve) => listener.stdout.once("data", resolve)));
    listener.kill("SIGSTOP");
    for (let i = 0; i < 4; i++) {
      const filler = net.connect(port, "127.0.0.1").on("error", () => undefined);
      cleanUp(() => filler.destroy());
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
    return port;
  }

  function publicBytes(key: string): Buffer {
    return Buffer.from(key.split(" ")[1] as string, "base64");
  }

  async function startAgent(): Promise<string> {
    const key = ssh2.utils.parseKey(userKey.private);
    if (key instanceof Error) throw key;
    const server = net.createServer((socket) => {
      const agent = new ssh2.AgentProtocol(false);
      agent.on("identities", (request) => agent.getIdentitiesReply(request, [key]));
      agent.on("sign", (request, _key, data) => agent.signReply(request, key.sign(data)));
      socket.pipe(agent).pipe(socket);
      socket.on("error", () => undefined);
      cleanUp(() => socket.destroy());
    });
    const socket = path.join(work, "agent");
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    cleanUp(() => server.close());
    return socket;
  }
});
