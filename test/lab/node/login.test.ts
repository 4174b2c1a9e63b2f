import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Lab, LabHost } from "../../../lab/lab";
import type { LabStack, StackFile } from "../../../lab/stack";
import { filesWith, onHost, stackFile, testLab, testStack, upTo } from "../fixture";

const sudoPassword = "Sudo-Horse 'quoted' $9";
const passPhrase = "Battery Staple 7";

describe("the login", () => {
  let lab: Lab;
  let host: LabHost;
  let stack: LabStack;
  let key: string;

  beforeAll(async () => {
    lab = await testLab();
    host = await lab.addHost("host1");
    key = await readFile(lab.privateKeyFile, "utf8");
    await onHost(
      host,
      `echo "127.0.1.1 $(hostname)" >> /etc/hosts # sudo looks it up
       useradd -m -s /bin/bash op
       install -d -o op -m 700 /home/op/.ssh
       install -o op -m 600 /root/.ssh/authorized_keys /home/op/.ssh/authorized_keys`,
    );
    await host.run("chpasswd", `op:${sudoPassword}\n`);
    stack = await testStack(lab, host);
  });
  afterAll(async () => lab?.down());

  const sudoers = (line: string) => onHost(host, `echo '${line}' > /etc/sudoers.d/op; chmod 440 /etc/sudoers.d/op`);
  const asOp = (ssh: StackFile, secrets: Record<string, string>, changes: StackFile = {}) =>
    stack.configure(stackFile(lab, host, { ssh: { user: "op", ...ssh }, ...changes }), secrets);
  const blank = () => onHost(host, "ls /var/lib/pillar-host /var/log/pillar-host 2>/dev/null || true");
  const facts = () =>
    onHost(
      host,
      "crontab -l; sha256sum /root/.znn/config.json; systemctl show -p MainPID,ActiveEnterTimestamp go-node",
    );

  it("refuses a host that shows another key than the configured one", async () => {
    const { publicKey } = await newKey("other");
    await stack.configure(
      stackFile(lab, host, { host: { provider: "existing", address: host.address, hostKey: publicKey } }),
      { "ssh.privateKey": key },
    );
    const { exitCode, output } = await upTo(stack, "preflight");
    expect(exitCode).not.toBe(0);
    expect(output).toContain("host key mismatch");
    expect(await blank()).toBe("");
  });

  it("says what to do where sudo wants a password and none is configured", async () => {
    await sudoers("op ALL=(ALL) ALL");
    await asOp({}, { "ssh.privateKey": key });
    const { exitCode, output } = await upTo(stack, "preflight");
    expect(exitCode).not.toBe(0);
    expect(output).toContain(`${host.address}: sudo wants a password for op, and none is configured`);
    expect(output).toContain("needed: pulumi config set --secret --path pillar-host:ssh.sudoPassword");
  });

  it("tells a wrong sudo password, and shows neither it nor the script", async () => {
    await asOp({}, { "ssh.privateKey": key, "ssh.sudoPassword": "Wrong-Mule-3" });
    const { exitCode, output } = await upTo(stack, "preflight");
    expect(exitCode).not.toBe(0);
    expect(output).toContain(
      `${host.address}: sudo refused op: either the password is wrong (pillar-host:ssh.sudoPassword), or the user may not use sudo`,
    );
    expect(output).not.toContain("Wrong-Mule-3");
    expect(await filesWith(host, "Wrong-Mule-3")).toBe("");
    expect(await blank()).toBe("");
  });

  it("becomes root without a password, and keeps a configured one from the script", async () => {
    await sudoers("op ALL=(ALL) NOPASSWD: ALL");
    await asOp({}, { "ssh.privateKey": key, "ssh.sudoPassword": sudoPassword });
    const { exitCode, output } = await upTo(stack, "preflight", "prepare");
    expect(output).not.toContain("error");
    expect(exitCode).toBe(0);
    expect(await onHost(host, "stat -c %U /var/lib/pillar-host/stack")).toBe("root");
    expect(output).not.toContain(sudoPassword);
    expect(await filesWith(host, sudoPassword)).toBe("");
  });

  it("goes the whole way as a user whose sudo wants a password", async () => {
    await sudoers("op ALL=(ALL) ALL");
    await onHost(host, "rm -rf /run/sudo/ts");
    await asOp({}, { "ssh.privateKey": key, "ssh.sudoPassword": sudoPassword });
    const { exitCode, output } = await stack.up();
    expect(output).not.toContain("error");
    expect(exitCode).toBe(0);
    expect((await stack.outputs()).producerAddress).toMatch(/^z1q/);
    for (const text of [output, await stack.written()]) expect(text.includes(sudoPassword)).toBe(false);
    expect(await filesWith(host, sudoPassword)).toBe("");
    expect(await filesWith(host, "op ALL=(ALL) ALL")).toBe("/etc/sudoers.d/op");
    await onHost(host, "logger Told-Ox-1; sleep 0.5");
    expect(await filesWith(host, "Told-Ox-1")).toContain("journal");
  });

  it("takes a key with a pass phrase", async () => {
    const { publicKey, privateKey } = await newKey("locked", passPhrase);
    await onHost(host, `echo '${publicKey}' >> /root/.ssh/authorized_keys`);
    const before = await facts();
    await stack.configure(stackFile(lab, host), {
      "ssh.privateKey": privateKey,
      "ssh.privateKeyPassword": passPhrase,
    });
    const { exitCode, output } = await stack.up();
    expect(output).not.toContain("error");
    expect(exitCode).toBe(0);
    expect(await facts()).toBe(before);
    for (const text of [output, await stack.written()]) expect(text.includes(passPhrase)).toBe(false);
  });

  it("takes a password", async () => {
    await onHost(host, "echo 'PermitRootLogin yes' > /etc/ssh/sshd_config.d/a.conf; systemctl reload ssh");
    await host.run("chpasswd", "root:Root-Pony-5\n");
    const before = await facts();
    await stack.configure(stackFile(lab, host), { "ssh.password": "Root-Pony-5" });
    const { exitCode, output } = await stack.up();
    expect(output).not.toContain("error");
    expect(exitCode).toBe(0);
    expect(await facts()).toBe(before);
    for (const text of [output, await stack.written()]) expect(text.includes("Root-Pony-5")).toBe(false);
    expect(await filesWith(host, "Root-Pony-5")).toBe("");
  });

  it("takes the ssh agent of whoever runs the engine", async () => {
    const socket = join(lab.dir, "agent.sock");
    const agent = execa("ssh-agent", ["-D", "-a", socket], { reject: false });
    try {
      await execa("sh", ["-c", `until ssh-add -q ${lab.privateKeyFile}; do sleep 0.1; done`], {
        env: { SSH_AUTH_SOCK: socket },
        timeout: 10_000,
      });
      const before = await facts();
      await stack.configure(stackFile(lab, host, { ssh: { agent: true } }));
      const env = { ...stack.env, SSH_AUTH_SOCK: socket };
      const result = await stack.pulumi(["up", "--yes"], { all: true, reject: false, stdin: "ignore", env });
      expect(String(result.all)).not.toContain("error");
      expect(result.exitCode).toBe(0);
      expect(await facts()).toBe(before);
      expect(await stack.written()).not.toContain(socket);
    } finally {
      agent.kill();
      await agent;
    }
  });

  it("records the host key on first contact, shows it, and holds the host to it", async () => {
    const unpinned = { host: { provider: "existing", address: host.address, minimums: { cores: 1, diskGb: 1 } } };
    await stack.configure(stackFile(lab, host, unpinned), { "ssh.privateKey": key });
    const fingerprint = (await onHost(host, "ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub")).split(" ")[1];
    const first = await stack.up();
    expect(first.output).not.toContain("error");
    expect(first.exitCode).toBe(0);
    const said = `host key of ${host.address}, recorded on first contact: ${fingerprint}. Compare it with the provider's console.`;
    expect(first.output).toContain(said);
    expect((await stack.outputs<{ host: unknown }>()).host).toEqual({ address: host.address, fingerprint });

    await onHost(host, "rm /etc/ssh/ssh_host_*; ssh-keygen -q -t ed25519 -N '' -f /etc/ssh/ssh_host_ed25519_key");
    await onHost(host, "systemctl restart ssh");
    const before = await facts();
    const second = await stack.up();
    expect(second.exitCode).toBe(0);
    expect(second.output).toContain("shows another host key than the pinned one");
    expect((await stack.outputs()).producerAddress).toBeUndefined();
    await stack.configure(stackFile(lab, host, { ...unpinned, sync: { confirmations: 4, hourlyRestart: false } }), {
      "ssh.privateKey": key,
    });
    const third = await stack.up();
    expect(third.exitCode).not.toBe(0);
    expect(third.output).toContain("host key mismatch");
    expect(await facts()).toBe(before);
  });

  async function newKey(name: string, phrase = "") {
    const file = join(lab.dir, name);
    await execa("ssh-keygen", ["-q", "-t", "ed25519", "-N", phrase, "-C", "", "-f", file]);
    const publicKey = (await readFile(`${file}.pub`, "utf8")).trim();
    return { publicKey, privateKey: await readFile(file, "utf8") };
  }
});
