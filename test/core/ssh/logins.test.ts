import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import net, { type AddressInfo } from "node:net";
import { join } from "node:path";
import ssh2, { type AuthContext, type Connection } from "ssh2";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createConnection } from "../../../core/ssh/connection.ts";
import { agentNeeds, countAgentKeys } from "../../../core/ssh/login.ts";
import { formatLoginFailure, tryLogin } from "../../../core/ssh/reachability.ts";
import { connectSsh, readPresentedKey, type SshTarget, scanHostKey } from "../../../core/ssh/ssh.ts";
import { isFatal, type LoginError } from "../../../core/ssh/sshErrors.ts";
import { commandsFor } from "../../../core/util/commands.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";
import { closedPort, keyPair, loginTo, sshHost, use } from "../chain/fakes.ts";

const scratch = scratchDirectory();

/** Starts an ssh server, which ends with the test. */
const start = (...how: Parameters<typeof sshHost>) => use(sshHost(...how));

const run = commandsFor("prod");

afterEach(() => vi.unstubAllEnvs());

/** Starts an ssh server with this answer to each login attempt. */
async function hostThat(answers: (attempt: AuthContext, link: Connection) => void, config = {}) {
  const keys = keyPair();
  const server = new ssh2.Server({ hostKeys: [keys.private], ...config });
  const seen = { connections: 0, attempts: [] as string[] };
  const links = new Set<Connection>();
  server.on("connection", (link) => {
    links.add(link);
    seen.connections += 1;
    link.on("error", () => undefined);
    link.on("authentication", (attempt) => {
      seen.attempts.push(attempt.method);
      answers(attempt, link);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const link of links) link.end();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { seen, target: loginTo({ port, hostKey: keys.public.split(" ").slice(0, 2).join(" ") }) };
}

async function failure(target: SshTarget): Promise<LoginError & { fatal: boolean }> {
  try {
    (await connectSsh(target)).close();
  } catch (error) {
    return Object.assign(error as LoginError, { fatal: isFatal(error) });
  }
  throw new Error("connected");
}

/** Ends a connection as sshd does: with a number of the protocol, and words. */
function disconnect(link: Connection, reason: number, words: string): void {
  const text = Buffer.from(words);
  const packet = Buffer.alloc(13 + text.length);
  packet[0] = 1;
  packet.writeUInt32BE(reason, 1);
  packet.writeUInt32BE(text.length, 5);
  text.copy(packet, 9);
  const { _protocol: protocol } = link as unknown as {
    _protocol: {
      _packetRW: { write: { alloc(size: number): Buffer; allocStart: number; finalize(p: Buffer): Buffer } };
    };
  };
  const { write } = protocol._packetRW;
  const sent = write.alloc(packet.length);
  packet.copy(sent, write.allocStart);
  const { _cipher: cipher } = protocol as unknown as { _cipher: { encrypt(packet: Buffer): void } };
  cipher.encrypt(write.finalize(sent));
  link.end();
}

/** Starts an ssh agent with this many keys. */
async function agentWith(count: number): Promise<readonly string[]> {
  const socket = join(scratch(), "socket");
  const agent = spawn("ssh-agent", ["-D", "-a", socket], { stdio: "ignore" });
  vi.stubEnv("SSH_AUTH_SOCK", socket);
  onTestFinished(() => void agent.kill());
  // 2: no agent answers yet.
  await expect.poll(() => spawnSync("ssh-add", ["-l"]).status).not.toBe(2);
  return Array.from({ length: count }, (_, index) => {
    const pair = keyPair();
    const file = join(scratch(), `key${index}`);
    writeFileSync(file, pair.private, { mode: 0o600 });
    execFileSync("ssh-add", ["-q", file], { stdio: "pipe" });
    return pair.public.split(" ")[1] ?? "";
  });
}

describe("an agent whose right key comes after more than a host tries", () => {
  /** Starts a server that ignores the seventh attempt, as sshd does. */
  const strict = async (keys: readonly string[]) => {
    let tries = 0;
    return hostThat((attempt, link) => {
      if (attempt.method === "none") return attempt.reject(["publickey"]);
      if (attempt.method === "publickey" && attempt.key.data.toString("base64") === keys.at(-1) && tries < 6)
        return attempt.accept();
      tries += 1;
      if (tries >= 6) disconnect(link, 2, "Too many authentication failures");
      else attempt.reject(["publickey"]);
    });
  };

  test("is named at once, with the next command, and is never tried again", async () => {
    const host = await strict(await agentWith(7));
    const target = { ...host.target, password: undefined, agent: true };
    const error = await failure(target);
    expect(error).toMatchObject({ fatal: true, problem: { kind: "refusedLogin" } });
    expect(error.message).toContain('ended the login: "Too many authentication failures"');
    expect(error.message).toContain(agentNeeds);
    const fix = "Is it another key? pulumi config set --path pillar-host:ssh.privateKeyFile FILE -s prod";
    expect(formatLoginFailure(target, error, run)).toContain(fix);
    expect(host.seen.connections).toBe(1);

    const connection = createConnection(target);
    for (const _ of [1, 2, 3]) await expect(connection.session()).rejects.toThrow("Too many authentication failures");
    expect(host.seen.connections).toBe(2);
  });

  test("tries a key's file, and not the agent", async () => {
    await agentWith(7);
    const own = keyPair();
    const host = await strict([own.public.split(" ")[1] ?? ""]);
    const target = { ...host.target, password: undefined, agent: true, privateKey: own.private };
    (await connectSsh(target)).close();
    expect(host.seen.attempts.slice(0, 2)).toEqual(["none", "publickey"]);
  });
});

test("names an agent that does not answer at once", async () => {
  vi.stubEnv("SSH_AUTH_SOCK", "/nonexistent/agent");
  const { target } = await hostThat((attempt) => attempt.reject(["publickey"]));
  const error = await failure({ ...target, password: undefined, agent: true });
  expect(error).toMatchObject({ fatal: true, problem: { kind: "refusedLogin" } });
  expect(error.message).toContain(agentNeeds);
});

test.each<[string, (socket: net.Socket) => void, RegExp]>([
  // The length of a message that never comes (draft-ietf-sshm-ssh-agent, 3).
  ["sends without end", (socket) => flood(socket), /the ssh agent: its answer is larger than 1 MiB/],
  ["is silent", () => void vi.advanceTimersByTime(10_000), /the ssh agent: it is silent for 10 s/],
])("ends a login whose agent %s, with what is wrong", async (_what, answer, said) => {
  const path = join(scratch(), "agent");
  const agent = net.createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => answer(socket));
  });
  await new Promise<void>((resolve) => agent.listen(path, resolve));
  onTestFinished(() => void agent.close());
  vi.stubEnv("SSH_AUTH_SOCK", path);
  const { target } = await hostThat((attempt) => attempt.reject(["publickey"]));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const error = await failure({ ...target, password: undefined, agent: true });
  expect(error).toMatchObject({ fatal: true, problem: { kind: "refusedLogin" } });
  expect(error.message).toMatch(said);
  expect(error.message).toContain(agentNeeds);
});

function flood(socket: net.Socket) {
  socket.write(Buffer.from([0xff, 0xff, 0xff, 0xff, 12]));
  const piece = Buffer.alloc(64 * 1024);
  const send = () => socket.writable && socket.write(piece, send);
  send();
}

test.each([
  ["the keys", "echo one; echo two", 2],
  ["no key of one that prints without end", "exec yes", 0],
])("counts %s in the agent, and gives ssh-add no secret of the engine's", (_what, answer, count) => {
  const [program, seen] = [join(scratch(), "ssh-add"), join(scratch(), "seen")];
  writeFileSync(program, `#!/bin/sh\nenv > '${seen}'\n${answer}\n`, { mode: 0o700 });
  vi.stubEnv("PATH", `${scratch()}:${process.env.PATH}`);
  vi.stubEnv("SSH_AUTH_SOCK", join(scratch(), "agent"));
  for (const name of ["PULUMI_CONFIG", "PULUMI_CONFIG_PASSPHRASE"]) vi.stubEnv(name, "hunter2");
  expect(countAgentKeys()).toBe(count);
  expect(readFileSync(seen, "utf8")).toMatch(/^SSH_AUTH_SOCK=/m);
  expect(readFileSync(seen, "utf8")).not.toContain("hunter2");
});

test("names what a host requires beside the accepted key", async () => {
  const { private: privateKey } = keyPair();
  const { target } = await hostThat((attempt) =>
    attempt.method === "publickey" ? attempt.reject(["keyboard-interactive"], true) : attempt.reject(["publickey"]),
  );
  const error = await failure({ ...target, password: undefined, privateKey });
  expect(error.message).toContain("accepts the login, but requires more: keyboard-interactive");
});

describe("a host that asks by prompts", () => {
  /** Starts a host that sends these requests, of prompts with their echo, in turn. `given`: what it got for an answer. */
  const asking = async (...requests: readonly (readonly (readonly [string, boolean])[])[]) => {
    const given: string[] = [];
    const host = await hostThat((attempt) => {
      if (attempt.method !== "keyboard-interactive") return attempt.reject(["publickey", "keyboard-interactive"]);
      const ask = (at: number): void => {
        const prompts = requests[at]?.map(([prompt, echo]) => ({ prompt, echo }));
        if (prompts)
          attempt.prompt(prompts, (answers) => {
            given.push(...answers);
            ask(at + 1);
          });
        else if (given.at(-1) === "login-pw") attempt.accept();
        else attempt.reject();
      };
      ask(0);
    });
    return { ...host, given };
  };

  test.each([
    "Password: ",
    "(op@anvil) Password: ",
    "op@anvil's password: ",
    "LDAP Password:",
    "Password for op@ANVIL:",
  ])("gets the password at %s", async (prompt) => {
    const { target, given, seen } = await asking([], [[prompt, false]]);
    (await connectSsh(target)).close();
    expect([given, seen.attempts]).toEqual([["login-pw"], ["none", "keyboard-interactive"]]);
  });

  const hidden = (...prompts: readonly string[]) => prompts.map((prompt) => [prompt, false] as const);
  test.each<[string, readonly (readonly [string, boolean])[][], readonly string[]]>([
    ["Verification code:", [hidden("Verification code: ")], []],
    ["One-time password (OATH) for `op':", [hidden("One-time password (OATH) for `op': ")], []],
    ["One-time password:", [hidden("One-time password:")], []],
    ["Password + OTP:", [hidden("Password + OTP:")], []],
    ["New password:", [hidden("New password: ")], []],
    ["Password:, Token:", [hidden("Password: ", "Token: ")], []],
    ["Password:", [[["Password: ", true]]], []],
    ["Enter a number:", [hidden("Enter a number:")], []],
    ["Verification code:", [hidden("Password: "), hidden("Verification code: ")], ["login-pw"]],
    ["Password:", [hidden("Password: "), hidden("Password: ")], ["login-pw"]],
  ])("is refused with its words, and gets no password for a code: %s", async (words, requests, expected) => {
    const { target, given, seen } = await asking(...requests);
    const error = await failure(target);
    expect(error).toMatchObject({ fatal: true, problem: { kind: "refusedLogin" } });
    expect(error.message).toContain(` asks for more than the password: "${words}"\n`);
    expect(error.message).not.toContain("login-pw");
    expect([given, seen.connections]).toEqual([expected, 1]);
  });

  test("gets a wrong password once, whether it takes it by a prompt or not", async () => {
    const { target, seen } = await hostThat((attempt) => attempt.reject(["password", "keyboard-interactive"]));
    expect((await failure(target)).message).toContain("refuses the login");
    expect(seen.attempts).toEqual(["none", "password"]);
  });

  test("gets no answer without a password", async () => {
    const { target, seen } = await asking(hidden("Password: "));
    const { private: privateKey } = keyPair();
    expect((await failure({ ...target, password: undefined, privateKey })).message).toContain("refuses the login");
    expect(seen.attempts).toEqual(["none", "publickey"]);
  });
});

test.each([
  [2, "Your account has expired", true],
  [15, "illegal user name", true],
  [12, "Too many connections", false],
])("names a host that ends the login (%i) with the host's own words: %s", async (reason, words, isFinal) => {
  const { target } = await hostThat((_attempt, link) => disconnect(link, reason, words));
  const error = await failure(target);
  expect(error.message).toContain(words);
  expect(error.fatal).toBe(isFinal);
});

test.each([
  ["key exchange", { kex: ["diffie-hellman-group1-sha1"] }, "KexAlgorithms +curve25519-sha256"],
  ["cipher", { cipher: ["3des-cbc"] }, "Ciphers +aes256-gcm@openssh.com"],
  ["MAC", { cipher: ["aes256-ctr"], hmac: ["hmac-md5-96"] }, "MACs +hmac-sha2-256-etm@openssh.com"],
] as const)(
  "names a host without a common algorithm at once, and the line that it needs: %s",
  async (kind, own, line) => {
    const { target } = await hostThat((attempt) => attempt.accept(), { algorithms: own as never });
    const error = await failure(target);
    expect(error).toMatchObject({ fatal: true, problem: { kind: "noAlgorithm" } });
    expect(error.message).toMatch(`no algorithm in common with its ssh server: Handshake failed: no matching`);
    expect(error.message).toContain(kind);
    expect(error.message).toContain(`needed: put this line at the top of sshd_config on the host: ${line}\n`);
    const shown = formatLoginFailure(target, error as never, commandsFor("prod"));
    expect(shown).toContain(line);
    expect(shown).not.toContain("authorized_keys");
  },
);

describe("a host without the type of its pinned key", () => {
  const atTop = "needed: put this line at the top of sshd_config on the host: ";
  const ownType = (type: string) => `${type} ${keyPair().public.split(" ")[1]}`;

  test.each([
    ["ed25519", "ssh-ed25519", true],
    ["ecdsa", "ecdsa-sha2-nistp521", false],
  ])("is refused at once with the lines that it needs: %s", async (file, type, isEcdsa) => {
    const host = await start(undefined, undefined, undefined, { isEcdsa });
    const target = { ...loginTo(host), hostKey: ownType(type) };
    const error = await failure(target);
    expect(error).toMatchObject({ fatal: true, problem: { kind: "noAlgorithm" } });
    expect(error.message).toContain(`${atTop}HostKey /etc/ssh/ssh_host_${file}_key\n`);
    expect(error.message).toContain(`${atTop}HostKeyAlgorithms +${type}\n`);
    // Its ECDSA key may be gone for good.
    expect(error.message.includes("and set pillar-host:host.hostKey")).toBe(!isEcdsa);
    expect(formatLoginFailure(target, error, run)).not.toMatch(/authorized_keys|start the host/);
  });

  test("is named at its first contact, too", async () => {
    const { port } = await start(undefined, undefined, undefined, { isEcdsa: true });
    const error = await scanHostKey("127.0.0.1", port).catch((thrown: LoginError) => thrown);
    expect(isFatal(error)).toBe(true);
    expect((error as LoginError).message).toContain(`${atTop}HostKey /etc/ssh/ssh_host_ed25519_key\n`);
    expect(await readPresentedKey("127.0.0.1", port)).toMatchObject({
      fault: expect.stringMatching(/^no ssh server with an ed25519 key answers at .*host key format$/),
      needed: expect.arrayContaining([expect.stringContaining("HostKeyAlgorithms +ssh-ed25519")]),
    });
  });
});

test("waits for a host that closes the connection with a banner, and prints the banner", async () => {
  const banner = "System is booting up.\nSee pam_nologin(8)";
  const { target } = await hostThat((_attempt, link) => link.end(), { banner });
  const error = await failure(target);
  expect(error.fatal).toBe(false);
  expect(error.message).toContain('closed the connection before the login was done: "System is booting up."');
});

test("names a login that runs another command, with the host's words", async () => {
  const wanted = 'Please login as the user "ubuntu" rather than the user "root".';
  const script = join(scratch(), "sh");
  writeFileSync(script, `#!/bin/sh\necho '${wanted}'\nexit 142\n`, { mode: 0o700 });
  const target = loginTo(await start(undefined, undefined, { shell: script, home: "" }));
  const error = await tryLogin(target).catch((thrown: LoginError) => thrown as LoginError);
  expect(error).toMatchObject({ problem: { kind: "refusedCommand" } });
  const help = formatLoginFailure(target, error as LoginError, run);
  expect(help).toMatch(/^op@127\.0\.0\.1:\d+: the login did not run a command to its end\n/);
  expect(help).toContain(`\n  found: "${wanted}"\n`);
  expect(help).toContain("\n  Then: pulumi up -s prod");
});

test("names what may hold a login that runs no command: start files, and a forced command", async () => {
  const [script, begun] = [join(scratch(), "menu"), join(scratch(), "begun")];
  writeFileSync(script, `#!/bin/sh\ntouch '${begun}'\nexec sleep 5\n`, { mode: 0o700 });
  const target = loginTo(await start(undefined, undefined, { shell: script, home: "" }));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const failing = tryLogin(target).catch((thrown: LoginError) => thrown as LoginError);
  while (!existsSync(begun)) await new Promise(setImmediate);
  vi.advanceTimersByTime(30_000);
  expect(((await failing) as LoginError).message).toMatch(
    /^op@\S+ accepts the login, and runs no command within 30 s\n {2}needed: use a login shell.*ForceCommand in sshd_config, command= before the key/s,
  );
});

test("a proxy gets the first login, with its key pinned; the host behind it gets an ordinary one", async () => {
  const [host, bastion] = await Promise.all([start(), start()]);
  const through = { ...loginTo(host), proxy: loginTo(bastion) };
  const session = await connectSsh(through);
  expect(await session.run("echo there", "")).toMatchObject({ exitCode: 0, stdout: "there\n" });
  session.close();
  expect(await scanHostKey("127.0.0.1", host.port, loginTo(bastion))).toBe(host.hostKey);
  await expect.poll(() => bastion.open + host.open).toBe(0);

  const impostor = await failure({ ...through, proxy: { ...loginTo(bastion), hostKey: host.hostKey } });
  expect(impostor).toMatchObject({ problem: { kind: "otherHostKey" }, isFromProxy: true });
  expect(impostor.message).toContain("before you change pillar-host:ssh.proxy.hostKey");
  const refused = await failure({ ...through, proxy: { ...loginTo(bastion), password: "hunter2" } });
  expect(refused).toMatchObject({ problem: { kind: "refusedLogin" }, isFromProxy: true });
  expect(refused.message).toContain("set a key or password that the host accepts (pillar-host:ssh.proxy)");
  const behind = await failure({ ...through, port: await closedPort() });
  expect(behind.message).toContain("the proxy 127.0.0.1 does not reach the host");
  expect(behind.fatal).toBe(false);
});

test("waits for a port that is refused after a login, as a firewall limits new connections", {
  timeout: 30_000,
}, async () => {
  const host = await start();
  const port = await closedPort();
  const connection = createConnection({ ...loginTo(host), port }, undefined, true);
  const onward = net.createServer((socket) => {
    const further = net.connect(host.port, "127.0.0.1");
    for (const each of [socket, further]) each.on("error", () => undefined);
    socket.pipe(further).pipe(socket);
  });
  onTestFinished(() => void onward.close());
  setTimeout(() => onward.listen(port, "127.0.0.1"), 2000);
  const session = await connection.session();
  expect(session.isOpen).toBe(true);
  connection.drop();
  const closed = createConnection({ ...loginTo(host), port: await closedPort() });
  await expect(closed.session()).rejects.toThrow("ECONNREFUSED");
});

describe("in a process that keeps connections", () => {
  beforeEach(() => Reflect.set(process, "idleSshSessions", new Map()));
  afterEach(() => Reflect.deleteProperty(process, "idleSshSessions"));

  test("reuses a login for one caller after the other, and never for another login", async () => {
    const host = await start();
    const target = loginTo(host);
    for (const user of [target, { ...target, agent: false, privateKey: undefined }]) {
      const connection = createConnection(user);
      expect((await (await connection.session()).run("echo there", "")).stdout).toBe("there\n");
      connection.drop();
      await new Promise(setImmediate);
    }
    expect(host.connections).toBe(1);
    await expect(createConnection({ ...target, password: "hunter2" }).session()).rejects.toThrow("refuses the login");
    expect(host.connections).toBe(2);
  });

  test("gives two callers at once a connection each, and keeps one that lives", async () => {
    const host = await start();
    const both = [createConnection(loginTo(host)), createConnection(loginTo(host))];
    await Promise.all(both.map((each) => each.session()));
    for (const each of both) each.drop();
    await expect.poll(() => host.open).toBe(1);
    const next = createConnection(loginTo(host));
    await next.session();
    expect(host.connections).toBe(2);
    next.drop("dead");
    await expect.poll(() => host.open).toBe(0);
    await createConnection(loginTo(host)).session();
    expect(host.connections).toBe(3);
  });
});
