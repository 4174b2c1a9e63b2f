import { readdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { InboundRule } from "../../../lab/clouds/machineRoom";
import { cloudTokens } from "../../../lab/clouds/names";
import type { Server } from "../../../lab/clouds/room";
import { createHostNetwork, hostNamespace, ip, operatorAddress, operatorNamespace } from "../../../lab/hosts/network";
import type { Lab } from "../../../lab/lab";
import { createKeyPair } from "../../../providers/hostKey";
import { testLab } from "../fixture";
import { probe, probeFromOperator, probeUdp, strictSsh, until } from "./fixture";

const cgroupRoots = ["/sys/fs/cgroup", "/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified"];

/**
 * Lists everything that this machine still has of a lab's servers: namespaces, cables, directories, mounts, cgroups,
 * processes.
 */
async function traces(lab: Lab): Promise<string[]> {
  const server = `${operatorNamespace(lab.name)}-server`;
  const directory = join(lab.dir, "machines");
  const links = await execa("ip", ["-n", operatorNamespace(lab.name), "-o", "link"], { reject: false });
  const mounts = await readFile("/proc/self/mounts", "utf8");
  const places = ["/run/netns", "/run/systemd/nspawn/propagate", ...cgroupRoots].map(entries);
  return [
    ...(await Promise.all(places)).flat().filter((path) => path.includes(server)),
    ...(await entries(directory)),
    ...links.stdout.split("\n").filter((line) => /veth1\d\d[@:]/.test(line)),
    ...mounts.split("\n").filter((line) => line.includes(directory)),
    ...(await processes([server, directory])),
  ];
}

async function entries(path: string): Promise<string[]> {
  return (await readdir(path).catch(() => [])).map((name) => join(path, name));
}

async function processes(texts: readonly string[]): Promise<string[]> {
  const found = (await readdir("/proc"))
    .filter((name) => /^\d+$/.test(name))
    .map(async (pid) => {
      const [command = "", groups = ""] = await Promise.all(
        ["cmdline", "cgroup"].map((file) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "")),
      );
      // A process without a command line has ended, and waits for its parent to notice.
      const ours = command !== "" && texts.some((text) => `${command} ${groups}`.includes(text));
      return ours ? [`process ${pid}: ${command.replaceAll("\0", " ")}`] : [];
    });
  return (await Promise.all(found)).flat();
}

/** 22 for the operator only, 35995 for everybody. */
const firewall: readonly InboundRule[] = [
  { protocol: "tcp", ports: "22", sources: [`${operatorAddress}/32`] },
  { protocol: "tcp", ports: "35995", sources: ["0.0.0.0/0", "::/0"] },
  { protocol: "udp", ports: "35995", sources: ["0.0.0.0/0", "::/0"] },
];

/** Answers on two ports, one of which no rule admits. */
const listeners = `
for (const port of [35995, 35998]) {
  require("node:net").createServer((socket) => socket.end()).listen(port);
  const udp = require("node:dgram").createSocket("udp4").bind(port);
  udp.on("message", (text, { address, port }) => udp.send(text, port, address));
}`;
const unit = `[Service]
ExecStart=/usr/local/bin/node /root/listeners.js
ExecStopPost=touch /root/stopped
[Install]
WantedBy=multi-user.target
`;

let lab: Lab;
let server: Server;
let stranger: string;
let hostKey: string;

const ssh = (script: string) => strictSsh(lab, server.address, hostKey, script);
/** Returns the states of a port for the operator and for a stranger. */
const seen = async (port: number) =>
  Promise.all([probeFromOperator(lab, server.address, port), probe(stranger, server.address, port)]);

beforeAll(async () => {
  lab = await testLab();
  stranger = hostNamespace(lab.name, "stranger");
  await ip(createHostNetwork(lab.name, "stranger", 50));
});

afterAll(async () => {
  await lab.down();
  expect(await traces(lab)).toEqual([]);
});

test("an order has its address at once, and the machine shows the host key of its user data", async () => {
  const { privateKey, publicKey } = createKeyPair();
  hostKey = publicKey;
  const started = Date.now();
  const { address } = await lab.machineRoom.order({
    id: "h4711",
    name: "prod-2",
    image: "debian-11",
    firewall,
    sshKeys: [await readFile(`${lab.privateKeyFile}.pub`, "utf8")],
    userData: `#cloud-config\n${JSON.stringify({
      ssh_keys: { ed25519_private: privateKey, ed25519_public: publicKey },
      ssh_pwauth: false,
      package_update: true,
      packages: ["nftables"],
      users: ["default", { name: "anvil", ssh_authorized_keys: [publicKey] }],
      write_files: [
        { path: "/root/listeners.js", content: listeners },
        { path: "/etc/systemd/system/listeners.service", content: unit },
      ],
      runcmd: [
        ["systemctl", "enable", "--now", "listeners"],
        ["touch", "/root/last"],
      ],
    })}`,
  });
  expect(Date.now() - started).toBeLessThan(5_000);
  server = await lab.machineRoom.server("h4711");
  expect(server.address).toBe(address);

  const refusals = new Set<string>();
  await until("ssh", async () => {
    const { exitCode, stderr } = await ssh("true");
    if (exitCode !== 0) refusals.add(String(stderr).trim().replace(/^.*: /, ""));
    return exitCode === 0;
  });
  expect(await lab.machineRoom.isRunning("h4711")).toBe(true);
  for (const refusal of refusals) expect(refusal).toMatch(/refused|timed out|No route|closed|reset/);
});

test("cloud-init reports its end, and has done all that the user data asked for", async () => {
  let told: Awaited<ReturnType<typeof ssh>> | undefined;
  // It restarts sshd once it has set how to log in.
  await until("a connection that cloud-init doesn't end", async () => {
    told = await ssh("cloud-init status --wait");
    return told.exitCode !== 255;
  });
  expect([told?.exitCode, String(told?.stdout).trim().split("\n").at(-1)]).toEqual([0, "status: done"]);
  const facts = `hostname; cat /etc/ssh/ssh_host_*.pub | sed '$a\\'; ls /root/last /usr/sbin/nft; systemctl is-active listeners
    cut -d' ' -f1,2 /home/anvil/.ssh/authorized_keys; sshd -T | grep ^passwordauthentication; systemctl --failed --no-legend`;
  expect(String((await ssh(facts)).stdout).split("\n")).toEqual([
    ...["prod-2", hostKey, "/root/last", "/usr/sbin/nft", "active", hostKey, "passwordauthentication no"],
  ]);
});

test("answers only what the rules allow, and the machine's root cannot change that", async () => {
  const expected = [
    ["open", "filtered"],
    ["open", "open"],
    ["filtered", "filtered"],
  ];
  const all = async () => [await seen(22), await seen(35995), await seen(35998)];
  await until("the listeners", async () => (await seen(35995))[1] === "open");
  expect(await all()).toEqual(expected);
  expect([await probeUdp(stranger, server.address, 35995), await probeUdp(stranger, server.address, 35998)]).toEqual([
    "answers",
    "silent",
  ]);
  const { stderr } = await ssh("nft flush ruleset");
  expect(stderr).toMatch(/Operation not permitted/);
  expect(await all()).toEqual(expected);
});

test("replaces and removes rules", async () => {
  const other: InboundRule = { protocol: "tcp", ports: "35990-35998", sources: ["10.77.0.0/24"] };
  await lab.machineRoom.setFirewall("h4711", [other]);
  expect([await seen(22), await seen(35998)]).toEqual([
    ["filtered", "filtered"],
    ["open", "open"],
  ]);
  await lab.machineRoom.setFirewall("h4711", undefined);
  expect([await seen(22), await seen(35998)]).toEqual([
    ["open", "open"],
    ["open", "open"],
  ]);
  await lab.machineRoom.setFirewall("h4711", firewall);
});

test("survives a reboot and a power cut, behind its firewall", async () => {
  const bootId = async () => String((await ssh("touch /root/here; cat /proc/sys/kernel/random/boot_id")).stdout);
  const first = await bootId();
  expect(first).toMatch(/^[0-9a-f-]{36}$/);
  await lab.machineRoom.powerOff("h4711", false);
  await lab.machineRoom.powerOn("h4711");
  await until("the listeners after a reboot", async () => (await seen(35995))[1] === "open");
  await until("ssh after a reboot", async () => ![first, ""].includes(await bootId()));
  expect((await ssh("rm /root/stopped")).stderr).toBe("");
  expect([await seen(22), await seen(35998)]).toEqual([
    ["open", "filtered"],
    ["filtered", "filtered"],
  ]);

  await lab.machineRoom.powerOff("h4711");
  expect(await lab.machineRoom.isRunning("h4711")).toBe(false);
  expect(await seen(35995)).toEqual([
    expect.stringMatching(/filtered|unreachable/),
    expect.stringMatching(/filtered|unreachable/),
  ]);
  await lab.machineRoom.powerOn("h4711");
  expect(await lab.machineRoom.isRunning("h4711")).toBe(true);
  await until("ssh after a power cut", async () => (await ssh("ls /root/here")).exitCode === 0);
  expect((await ssh("ls /root/stopped")).stderr).toMatch(/No such file/);
  expect(await seen(22)).toEqual(["open", "filtered"]);
});

test("a removed machine leaves nothing, even while it boots, and its address is free", async () => {
  const { address } = server;
  const order = { name: "next", image: "debian-11", userData: "", sshKeys: [] };
  const second = await lab.machineRoom.order({ ...order, id: "h4712" });
  expect(second.address).not.toBe(address);
  await lab.machineRoom.remove("h4711");
  await lab.machineRoom.remove("h4711");
  await lab.machineRoom.remove("h4712");
  expect(await traces(lab)).toEqual([]);
  await expect(lab.machineRoom.powerOn("h4711")).rejects.toThrow("there is no machine h4711");
  expect(await lab.machineRoom.order({ ...order, id: "h4711" })).toEqual({ address });
});

test("a machine without power before its first boot stays off until it is powered on", async () => {
  const order = { id: "h4713", name: "dark", image: "debian-11", userData: "", sshKeys: [] };
  const { address } = await lab.machineRoom.order(order);
  await lab.machineRoom.powerOff("h4713");
  // In turn, behind all that the order still did.
  await lab.machineRoom.powerOff("h4713", false);
  expect(await lab.machineRoom.isRunning("h4713")).toBe(false);
  await expect((await lab.machineRoom.server("h4713")).run("true")).rejects.toThrow("has not booted yet");
  expect(await probeFromOperator(lab, address, 22)).toMatch(/filtered|unreachable/);
  await lab.machineRoom.powerOn("h4713");
  expect(await lab.machineRoom.isRunning("h4713")).toBe(true);
});

test("an API in its own process orders machines, which end with the lab", async () => {
  await lab.startClouds();
  const order = { name: "remote", server_type: "cpx32", image: "debian-11", location: "fsn1" };
  await lab.cloud("hetzner", "POST", "/v1/servers", order, cloudTokens.hetzner);
  const remote = (await lab.machineRoom.servers()).find(({ name }) => name === "remote");
  const { root = "", id = "" } = remote ?? {};
  await until("the machine boots", () => lab.machineRoom.isRunning(id));
  // A process that was killed between the boot and its note of it leaves this record.
  const n = Number(basename(dirname(root)));
  await writeFile(join(dirname(root), "machine.json"), JSON.stringify({ id, name: "remote", n }));
  await lab.down();
  expect(await traces(lab)).toEqual([]);
});
