import { expect, test } from "vitest";
import { configOf, faultsOf, least } from "../../components/exampleConfig";
import { keyPair } from "../chain/fakes";

const token = "a".repeat(64);
const hetzner = { provider: "hetzner", token, sshFrom: ["198.51.100.7/32"] };
const ssh = { privateKey: keyPair().private };
const cloud = (changes: Record<string, unknown> = {}, others: Record<string, unknown> = {}) => ({
  ssh,
  host: { ...hetzner, ...changes },
  ...others,
});

test("gives the smallest cloud host every default", () => {
  expect(configOf(cloud()).host).toEqual({
    ...hetzner,
    locations: ["fsn1", "nbg1", "hel1"],
    plan: "auto",
    image: "ubuntu-22.04",
    backups: false,
    startTimeout: 900_000,
    minimums: { cores: 4, memoryGb: 4, diskGb: 40, bandwidthMbps: 100 },
    acceptDistributions: [],
  });
  expect(configOf(cloud({ provider: "digitalocean", token: "dop_v1_0123" })).host).toMatchObject({
    locations: ["fra1", "ams3", "lon1", "nyc3"],
  });
});

test.each([
  [{ token: "short" }, ["pillar-host:host.token: needed an API token of Hetzner Cloud: 64 letters and digits"]],
  [
    { token: undefined },
    [
      "pillar-host:host.token: missing, needed an API token with read and write permission (pulumi config set --secret --path pillar-host:host.token -s prod)",
    ],
  ],
  [{ locations: [] }, ["pillar-host:host.locations: needed at least one, such as fsn1"]],
  [
    { importId: "web1" },
    [
      "pillar-host:host.importId: needed the server's number at the provider",
      "pillar-host:host.importId: is for lifecycle adopted",
    ],
  ],
  [
    { importId: 7 },
    [
      "pillar-host:host.importId: is for lifecycle adopted only; an active stack orders its own server (pulumi config rm --path pillar-host:host.importId -s prod)",
    ],
  ],
  [
    { image: "debian-12" },
    [
      "pillar-host:host.image: found debian-12, needed one of ubuntu-22.04, debian-11, which the controller's release supports (or add yours to host.acceptDistributions) (pulumi config set --path pillar-host:host.image ubuntu-22.04 -s prod)",
    ],
  ],
  [{ image: "debian-12", acceptDistributions: ["debian-12"] }, []],
  [{ maxMonthly: 0 }, ["pillar-host:host.maxMonthly: found 0, needed a price for a month"]],
  [{ maxMonthly: "ten" }, ["pillar-host:host.maxMonthly: "]],
  [
    { address: "203.0.113.7" },
    ["pillar-host:host.address: no such key with host.provider hetzner; possible keys are provider, token"],
  ],
])("checks the cloud's keys: %j", (changes, faults) => {
  const found = faultsOf(cloud(changes));
  expect(found.map((fault, index) => fault.slice(0, faults[index]?.length))).toEqual(faults);
});

test.each([42, 24.5, "24.50"])("accepts maxMonthly %j as a price, from the file and the command line", (maxMonthly) => {
  expect(configOf(cloud({ maxMonthly })).host).toMatchObject({ maxMonthly: Number(maxMonthly) });
});

const networkNeeded = "needed a network in CIDR form, such as 192.0.2.1/32 for one address or 192.0.2.0/24";
test.each([
  ["198.51.100.7", false],
  ["198.51.100.7/24", false],
  ["198.51.100.7/33", false],
  ["256.1.1.1/32", false],
  ["home", false],
  ["198.51.100.7/32", true],
  ["198.51.100.0/24", true],
  ["0.0.0.0/0", true],
  ["2001:db8::/64", true],
  ["2001:db8::/129", false],
])("accepts or refuses sshFrom %s", (network, isOne) => {
  const fault = `pillar-host:host.sshFrom.0: found ${network}, ${networkNeeded}`;
  expect(faultsOf(cloud({ sshFrom: [network] }))).toEqual(isOne ? [] : [fault]);
});

test("explains a missing sshFrom", () => {
  const fault =
    "pillar-host:host.sshFrom: needed the networks that may connect to ssh, yours among them: without them pulumi could not reach the host. The command finds your address, such as 192.0.2.1/32; 0.0.0.0/0 lets everybody try (pulumi config set --path 'pillar-host:host.sshFrom[0]' -s prod \"$(curl -4 -s https://ifconfig.co)/32\")";
  expect(faultsOf(cloud({ sshFrom: [] }))).toEqual([fault]);
  expect(faultsOf(cloud({ sshFrom: undefined }))).toEqual([fault]);
});

test("requires root and a key for a new server, and reports all faults together", () => {
  expect(faultsOf(cloud({}, { ssh: { user: "op", port: 2222, password: "x" } }))).toEqual([
    "pillar-host:ssh.privateKeyFile: missing: a new server at a cloud provider accepts only the operator's ssh key, such as ~/.ssh/id_ed25519 (pulumi config set --path pillar-host:ssh.privateKeyFile '~/.ssh/id_ed25519' -s prod)",
    "pillar-host:ssh.user: found op, needed root on a new server (pulumi config set --path pillar-host:ssh.user root -s prod)",
    "pillar-host:ssh.port: found 2222, needed 22 on a new server (pulumi config set --path pillar-host:ssh.port 22 -s prod)",
  ]);
});

test("requires the server's number with adopted only", () => {
  expect(faultsOf(cloud({}, { lifecycle: "adopted" }))).toEqual([
    "pillar-host:host.importId: missing, needed with lifecycle adopted: the number of the server to adopt (pulumi config set --path pillar-host:host.importId -s prod NUMBER)",
  ]);
  expect(faultsOf(cloud({ importId: 52, sshFrom: undefined }, { lifecycle: "adopted", ssh: least.ssh }))).toEqual([]);
  expect(faultsOf({ lifecycle: "retiring" })).toEqual([]);
  expect(faultsOf({ lifecycle: "adopted", controller: undefined })).toEqual([]);
});
