import { test as base, expect } from "vitest";
import { markOwn } from "../../../core/ssh/foreign.ts";
import type { CallError, RootHost } from "../../../core/ssh/root.ts";
import { asRoot, createRootScript, openRoot } from "../../../core/ssh/root.ts";
import type { SshTarget } from "../../../core/ssh/ssh.ts";
import { evilText, harmless } from "../../evilText.ts";
import { loginTo, type SshHost, sshHost } from "../chain/fakes.ts";

const library = `become_root() { "$@"; }

### from here on as root ###

say() { printf '%s\\n' "$*"; }
greet() { say "$greeting from $host_name"; }
eat() { cat; say done; }
numbers() { seq 1 "$up_to"; }
refuse() { printf 'it said %s, see its log\\n' "$word" >&2; exit 75; }
hang() { sleep 60; }
`;

const test = base.extend<{ host: SshHost; root: RootHost }>({
  host: async ({ task: _task }, provide) => {
    const host = await sshHost();
    await provide(host);
    await host.close();
  },
  root: async ({ host }, provide) => {
    const configured = "pillar-host:oldHost";
    const root = openRoot({ stack: "prod", ssh: loginTo(host), sudoPassword: "sudo-pw", configured }, library);
    await provide(root);
    root.close();
  },
});

async function errorOf(promise: Promise<unknown>): Promise<CallError> {
  return promise.then(
    () => expect.unreachable(),
    (error: CallError) => error,
  );
}

test("functions as root fail with words that are harmless for a terminal", async ({ root }) => {
  const { message } = await errorOf(root.call("refuse", markOwn({ word: evilText })));
  expect(message).toContain(`it said ${harmless}, see`);
});

test("functions as root get variables with any text, and return their output", async ({ root }) => {
  const greeting = "it's $HOME\n`id`";
  expect(await root.call("greet", markOwn({ greeting }))).toBe(`${greeting} from 127.0.0.1\n`);
});

test("functions as root share one connection, which is renewed after it broke", async ({ root, host, expect }) => {
  await Promise.all([root.call("greet", markOwn({ greeting: "a" })), root.call("greet", markOwn({ greeting: "b" }))]);
  expect(host.connections).toBe(1);
  host.breakAll();
  // This end may learn of it after the other one.
  const again = () => root.call("greet", markOwn({ greeting: "c" }));
  await expect.poll(again, { timeout: 10_000 }).toBe("c from 127.0.0.1\n");
  expect(host.connections).toBe(2);
});

test("functions as root have nothing to read: the script is not their input", async ({ root }) => {
  expect(await root.call("eat")).toBe("done\n");
});

test("functions as root end in an error with their exit code and words, without secrets", async ({ root }) => {
  const error = await errorOf(root.call("refuse", markOwn({ word: "sudo-pw or hunter2" }), { secrets: ["hunter2"] }));
  expect(error.message).toBe("it said [removed] or [removed], see its log");
  expect(error.exitCode).toBe(75);
});

test("functions as root do not start without root or a login, and name the right configuration key", async ({
  host,
}) => {
  const refusing = `become_root() { printf 'set pillar-host:%s.user\\n' "$login_key" >&2; exit 1; }${asRoot}${library.split(asRoot)[1]}`;
  const named = async (configured: string | undefined, lib: string, user: Partial<SshTarget>) => {
    const root = openRoot({ stack: "prod", ssh: { ...loginTo(host), ...user }, configured }, lib);
    const { message } = await errorOf(root.call("greet"));
    root.close();
    return message;
  };
  const stranger = { password: "wrong", privateKey: undefined };
  const other = "pillar-host:oldHost";
  expect(await named(other, refusing, {})).toBe("set pillar-host:oldHost.user");
  expect(await named(undefined, refusing, {})).toBe("set pillar-host:ssh.user");
  expect(await named(other, library, stranger)).toContain(`that the host accepts (${other})`);
  expect(await named(undefined, library, stranger)).toContain("that the host accepts (pillar-host:ssh)");
});

test("functions as root are ended after their limit", async ({ root }) => {
  const error = await errorOf(root.call("hang", markOwn({}), { limitSeconds: 1 }));
  expect(error.message).toBe("127.0.0.1: hang was ended after 1 s");
  expect(error.exitCode).toBe(124);
});

test("functions as root may print more than a call accepts, as a stream", async ({ root }) => {
  const { stdout, done } = await root.stream("numbers", markOwn({ up_to: 2_000_000 }));
  let size = 0;
  for await (const chunk of stdout) size += (chunk as Buffer).length;
  await done;
  expect(size).toBe(14_888_896);
  const error = await errorOf(root.call("numbers", markOwn({ up_to: 2_000_000 })));
  expect(error.message).toBe("127.0.0.1: the output of numbers is larger than 8 MiB");
});

test("functions as root report a connection that ended while they ran", async ({ root, host }) => {
  const { stdout, done } = await root.stream("hang");
  stdout.resume();
  host.breakAll();
  const error = await errorOf(done);
  expect(error.message).toBe("127.0.0.1: the connection ended while hang was at work");
  expect(error.exitCode).toBeUndefined();
});

test("the secrets of root's script give root no sudo password, neither in a script nor in a command line", () => {
  const to = { hostName: "h", stack: "prod", sudoPassword: "pw1", limitSeconds: 5 };
  const text = createRootScript(library, "greet", markOwn({ greeting: "x" }), to);
  const [outer = "", inner = ""] = text.split("<<'PILLAR_HOST_ROOT'");
  expect(outer).toContain("sudo_password='pw1'\n");
  expect(outer.split("\n").at(-1)).toBe(`become_root timeout -k 10 5 bash --norc -euo pipefail -c 'eval "$(cat)"' `);
  expect(inner).not.toContain("pw1");
});
