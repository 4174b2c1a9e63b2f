import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBaseImage } from "../../../lab/images/baseImage.ts";
import type { Run } from "../../../lab/stack/engineRun.ts";
import type { StackFile } from "../../../lab/stack/stack.ts";
import { createKeyPair } from "../../../providers/hostKey.ts";
import { cli } from "../cli/fixture.ts";
import { expectFailure, linesOf, onHost, stackFile, staged, testStack, upTo } from "../fixture.ts";

const nobody = "10.77.0.99";

describe("bad input", () => {
  let reference: string;
  const stage = staged(
    undefined,
    async (lab) => {
      reference = await lab.addReference("ref1");
    },
    ensureBaseImage,
  );
  let key: string;
  let untouched: string;
  const silent: Run[] = [];

  beforeAll(async () => {
    key = await readFile(stage.lab.privateKeyFile, "utf8");
    untouched = await facts();
    // They wait a minute for a host that boots: beside the other tests.
    for (const [name, changes] of [
      ["nobody", { host: { ...least().host, address: nobody } }],
      ["closed", { ssh: { port: 2222 } }],
    ] as const) {
      const stack = await testStack(stage.lab, stage.host, changes, name);
      silent.push(await stack.begin());
    }
  });

  const least = () => stackFile(stage.lab, stage.host) as { host: Record<string, unknown> };
  const facts = () =>
    onHost(
      stage.host,
      `dpkg -l; ls /var/lib /var/log /run; sysctl net.ipv4.ip_local_reserved_ports
       find /etc /root /usr /opt /srv -xdev -newermt @0 -printf '%p %s %T@\n' | sort`,
    );
  const refused = async (changes: StackFile, secrets: Record<string, string> = { "ssh.privateKey": key }) => {
    await stage.stack.configure({ ...least(), ...changes }, secrets);
    const output = await expectFailure(upTo(stage.stack, "preflight"));
    expect(output).not.toMatch(/\.ts:\d|\.js:\d|dial/);
    expect(await facts()).toBe(untouched);
    return linesOf(output);
  };

  it("names all configuration problems at once", async () => {
    const { publicKey } = createKeyPair();
    const lines = await refused(
      {
        host: { ...least().host, adress: "10.77.0.11", minimums: { cores: "two" } },
        sync: { deadline: "10s", confirmation: 5, unverifiedChain: "acknowledged" },
        controller: { release: { url: "releases.example/node.zip" } },
      },
      { "ssh.privateKey": publicKey },
    );
    expect(lines).toContain(`error: The configuration of stack prod has 6 faults; nothing was changed:
- pillar-host:host.minimums.cores: found "two", needed a number
- pillar-host:host.adress: no such key
- pillar-host:ssh.privateKey: found text, needed a private key, the file without .pub (-----BEGIN OPENSSH PRIVATE KEY-----…) (pulumi config set --secret --path pillar-host:ssh.privateKey -s prod)
- pillar-host:controller.release.url: found "releases.example/node.zip", needed an http or https address of the controller's zip archive
- pillar-host:sync.deadline: found "10s", needed a duration from 1m to 365d, such as 90s, 12h or 7d
- pillar-host:sync.confirmation: no such key
Correct it in Pulumi.prod.yaml (docs/configuration.md has all keys), then run pulumi up -s prod again.`);
  });

  it("refuses a Pillar's name that no reference knows, in check, too, and names the nearest one", async () => {
    const lines = await refused({ pillar: { name: "anvill" }, sync: { references: [reference] } });
    const said = new RegExp(`no Pillar "anvill" on the chain of reference ${reference} \\(height \\d+\\)`);
    expect(lines).toMatch(
      new RegExp(`error: ${said.source}; nothing was changed
found: its nearest names: Anvil
needed: use the name as the wallet shows it under Pillars; upper and lower case count
pulumi config set --type string --path pillar-host:pillar.name Anvil -s prod && pulumi up -s prod`),
    );
    const checked = await cli(stage.stack, ["check", "prod"]);
    expect(checked.exitCode, checked.output).toBe(1);
    expect(checked.output).toMatch(new RegExp(`FAULT +Pillar's name +${said.source}`));
    expect(checked.output).toMatch(/later +node's version +the node is not installed yet; /);
    expect(await facts()).toBe(untouched);
  });

  it("refuses another host key", async () => {
    const { publicKey } = createKeyPair();
    const lines = await refused({ host: { ...least().host, hostKey: publicKey } });
    expect(lines).toContain(`${stage.host.address} shows another host key than the pinned one
found: ${stage.host.hostKey}
needed: ${publicKey}
Was the machine reinstalled, or is somebody in between? Compare the key at the provider's console before you change pillar-host:host.hostKey.
If the new key is right, as the host's console shows it: pulumi config set --path pillar-host:host.hostKey 'ssh-ed25519 AAAA…' -s prod && pulumi up -s prod`);
  });

  it("names a key or password that the host does not accept", async () => {
    const { publicKey, privateKey } = createKeyPair();
    const where = `root@${stage.host.address}`;
    expect(await refused({}, { "ssh.privateKey": privateKey })).toContain(`error: ${where}:22 refuses the login
needed: add the key of pillar-host:ssh to ~root/.ssh/authorized_keys on the host: ${publicKey}
Is it another key? pulumi config set --path pillar-host:ssh.privateKeyFile FILE -s prod
Is that line there already? sshd's log on the host says why it refuses the key: journalctl -u ssh -n 20
Is it another user? pulumi config set --path pillar-host:ssh.user USER -s prod
Then: pulumi up -s prod
See it with: ssh -v -p 22 ${where}`);
    const password = await refused({}, { "ssh.password": "Wrong-Pony-5" });
    expect(password).toContain(`error: ${where}:22 refuses the login
needed: let sshd accept passwords, and set the right one: pulumi config set --secret --path pillar-host:ssh.password -s prod
`);
    expect(password).not.toContain("Wrong-Pony-5");
  });

  it("names an address without a host, and a port without a listener", async () => {
    const [nowhere, closed] = await Promise.all(silent.map((run) => run.end()));
    for (const [end, stack, address, port, found] of [
      [nowhere, "nobody", nobody, 22, "EHOSTUNREACH"],
      [closed, "closed", stage.host.address, 2222, "ECONNREFUSED"],
    ] as const) {
      expect(end?.exitCode).not.toBe(0);
      // The last attempt may end some seconds after the time.
      const lines = linesOf(end?.output ?? "").replaceAll(/, for 6\d s$/gm, ", for 60 s");
      expect(lines).toMatch(
        new RegExp(`waiting for a host that boots, \\d+ of 60 s: root@${address}:${port}: connect ${found}`),
      );
      expect(lines).toContain(`error: ${address}: no login is possible
found: connect ${found} ${address}:${port}, for 60 s
needed: start the host, and make its sshd reachable from here on port ${port}
See it with: ssh -p ${port} root@${address}
Is it another address? pulumi config set --path pillar-host:host.address ADDRESS -s ${stack}
Then: pulumi up -s ${stack}`);
    }
    expect(await facts()).toBe(untouched);
  });
});
