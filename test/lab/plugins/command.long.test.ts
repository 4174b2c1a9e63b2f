import net, { type AddressInfo } from "node:net";
import ssh2 from "ssh2";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { contract } from "../contracts/contract.ts";
import { SshServer, type SshServerOptions } from "./sshServer.ts";
import { isSecret, PluginStack, type Resource } from "./stack.ts";

const generate = ssh2.utils.generateKeyPairSync;
const [hostKey, otherKey, userKey] = [generate("ed25519"), generate("ed25519"), generate("ed25519")];
// The lines of the private key that say something.
const unspeakable = userKey.private.split("\n").filter((line) => line.length > 40);

contract("command plugin", ["pulumi-resource-command", "pulumi-language-nodejs"], (kind) => {
  let stack: PluginStack;
  const servers: SshServer[] = [];

  beforeAll(async () => {
    stack = await PluginStack.create(kind, "command");
  }, 900_000);
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
  });
  afterAll(() => {
    stack.expectNone(unspeakable);
    stack.remove();
  });

  async function startServer(options: Partial<SshServerOptions> = {}): Promise<SshServer> {
    const server = await SshServer.start({ hostKey: hostKey.private, ...options });
    servers.push(server);
    return server;
  }
  /** Returns a connection with the user's key that gives up at the first error. */
  const to = ({ port }: { port: number }, more: object = {}) => ({
    host: "127.0.0.1",
    port,
    privateKey: userKey.private,
    dialErrorLimit: 0,
    ...more,
  });
  const run = (connection: object, create: string, more: object = {}, opts: object = {}): Resource => ({
    type: "remote.Command",
    args: { connection, create, addPreviousOutputInEnv: false, logging: "none", ...more },
    opts,
  });
  const stdout = (name: string) => stack.kept()[name]?.outputs.stdout;
  /** Runs all resources in one up, whichever of them fail. */
  const upAll = (resources: PluginStack["resources"]) => {
    stack.resources = resources;
    return stack.pulumi("up", "--yes", "--skip-preview", "--continue-on-error");
  };

  describe("a run", () => {
    test("does not happen in a preview, gets stdin, follows a changed input, and is replaced by triggers", async () => {
      const server = await startServer();
      const step = (stdin: string, trigger: string) => ({
        step: run(to(server), "cat; printf 'a\\n\\n'; printf 'b\\n' >&2", { stdin, triggers: [trigger] }),
      });
      expect(await stack.preview(step("one ", "a"))).toMatchObject({ step: "create" });
      expect(server.connections).toBe(0);
      await stack.up();
      expect([stdout("step"), stack.kept().step?.outputs.stderr]).toEqual(["one a\n", "b"]);
      expect(await stack.up()).toContain("3 unchanged");
      expect(await stack.up(step("two ", "a"))).toContain("1 updated");
      expect(stdout("step")).toBe("two a\n");
      expect(await stack.up(step("two ", "b"))).toContain("1 replaced");
      expect(server.commands).toHaveLength(3);
    });

    test("reports status, command and both streams, in any order, when it fails, and records nothing", async () => {
      const create = "echo out; echo err >&2; exit 3";
      expect(await stack.up({ failed: run(to(await startServer()), create) })).toMatch(
        /Process exited with status 3: running "echo out; .*exit 3":\s+(out\s+err|err\s+out)/,
      );
      expect(stack.kept().failed).toBeUndefined();
    });

    test("keeps its connection secret, and its output if the program says so", async () => {
      const connection = to(await startServer());
      const opts = { additionalSecretOutputs: ["stdout", "stderr"] };
      await stack.up({
        open: run(connection, "cat", { stdin: { secret: "hush" } }),
        quiet: run(connection, "cat", { stdin: { secret: "whispered" } }, opts),
      });
      const { open, quiet } = stack.kept();
      expect([open?.inputs.connection, open?.outputs.connection, open?.outputs.stdin].map(isSecret)).toEqual(
        Array(3).fill(true),
      );
      expect(open?.outputs.stdout).toBe("hush");
      expect(isSecret(quiet?.outputs.stdout)).toBe(true);
      stack.expectNone(["whispered"]);
    });
  });

  describe("a connection", () => {
    test("is refused to a host with another key before any login, and to an absent host", async () => {
      const [right, wrong, any] = [await startServer(), await startServer(), await startServer()];
      const { port } = await closed();
      const said = await upAll({
        right: run(to(right, { hostKey: `${hostKey.public} a comment` }), "echo right"),
        wrong: run(to(wrong, { hostKey: otherKey.public }), "echo wrong"),
        any: run(to(any), "echo any"),
        none: run(to({ port: 1 }, { hostKey: "nonsense" }), "true"),
        closed: run(to({ port }, { dialErrorLimit: 2 }), "true"),
      });
      expect([stdout("right"), stdout("any")]).toEqual(["right", "any"]);
      expect([wrong.attempts, wrong.commands]).toEqual([[], []]);
      expect(said).toContain("after 0 failed attempts: ssh: handshake failed: ssh: host key mismatch");
      expect(said).toContain("failed to parse host key: ssh: no key found");
      expect(said).toContain(`after 2 failed attempts: dial tcp 127.0.0.1:${port}: connect: connection refused`);
    });

    test("waits for the host, and goes through a proxy", async () => {
      const { port } = await closed();
      const bastion = await startServer();
      const late = stack.up({ late: run(to({ port }, { dialErrorLimit: 10, proxy: to(bastion) }), "echo up") });
      await expect.poll(() => bastion.connections, { timeout: 60_000 }).toBe(1);
      await startServer({ port });
      await late;
      expect([stdout("late"), bastion.commands]).toEqual(["up", []]);
    }, 120_000);

    test("is not made anew through a proxy after a handshake that failed", async () => {
      let taken = 0;
      const mute = net.createServer((socket) => {
        taken += 1;
        socket.resume().end();
      });
      await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
      const { port } = mute.address() as AddressInfo;
      const bastion = await startServer();
      const said = await upAll({ mute: run(to({ port }, { dialErrorLimit: 2, proxy: to(bastion) }), "true") });
      mute.close();
      expect(said).toContain("proxy: after 2 failed attempts: ssh: handshake failed: ");
      expect(taken).toBe(1);
    });
  });

  test("the language host starts Node with Pulumi.yaml's nodeargs", async () => {
    await stack.up({});
    const node = await stack.pulumi("stack", "output", "node", "--json");
    expect(JSON.parse(node)).toEqual(["--title=tiny", "--require=./first.js", true]);
  });

  /** Returns a loopback port without a listener. */
  async function closed(): Promise<{ port: number }> {
    const server = net.createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return { port };
  }
});
