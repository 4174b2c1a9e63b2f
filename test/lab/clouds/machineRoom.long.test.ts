import { readdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { InboundRule } from "../../../lab/clouds/machineRoom.ts";
import { cloudTokens } from "../../../lab/clouds/names.ts";
import type { Server } from "../../../lab/clouds/room/index.ts";
import {
  createHostNetwork,
  hostNamespace,
  ip,
  operatorAddress,
  operatorNamespace,
} from "../../../lab/hosts/network.ts";
import type { Lab } from "../../../lab/lab.ts";
import { createKeyPair } from "../../../providers/hostKey.ts";
import { testLab } from "../fixture.ts";
import { probe, probeFromOperator } from "./fixture.ts";

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
];

/** Answers on two ports, one of which no rule admits. */
const unit = `[Service]
ExecStart=/usr/local/bin/node -e 'for (const port of [35995, 35998]) require("net").createServer((s) => s.end()).listen(port)'
ExecStopPost=touch /root/stopped
[Install]
WantedBy=multi-user.target
`;

let lab: Lab;
let server: Server;
let stranger: string;
const { privateKey, publicKey: hostKey } = createKeyPair();

const on = async (script: string) => String((await server.run(script)).stdout);
/** Returns the states of a port for the operator and for a stranger. */
const seen = async (port: number) =>
  Promise.all([probeFromOperator(lab, server.address, port), probe(stranger, server.address, port)]);
const seenPorts = async () => [await seen(22), await seen(35995), await seen(35998)];
const [open, onlyOperator, closed] = [
  ["open", "open"],
  ["open", "filtered"],
  ["filtered", "filtered"],
];

beforeAll(async () => {
  lab = await testLab();
  stranger = hostNamespace(lab.name, "stranger");
  await ip(createHostNetwork(lab.name, "stranger", 50));
});

afterAll(async () => {
  await lab.down();
  expect(await traces(lab)).toEqual([]);
});

test("an order has its address at once, and cloud-init does all that the user data asks for", async () => {
  const { address } = await lab.machineRoom.order({
    id: "h4711",
    name: "prod-2",
    image: "debian-11",
    firewall,
    sshKeys: [await readFile(`${lab.privateKeyFile}.pub`, "utf8")],
    userData: `#cloud-config\n${JSON.stringify({
      ssh_keys: { ed25519_private: privateKey, ed25519_public: hostKey },
      ssh_pwauth: false,
      package_update: true,
      packages: ["nftables"],
      users: ["default", { name: "anvil", ssh_authorized_keys: [hostKey] }],
      write_files: [{ path: "/etc/systemd/system/listeners.service", content: unit }],
      runcmd: [
        ["systemctl", "enable", "--now", "listeners"],
        ["touch", "/root/last"],
      ],
    })}`,
  });
  server = await lab.machineRoom.server("h4711");
  expect([server.address, await lab.machineRoom.isRunning("h4711")]).toEqual([address, false]);
  await expect.poll(() => on("cloud-init status --wait")).toContain("status: done");
  const facts = `hostname; cat /etc/ssh/ssh_host_*.pub | sed '$a\\'; ls /root/last /usr/sbin/nft; systemctl is-active listeners
    cut -d' ' -f1,2 /home/anvil/.ssh/authorized_keys; sshd -T | grep ^passwordauthentication; systemctl --failed --no-legend`;
  expect((await on(facts)).split("\n")).toEqual([
    ...["prod-2", hostKey, "/root/last", "/usr/sbin/nft", "active", hostKey, "passwordauthentication no"],
  ]);
});

test("answers only what the rules allow, which the machine's root cannot change, until they are replaced", async () => {
  expect(await seenPorts()).toEqual([onlyOperator, open, closed]);
  // As a unit: a command from outside has rights that the machine's root has not.
  const flush = "systemd-run -q --wait --pipe nft flush ruleset";
  expect((await server.run(flush)).stderr).toMatch(/Operation not permitted/);
  expect(await seenPorts()).toEqual([onlyOperator, open, closed]);
  await lab.machineRoom.setFirewall("h4711", undefined);
  expect(await seenPorts()).toEqual([open, open, open]);
  await lab.machineRoom.setFirewall("h4711", firewall);
});

test.each([
  ["reboot", false, "/root/stopped"],
  ["power cut", true, ""],
])("survives a %s, behind its firewall", async (_what, isHard, stopped) => {
  await on("rm -f /root/stopped");
  await lab.machineRoom.powerOff("h4711", isHard);
  expect(await lab.machineRoom.isRunning("h4711")).toBe(false);
  for (const state of await seen(35995)) expect(state).toMatch(/filtered|unreachable/);
  await lab.machineRoom.powerOn("h4711");
  await expect.poll(seenPorts).toEqual([onlyOperator, open, closed]);
  expect(await on("ls /root/stopped 2> /dev/null")).toBe(stopped);
});

test("a removed machine leaves nothing, even while it boots, and its address is free", async () => {
  const { address } = server;
  const order = { name: "next", image: "debian-11", userData: "", sshKeys: [] };
  const second = await lab.machineRoom.order({ ...order, id: "h4712" });
  expect(second.address).not.toBe(address);
  for (const id of ["h4711", "h4711", "h4712"]) await lab.machineRoom.remove(id);
  expect(await traces(lab)).toEqual([]);
  await expect(lab.machineRoom.powerOn("h4711")).rejects.toThrow("there is no machine h4711");
  expect(await lab.machineRoom.order({ ...order, id: "h4711" })).toEqual({ address });
});

test("an API in its own process orders machines, which end with the lab", async () => {
  await lab.startClouds();
  const order = { name: "remote", server_type: "cpx32", image: "debian-11", location: "fsn1" };
  await lab.cloud("hetzner", "POST", "/v1/servers", order, cloudTokens.hetzner);
  const remote = (await lab.machineRoom.servers()).find(({ name }) => name === "remote");
  const { root = "", id = "" } = remote ?? {};
  await expect.poll(() => lab.machineRoom.isRunning(id)).toBe(true);
  // A process that was killed between the boot and its note of it leaves this record.
  const n = Number(basename(dirname(root)));
  await writeFile(join(dirname(root), "machine.json"), JSON.stringify({ id, name: "remote", n }));
  await lab.down();
  expect(await traces(lab)).toEqual([]);
});
