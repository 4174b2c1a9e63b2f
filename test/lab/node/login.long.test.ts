import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { beforeAll, describe, expect, it } from "vitest";
import type { LabStack, StackFile } from "../../../lab/stack/stack.ts";
import { keepEngineLogs } from "../../../lab/toolchain/engineLogs.ts";
import {
  expectFailure,
  expectSuccess,
  filesWith,
  linesOf,
  onHost,
  stackFile,
  staged,
  testStack,
  upTo,
} from "../fixture.ts";

keepEngineLogs();

const sudoPassword = "Sudo-Horse 'quoted' $9";
const passPhrase = "Battery Staple 7";

describe("the login", () => {
  const stage = staged(undefined, async (_lab, host) => {
    await onHost(
      host,
      `echo "127.0.1.1 $(hostname)" >> /etc/hosts # sudo looks it up
       useradd -m -s /bin/bash op
       install -d -o op -m 700 /home/op/.ssh
       install -o op -m 600 /root/.ssh/authorized_keys /home/op/.ssh/authorized_keys
       echo 'PermitRootLogin yes' > /etc/ssh/sshd_config.d/a.conf; systemctl reload ssh`,
    );
    await host.run("chpasswd -c SHA256 -s 1000", `op:${sudoPassword}\nroot:Root-Pony-5\n`);
  });
  let key: string;

  beforeAll(async () => {
    key = await readFile(stage.lab.privateKeyFile, "utf8");
  });

  const host = () => stage.host;
  let anew: LabStack | undefined;
  const stack = () => anew ?? stage.stack;
  const sudoers = (line: string) => onHost(host(), `echo '${line}' > /etc/sudoers.d/op; chmod 440 /etc/sudoers.d/op`);
  const asOp = (ssh: StackFile, secrets: Record<string, string>, changes: StackFile = {}) =>
    stack().configure(stackFile(stage.lab, host(), { ssh: { user: "op", ...ssh }, ...changes }), secrets);
  const blank = () => onHost(host(), "ls /var/lib/pillar-host /var/log/pillar-host 2>/dev/null || true");
  const facts = () =>
    onHost(
      host(),
      "crontab -l; sha256sum /root/.znn/config.json; systemctl show -p MainPID,ActiveEnterTimestamp go-node",
    );

  it("says what to do if sudo wants a password and none is configured", async () => {
    await sudoers("op ALL=(ALL) ALL");
    await asOp({}, { "ssh.privateKey": key });
    const output = await expectFailure(upTo(stack(), "preflight"));
    expect(output).toContain(`${host().address}: sudo wants a password for op, and none is configured`);
    expect(output).toContain("needed: pulumi config set --secret --path pillar-host:ssh.sudoPassword");
  });

  it("names a wrong sudo password, and shows neither it nor the script", async () => {
    await asOp({}, { "ssh.privateKey": key, "ssh.sudoPassword": "Wrong-Mule-3" });
    const output = await expectFailure(upTo(stack(), "preflight"));
    expect(output).toContain(`${host().address}: sudo refused the password of op`);
    expect(output).not.toContain("Wrong-Mule-3");
    expect(await filesWith(host(), "Wrong-Mule-3")).toBe("");
    expect(await blank()).toBe("");
  });

  it("names a login that runs nothing, starts no later step, and does the step once the login works", async () => {
    const steps = ["preflight", "prepare"];
    const spoilt = [
      [`echo '[ -n "$PS1" ] || exit 0' > /home/op/.bashrc`, "echo 'echo Welcome' > /home/op/.bashrc", 35998],
      ["usermod -s /bin/true op", "usermod -s /bin/bash op", 35996],
    ] as const;
    const asOpOn = (wsPort: number) => asOp({}, { "ssh.privateKey": key }, { node: { wsPort } });
    await sudoers("op ALL=(ALL) NOPASSWD: ALL");
    await asOpOn(spoilt[0][2]);
    await expectSuccess(upTo(stack(), "preflight"));
    for (const [spoil, mend, port] of spoilt) {
      await onHost(host(), `rm -rf /var/lib/pillar-host /var/log/pillar-host; ${spoil}`);
      await asOpOn(port);
      const lied = await expectFailure(upTo(stack(), ...steps));
      expect(linesOf(lied)).toContain(
        `op@${host().address}:22: the login did not run a command to its end\nfound: no output`,
      );
      expect(lied).toContain("Then: pulumi up -s prod");
      // The preview names all of them.
      expect(lied.split("Updating").at(-1)).not.toContain("node-p");
      expect(await blank()).toBe("");
      await onHost(host(), mend);
      const mended = await upTo(stack(), ...steps);
      expect(mended.output).not.toContain("error");
      expect(mended.exitCode).toBe(0);
      expect(await onHost(host(), "cat /var/lib/pillar-host/stack")).toContain("pillar-host/prod");
      expect((await upTo(stack(), ...steps)).output).not.toContain("remote:Command");
    }
    await onHost(host(), "rm -rf /var/lib/pillar-host");
  });

  it("becomes root without a password, and keeps a configured one from the script", async () => {
    await sudoers("op ALL=(ALL) NOPASSWD: ALL");
    await asOp({}, { "ssh.privateKey": key, "ssh.sudoPassword": sudoPassword });
    const output = await expectSuccess(upTo(stack(), "preflight", "prepare"));
    expect(output).not.toContain("error");
    expect(await onHost(host(), "stat -c %U /var/lib/pillar-host/stack")).toBe("root");
    expect(output).not.toContain(sudoPassword);
    expect(await filesWith(host(), sudoPassword)).toBe("");
  });

  /** Expects a login of both ssh clients: the first contact's and the command plugin's. */
  const letsIn = async (config: StackFile, secrets: Record<string, string>, env: Record<string, string> = {}) => {
    await stack().configure(stackFile(stage.lab, host(), config), secrets);
    Object.assign(process.env, env);
    const output = await expectSuccess(upTo(stack(), "preflight"));
    for (const name of Object.keys(env)) delete process.env[name];
    expect(output).not.toContain("error");
    expect(output).toContain("meets the minimums");
    const written = await stack().written();
    for (const secret of Object.values(secrets)) {
      for (const text of [output, written]) expect(text.includes(secret.trim()), "a secret is shown").toBe(false);
    }
  };

  it("accepts a key with a pass phrase", async () => {
    const { publicKey, privateKey } = await newKey("locked", passPhrase);
    await onHost(host(), `echo '${publicKey}' >> /root/.ssh/authorized_keys`);
    await letsIn({}, { "ssh.privateKey": privateKey, "ssh.privateKeyPassword": passPhrase });
  });

  it("accepts a key's file, whose text is only in the state, as a secret", async () => {
    await letsIn({ ssh: { privateKeyFile: stage.lab.privateKeyFile } }, {});
    const file = await readFile(stack().configFile, "utf8");
    expect(file).toContain(`privateKeyFile: ${stage.lab.privateKeyFile}`);
    // The key of this text is known to the search through all that was printed, too.
    for (const line of key.trim().split("\n").slice(1, -1))
      for (const text of [file, await stack().written()]) expect(text.includes(line), "the key is shown").toBe(false);
  });

  it("accepts a password", async () => {
    await letsIn({}, { "ssh.password": "Root-Pony-5" });
    expect(await filesWith(host(), "Root-Pony-5")).toBe("");
  });

  const sshd = (line: string) =>
    onHost(
      host(),
      `printf '%s\\n' '${line}' PermitRootLogin\\ yes > /etc/ssh/sshd_config.d/a.conf; systemctl reload ssh`,
    );

  it("accepts a password that sshd asks for by a prompt of PAM", async () => {
    await sshd("PasswordAuthentication no\nPubkeyAuthentication no\nChallengeResponseAuthentication yes");
    // A changed port gives the plugin something to do.
    await letsIn({ node: { wsPort: 35993 } }, { "ssh.password": "Root-Pony-5" });
    await sshd("");
  });

  it("names a second factor", async () => {
    await sshd("AuthenticationMethods publickey,keyboard-interactive\nChallengeResponseAuthentication yes");
    await stack().configure(stackFile(stage.lab, host()), { "ssh.privateKey": key });
    const output = await expectFailure(upTo(stack(), "preflight"));
    expect(output).toContain("accepts the login, but requires more: keyboard-interactive");
    await sshd("");
  });

  it("finds what sshd forbids of a login that works, by which setting, and changes nothing", async () => {
    await stack().configure(stackFile(stage.lab, host()), { "ssh.privateKey": key });
    const keys = "/root/.ssh/authorized_keys";
    const settings: readonly (readonly [string, string, string, string])[] = [
      ["AllowTcpForwarding no", "found: allowtcpforwarding no (sshd -T)", "AllowTcpForwarding local", ""],
      ["DisableForwarding yes", "found: disableforwarding yes (sshd -T)", "DisableForwarding no", ""],
      ["PermitOpen 127.0.0.1:5432", "found: permitopen 127.0.0.1:5432 (sshd -T)", "PermitOpen any", ""],
      [
        "Match User root\nAllowTcpForwarding no",
        "found: allowtcpforwarding no (sshd -T)",
        "AllowTcpForwarding local",
        "",
      ],
      [
        "",
        "so the key's line in authorized_keys forbids it",
        "no restrict, ",
        `sed -i.before 's/^/restrict /' ${keys}`,
      ],
    ];
    for (const [line, found, needed, spoil] of settings) {
      await onHost(host(), `rm -rf /var/lib/pillar-host /var/log/pillar-host; ${spoil}`);
      // A block of Match goes to its file's end.
      await sshd(line);
      const output = await expectFailure(upTo(stack(), "preflight", "prepare"));
      expect(output).toContain(`${host().address}: its sshd forbids forwarding to 127.0.0.1:35997 for root`);
      expect(output).toContain(found);
      expect(output).toContain(needed);
      expect(await blank()).toBe("");
    }
    await onHost(host(), `mv ${keys}.before ${keys}`);
    await sshd("");
  });

  it("goes through a proxy, also for the steps", async () => {
    // The host is its own proxy, and accepts root only from itself.
    await sshd(`AllowUsers root@${host().address} op@10.*`);
    const { privateKeyFile } = stage.lab;
    const proxy = { address: host().address, hostKey: host().hostKey, user: "op" };
    await letsIn({ ssh: { privateKeyFile, proxy } }, {});
    await sshd("");
  });

  it("prints that a cloud's image wants another user", async () => {
    const wanted = 'Please login as the user "ubuntu" rather than the user "root".';
    await onHost(
      host(),
      `sed -i 's/^/command="echo \\x27${wanted.replaceAll('"', '\\\\"')}\\x27; exit 142" /' /root/.ssh/authorized_keys`,
    );
    await stack().configure(stackFile(stage.lab, host()), { "ssh.privateKey": key });
    const { exitCode, output } = await upTo(stack(), "preflight");
    await onHost(host(), "sed -i 's/^command=.*142\" //' /root/.ssh/authorized_keys");
    expect(exitCode).not.toBe(0);
    expect(output).toContain(`root@${host().address}:22: the login did not run a command to its end`);
    expect(output).toContain(`found: "${wanted}"`);
  });

  /** Runs with a separate agent, which holds these keys. */
  const withAgent = async (files: readonly string[], work: (env: { SSH_AUTH_SOCK: string }) => Promise<void>) => {
    const socket = join(stage.lab.dir, "agent.sock");
    const agent = execa("ssh-agent", ["-D", "-a", socket], { reject: false });
    const env = { SSH_AUTH_SOCK: socket };
    try {
      for (const file of files)
        await execa("sh", ["-c", `until ssh-add -q ${file}; do sleep 0.1; done`], { env, timeout: 10_000 });
      await work(env);
    } finally {
      agent.kill();
      await agent;
    }
  };

  it("uses the ssh agent of the user who runs the engine", async () => {
    await withAgent([stage.lab.privateKeyFile], async (env) => {
      await letsIn({ ssh: { agent: true } }, {}, env);
      expect(await stack().written()).not.toContain(env.SSH_AUTH_SOCK);
    });
  });

  it("tries a refused key once if --target leaves the first contact out", async () => {
    const tries = async () =>
      Number(await onHost(host(), "journalctl -t sshd | grep -c 'authenticating user root' || true"));
    const before = await tries();
    const { privateKey } = await newKey("stranger");
    // A changed port gives the run something to do.
    await stack().configure(stackFile(stage.lab, host(), { node: { wsPort: 35994 } }), {
      "ssh.privateKey": privateKey,
    });
    const output = await expectFailure(stack().up(["--target", "**::node-preflight"]));
    expect(output).toContain("needed: add the key of pillar-host:ssh to ~");
    expect(output).toContain("Then: pulumi up -s prod");
    await expect.poll(tries).toBe(before + 1);
  });

  it("names an agent that offers more keys than a host tries, after one connection", async () => {
    const others = await Promise.all(Array.from({ length: 6 }, (_, index) => newKey(`other${index}`)));
    const refused = async () =>
      Number(await onHost(host(), "journalctl -t sshd | grep -c 'maximum authentication attempts exceeded' || true"));
    await withAgent([...others.map(({ file }) => file), stage.lab.privateKeyFile], async (env) => {
      const before = await refused();
      await stack().configure(stackFile(stage.lab, host(), { ssh: { agent: true } }), {});
      Object.assign(process.env, env);
      const output = await expectFailure(upTo(stack(), "preflight"));
      delete process.env.SSH_AUTH_SOCK;
      expect(output).toContain('ended the login: "Too many authentication failures"');
      expect(output).toContain("see the ssh agent's keys with ssh-add -l");
      expect(output).toContain("pulumi config set --path pillar-host:ssh.privateKeyFile FILE -s prod");
      await expect.poll(refused).toBe(before + 1);
    });
  });

  const unpinned = () => ({
    host: { provider: "existing", address: host().address, minimums: { cores: 1, diskGb: 1 } },
  });
  const opWithSudo = (changes: StackFile) =>
    asOp({}, { "ssh.privateKey": key, "ssh.sudoPassword": sudoPassword }, { ...unpinned(), ...changes });

  it("stands a host up as a user whose sudo wants a password, and records the host key on first contact", async () => {
    await sudoers("op ALL=(ALL) ALL");
    await onHost(host(), "echo 'echo Welcome' > /home/op/.bashrc");
    // This test needs a separate stack: the other one has had the host's key in its configuration, and keeps it.
    await onHost(host(), "rm -rf /run/sudo/ts /var/lib/pillar-host");
    anew = await testStack(stage.lab, host(), {}, "anew");
    await opWithSudo({});
    const fingerprint = (await onHost(host(), "ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub")).split(" ")[1];
    const first = await stack().up();
    expect(first.exitCode).not.toBe(0);
    expect(first.output).toContain(
      `host key of ${host().address}, recorded on first contact: ${fingerprint}. Compare it with the provider's console.`,
    );
    expect(linesOf(first.output)).toContain(
      `${host().address}: its host key is recorded, and this run ends before a secret goes there (pillar-host:ssh.sudoPassword)\nfound: ${fingerprint}\n`,
    );
    const output = await expectSuccess(stack().up());
    expect(output).not.toContain("error");
    const outputs = await stack().outputs<{ host: unknown; producerAddress: string }>();
    expect(outputs.producerAddress).toMatch(/^z1q[02-9ac-hj-np-z]{37}$/);
    expect(outputs.host).toEqual({
      address: host().address,
      fingerprint,
      hostKey: expect.stringMatching(/^ssh-ed25519 /),
    });
    for (const text of [first.output, output, await stack().written()]) expect(text.includes(sudoPassword)).toBe(false);
    expect(await filesWith(host(), sudoPassword)).toBe("");
    expect(await filesWith(host(), "op ALL=(ALL) ALL")).toBe("/etc/sudoers.d/op");
    await onHost(host(), "logger Told-Ox-1; journalctl --sync");
    expect(await filesWith(host(), "Told-Ox-1")).toContain("journal");
  });

  it("refuses a host with another key than the recorded one, even without anything to do", async () => {
    await onHost(host(), "rm /etc/ssh/ssh_host_*; ssh-keygen -q -t ed25519 -N '' -f /etc/ssh/ssh_host_ed25519_key");
    await onHost(host(), "systemctl restart ssh");
    const before = await facts();
    const idle = await expectSuccess(stack().up());
    expect(idle).toContain("shows another host key than the pinned one");
    expect((await stack().outputs()).producerAddress).toBeUndefined();
    await opWithSudo({ sync: { confirmations: 4, hourlyRestart: false } });
    const busy = await expectFailure(stack().up());
    expect(busy).toContain(`error: ${host().address} shows another host key than the pinned one`);
    expect(busy).not.toContain("node-preflight");
    expect(await facts()).toBe(before);
  });

  async function newKey(name: string, phrase = "") {
    const file = join(stage.lab.dir, name);
    await execa("ssh-keygen", ["-q", "-t", "ed25519", "-N", phrase, "-C", "", "-f", file]);
    const publicKey = (await readFile(`${file}.pub`, "utf8")).trim();
    return { file, publicKey, privateKey: await readFile(file, "utf8") };
  }
});
