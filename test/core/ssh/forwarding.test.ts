import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { formatLoginFailure, tryLogin } from "../../../core/ssh/reachability.ts";
import { connectSsh } from "../../../core/ssh/ssh.ts";
import { isFatal } from "../../../core/ssh/sshErrors.ts";
import { commandsFor } from "../../../core/util/commands.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";
import { closedPort, fakeNode, loginTo, sshHost, synced, use } from "../chain/fakes.ts";

const scratch = scratchDirectory();
const reaches = [{ address: "127.0.0.1", port: 35997 }];

beforeEach(() => {
  writeFileSync(join(scratch(), "sudo"), `#!/bin/sh\nshift; exec "$@"\n`, { mode: 0o700 });
  vi.stubEnv("PATH", `${scratch()}:${process.env.PATH}`);
});

/** Starts a host whose `sshd -T` prints these lines, and which forbids forwarding. */
async function strictHost(printed: readonly string[], exitCode = 0) {
  const lines = printed.map((line) => `echo '${line}'`).join("\n");
  writeFileSync(join(scratch(), "sshd"), `#!/bin/sh\n${lines}\nexit ${exitCode}\n`, { mode: 0o700 });
  // Its login greets.
  const shell = join(scratch(), "greeting");
  writeFileSync(shell, `#!/bin/sh\nprintf 'Welcome to this host\\nread\\n'\nexec /bin/sh "$@"\n`, { mode: 0o700 });
  return loginTo(await use(sshHost(undefined, undefined, { shell, home: "" }, { forbidsForwarding: true })));
}

const open = ["port 22", "allowtcpforwarding yes", "disableforwarding no", "permitopen any"];
const inFile = "in sshd_config there: AllowTcpForwarding local, DisableForwarding no, PermitOpen any";
const inKey = "no restrict, no-port-forwarding or permitopen before the key in ~op/.ssh/authorized_keys";
const help = [
  "The lines, on that host: grep -rniE 'forwarding|permitopen|^ *match' /etc/ssh/sshd_config*",
  "After the change: sshd -t && systemctl reload ssh",
];
const byFile = (...found: readonly string[]) => [
  ...found.map((line) => `found: ${line} (sshd -T)`),
  `needed: ${inFile}`,
  ...help,
];
const byKey = ["found: sshd -T allows it, so the key's line in authorized_keys forbids it", `needed: ${inKey}`];

test.each<[string, readonly string[], number, readonly string[]]>([
  ["AllowTcpForwarding", ["allowtcpforwarding no", ...open.slice(2)], 0, byFile("allowtcpforwarding no")],
  [
    "two of its settings",
    ["allowtcpforwarding remote", "disableforwarding yes", "permitopen any"],
    0,
    byFile("allowtcpforwarding remote", "disableforwarding yes"),
  ],
  [
    "PermitOpen",
    [...open.slice(0, 3), "permitopen 127.0.0.1:5432 127.0.0.1:359970"],
    0,
    byFile("permitopen 127.0.0.1:5432 127.0.0.1:359970"),
  ],
  ["the key's line", open, 0, byKey],
  [
    "the key's line, beside a PermitOpen that permits it",
    [...open.slice(0, 3), "permitopen 127.0.0.1:5432 127.0.0.1:35997"],
    0,
    byKey,
  ],
  ["one of them, without root", [], 1, [`needed: ${inFile}`, `needed: ${inKey}`, ...help]],
])(
  "a login finds at once that sshd forbids to forward, and by what: %s",
  async (_what, printed, exitCode, expected) => {
    const target = await strictHost(printed, exitCode);
    const error = await tryLogin({ ...target, reaches }).catch((thrown: Error) => thrown);
    expect([isFatal(error), error instanceof Error]).toEqual([true, true]);
    expect(formatLoginFailure(target, error as Error, commandsFor("prod"))).toBe(
      [
        "127.0.0.1: its sshd forbids forwarding to 127.0.0.1:35997 for op",
        ...[...expected, "Then: pulumi up -s prod"].map((line) => `  ${line}`),
      ].join("\n"),
    );
  },
);

test("a login that may forward passes, whether or not something listens there", async () => {
  const node = await use(fakeNode(synced()));
  const target = loginTo(await use(sshHost()));
  const ports = [node.port, await closedPort()];
  const session = await tryLogin({ ...target, reaches: ports.map((port) => ({ address: "127.0.0.1", port })) });
  expect(session.isOpen).toBe(true);
  session.close();
});

test("a login without a place to reach does not ask for forwarding", async () => {
  const session = await tryLogin(await strictHost(open));
  expect(session.isOpen).toBe(true);
  session.close();
});

test("a proxy that forbids to forward is named with its own setting, not as a host that does not answer", async () => {
  const proxy = await strictHost(["allowtcpforwarding no", "disableforwarding no", "permitopen any"]);
  const host = loginTo(await use(sshHost()));
  const error = await connectSsh({ ...host, proxy }).catch((thrown: Error) => thrown as Error);
  expect(error).toMatchObject({ problem: { kind: "forbidden" }, isFromProxy: true });
  const text = formatLoginFailure({ ...host, proxy }, error as Error, commandsFor("prod"));
  expect(text).toContain(`127.0.0.1: its sshd forbids forwarding to 127.0.0.1:${host.port} for op\n  found: allow`);
  expect(text).not.toContain("start the host");
});
