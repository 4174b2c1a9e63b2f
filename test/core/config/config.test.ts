import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { parseConfig } from "../../../core/config/config";
import { configOf, faultsOf, least } from "../../components/exampleConfig";
import { keyPair } from "../chain/fakes";

const privateKey = keyPair().private.trim();
const hex = "0123456789abcdef".repeat(4);
const word = "needed a plain word of letters, digits, dot, dash and underscore";
const directory =
  'needed an absolute path of letters, digits, ".", "_" and "-", without "." or ".." as a folder and without "/" at its end';
const oneLogin =
  "pillar-host:ssh: needed one of agent: true, privateKeyFile, privateKey or password. How does the program log in to 203.0.113.7? With the ssh agent: pulumi config set --path pillar-host:ssh.agent true -s prod; or with a key's file: pulumi config set --path pillar-host:ssh.privateKeyFile '~/.ssh/id_ed25519' -s prod";
const hashNeeded =
  "pillar-host:controller.release.sha256: needed because the address is plain http: the archive runs as root, and anybody on the network path could replace it";
const keyNeeded = "needed a line such as `ssh-ed25519 AAAA…` (get it with: ssh-keyscan -t ed25519 ADDRESS)";

const host = (changes: Record<string, unknown>) => ({ host: { ...least.host, ...changes } });
const controller = (changes: Record<string, unknown>) => ({ controller: { ...least.controller, ...changes } });
const release = (changes: Record<string, unknown>) =>
  controller({ release: { ...least.controller.release, ...changes } });

const syncDefaults = {
  hourlyRestart: true,
  confirmations: 3,
  confirmSeconds: 4,
  references: [],
  tolerance: 20,
  stallMinutes: 15,
  unverifiedChain: "acknowledged",
};

/** The fault of an active stack without a witness. */
const noWitness =
  "pillar-host:sync.references: needed a witness of the chain, found none: a fresh momentum does not prove which chain a node is on. Needed at least one independent node's RPC here, or the old host (sync.oldHost: address and hostKey). docs/operating.md, Witnesses of the chain, says how to find nodes, and what sync.unverifiedChain: acknowledged risks (pulumi config set --path 'pillar-host:sync.references[0]' -s prod URL)";

test("gives the smallest configuration every default", () => {
  expect(configOf()).toEqual({
    stack: "prod",
    pillar: { name: "Anvil" },
    lifecycle: "active",
    host: {
      provider: "existing",
      address: "203.0.113.7",
      minimums: { cores: 4, memoryGb: 4, diskGb: 40, bandwidthMbps: 100 },
      acceptDistributions: [],
    },
    ssh: { user: "root", port: 22, password: "login-pw", agent: false },
    controller: {
      release: { url: "https://release.example/node-controller.zip" },
      directory: "/root",
      executable: "node-controller",
      addresses: [],
      deployTimeout: 2 * 3600 * 1000,
    },
    node: {
      service: "go-node",
      dataDir: "/root/.znn",
      rpc: "ssh",
      rpcAddress: "127.0.0.1",
      rpcPort: 35997,
      wsPort: 35998,
      p2pPort: 35995,
    },
    sync: { ...syncDefaults, deadline: 7 * 24 * 3600 * 1000 },
    orchestrator: {
      service: "orchestrator",
      directory: "/root/.orchestrator",
      executable: "orchestrator",
      rpcPort: 55000,
      p2pPort: 55055,
      backup: {},
      rpcFrom: [],
      startTimeout: 1_500_000,
      steadySeconds: 12,
      unattended: false,
      rollback: false,
      attempt: 1,
    },
    network: { epoch: 24 * 3600 * 1000, momentum: 10_000, tickMomentums: 30 },
    retirement: { references: [] },
  });
});

test("requires an IP address for a direct RPC, because the node refuses names", () => {
  const named = { provider: "existing", address: "pillar.example.org" };
  expect(faultsOf({ host: named, node: { rpc: "direct" } })).toEqual([
    "pillar-host:node.rpcAddress: needed the IP address of pillar.example.org with node.rpc: direct, because the node refuses names (403). Find it with: getent hosts pillar.example.org; or leave node.rpc out, to ask through ssh (pulumi config set --path pillar-host:node.rpcAddress -s prod ADDRESS)",
  ]);
  expect(faultsOf({ host: named, node: { rpc: "direct", rpcAddress: "203.0.113.7" } })).toEqual([]);
  expect(faultsOf({ host: named })).toEqual([]);
  expect(faultsOf({ node: { rpc: "direct" } })).toEqual([]);
});

test("requires plain addresses for the controller", () => {
  const addresses = ["https://go.dev", "https://api64.ipify.org/", "http://10.0.0.1:8080/ip"];
  expect(faultsOf({ controller: { ...least.controller, addresses } })).toEqual([]);
  for (const address of ["go.dev", "ftp://go.dev", "https://go.dev/?a=$(b)", "https://go.dev x"])
    expect(faultsOf({ controller: { ...least.controller, addresses: [address] } })).toEqual([
      "pillar-host:controller.addresses.0: needed an http or https address, such as https://go.dev",
    ]);
});

test("requires no release for a host without a deploy", () => {
  for (const lifecycle of ["adopted", "retiring"])
    expect(configOf({ lifecycle, controller: undefined }).controller).not.toHaveProperty("release");
});

test("replaces a default by a set value, and keeps the defaults beside it", () => {
  expect(configOf(host({ minimums: { cores: 2 } })).host.minimums).toEqual({
    cores: 2,
    memoryGb: 4,
    diskGb: 40,
    bandwidthMbps: 100,
  });
  expect(configOf({ sync: { deadline: "90s" } }).sync).toEqual({ ...syncDefaults, deadline: 90_000 });
});

test("reports every missing block of an empty configuration at once", () => {
  expect(parseConfig({}, "prod")).toEqual({
    faults: [
      "pillar-host:pillar: missing, needed the Pillar's name (pulumi config set --path pillar-host:pillar.name -s prod NAME)",
      "pillar-host:host: missing, needed the host's provider: pulumi config set --path pillar-host:host.provider existing -s prod for a server that exists already",
      "pillar-host:ssh: missing. How does the program log in to the host? With the ssh agent: pulumi config set --path pillar-host:ssh.agent true -s prod; or with a key's file: pulumi config set --path pillar-host:ssh.privateKeyFile '~/.ssh/id_ed25519' -s prod",
      "pillar-host:controller.release.url: missing, needed the address of the controller's zip archive (pulumi config set --path pillar-host:controller.release.url -s prod URL)",
    ],
  });
});

test("refuses an active stack without a witness", () => {
  expect(parseConfig({ ...least, sync: {} }, "prod")).toEqual({ faults: [noWitness] });
});

test("reports several faults in several blocks together", () => {
  const faults = faultsOf({
    pillar: {},
    ssh: { user: "a b", password: "x" },
    sync: { deadline: "10s" },
    nodes: {},
  });
  expect(faults).toEqual([
    "pillar-host:pillar.name: missing, needed the Pillar's name, as registered on chain (pulumi config set --path pillar-host:pillar.name -s prod NAME)",
    `pillar-host:ssh.user: ${word}`,
    "pillar-host:sync.deadline: found 10s, needed a duration of at least 1m, such as 90s, 12h or 7d",
    "pillar-host:nodes: no such key; did you mean node?",
  ]);
});

describe("unknown keys", () => {
  test.each([
    ["at the top", { pilar: {} }, ["pillar-host:pilar: no such key; did you mean pillar?"]],
    ["in a block", { sync: { deadlines: "1h" } }, ["pillar-host:sync.deadlines: no such key; did you mean deadline?"]],
    [
      "two blocks deep",
      host({ minimums: { core: 1 } }),
      ["pillar-host:host.minimums.core: no such key; did you mean cores?"],
    ],
    [
      "without a similar key",
      { controller: { ...least.controller, zzzzzzzzzz: 1 } },
      [
        "pillar-host:controller.zzzzzzzzzz: no such key; possible keys are release, directory, executable, addresses, source, go, deployTimeout",
      ],
    ],
    [
      "two at once",
      { node: { rpcport: 1, p2pport: 2 } },
      [
        "pillar-host:node.rpcport: no such key; did you mean rpcPort?",
        "pillar-host:node.p2pport: no such key; did you mean p2pPort?",
      ],
    ],
  ])("are reported: %s", (_where, changes, faults) => {
    expect(faultsOf(changes)).toEqual(faults);
  });
});

describe("a value of the wrong type", () => {
  test.each([
    [
      { pillar: "Anvil" },
      "pillar-host:pillar: found text, needed a block with keys such as name (pulumi config rm --path pillar-host:pillar -s prod)",
    ],
    [
      { pillar: { name: 7 } },
      "pillar-host:pillar.name: found 7, needed text (pulumi config set --type string --path pillar-host:pillar.name 7 -s prod)",
    ],
    [
      { sync: { hourlyRestart: "true" } },
      "pillar-host:sync.hourlyRestart: found text, needed true or false (pulumi config rm --path pillar-host:sync.hourlyRestart -s prod && pulumi config set --path pillar-host:sync.hourlyRestart true -s prod)",
    ],
    [
      { node: { rpcPort: "35997" } },
      "pillar-host:node.rpcPort: found text, needed a number (pulumi config rm --path pillar-host:node.rpcPort -s prod && pulumi config set --path pillar-host:node.rpcPort 35997 -s prod)",
    ],
    [
      { sync: { confirmations: 1.5 } },
      "pillar-host:sync.confirmations: found 1.5, needed a whole number (pulumi config rm --path pillar-host:sync.confirmations -s prod && pulumi config set --path pillar-host:sync.confirmations -s prod CONFIRMATIONS)",
    ],
    [
      { sync: { deadline: 7 } },
      "pillar-host:sync.deadline: found 7, needed text: duration of at least 1m (pulumi config set --type string --path pillar-host:sync.deadline DEADLINE -s prod)",
    ],
  ])("is not called missing: %j", (changes, fault) => {
    expect(faultsOf(changes)).toEqual([fault]);
  });
});

describe("choices and ranges", () => {
  test.each([
    [{ lifecycle: "retired" }, /^pillar-host:lifecycle: found retired, needed active, adopted or retiring$/],
    [{ node: { rpc: "tunnel" } }, /^pillar-host:node\.rpc: found tunnel, needed ssh or direct$/],
    [host({ provider: "aws" }), /^pillar-host:host\.provider: found aws, needed existing, hetzner or digitalocean$/],
    [{ node: { rpcPort: 0 } }, /^pillar-host:node\.rpcPort: found 0, needed at least 1$/],
    [{ node: { rpcPort: 65536 } }, /^pillar-host:node\.rpcPort: found 65536, needed at most 65535$/],
    [{ sync: { confirmations: 0 } }, /^pillar-host:sync\.confirmations: found 0, needed at least 1$/],
    [{ sync: { wait: "once" } }, /^pillar-host:sync\.wait: found once, needed block, check or await$/],
    [{ sync: { confirmSeconds: -1 } }, /^pillar-host:sync\.confirmSeconds: found -1, needed at least 0$/],
    [{ sync: { confirmSeconds: 61 } }, /^pillar-host:sync\.confirmSeconds: found 61, needed at most 60$/],
    [{ sync: { tolerance: 0 } }, /^pillar-host:sync\.tolerance: found 0, needed at least 1$/],
    [{ sync: { tolerance: 1001 } }, /^pillar-host:sync\.tolerance: found 1001, needed at most 1000$/],
    [{ sync: { stallMinutes: 0 } }, /^pillar-host:sync\.stallMinutes: found 0, needed more than 0$/],
    [{ sync: { stallMinutes: 1441 } }, /^pillar-host:sync\.stallMinutes: found 1441, needed at most 1440$/],
    [{ sync: { confirmations: 101 } }, /^pillar-host:sync\.confirmations: found 101, needed at most 100$/],
    [host({ minimums: { cores: 0 } }), /^pillar-host:host\.minimums\.cores: found 0, needed at least 1$/],
  ])("are checked: %j", (changes, fault) => {
    const faults = faultsOf(changes);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(fault);
  });

  test("accepts both ends of a range", () => {
    expect(faultsOf({ node: { rpcPort: 1, wsPort: 65535 }, sync: { confirmations: 100 } })).toEqual([]);
    expect(faultsOf({ sync: { confirmations: 1, deadline: "1m" } })).toEqual([]);
  });
});

describe("login", () => {
  test.each([
    ["none", {}],
    ["an agent that is switched off", { agent: false }],
    ["the sudo password alone", { sudoPassword: "x" }],
  ])("refuses %s as a login", (_what, ssh) => {
    expect(faultsOf({ ssh })).toEqual([oneLogin]);
  });

  test.each([
    ["a key", { privateKey }],
    ["a password", { password: "x" }],
    ["the agent", { agent: true }],
  ])("accepts %s", (_what, ssh) => {
    expect(faultsOf({ ssh })).toEqual([]);
  });

  test("ends a key with one line break, whatever blanks are around it", () => {
    expect(configOf({ ssh: { privateKey: `\n  ${privateKey}\n\n` } }).ssh.privateKey).toBe(`${privateKey}\n`);
  });

  test.each(["ssh-ed25519 AAAAC3 me@laptop", " ecdsa-sha2-nistp256 AAAAE2", "ssh-rsa AAAAB3"])(
    "refuses a public key: %s",
    (key) => {
      expect(faultsOf({ ssh: { privateKey: key } })).toEqual([
        "pillar-host:ssh.privateKey: found a public key, needed the private one (the file without .pub)",
      ]);
    },
  );

  test("refuses a path as a key", () => {
    expect(faultsOf({ ssh: { privateKey: "~/.ssh/id_ed25519" } })).toEqual([
      "pillar-host:ssh.privateKey: needed a private key (-----BEGIN OPENSSH PRIVATE KEY-----…)",
    ]);
  });

  test.each([
    [
      "RSA",
      () => generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs1", format: "pem" }),
    ],
    ["EC", () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "sec1", format: "pem" })],
  ])("accepts a PEM key of kind %s", (_kind, key) => {
    expect(faultsOf({ ssh: { privateKey: String(key()) } })).toEqual([]);
  });

  test("refuses a key that is truncated, or of a kind that ssh does not read", () => {
    const fault =
      "pillar-host:ssh.privateKey: cannot be read: truncated, of a hardware token, or of an unknown kind? Needed the whole text of the private key's file (ssh-keygen -p -f FILE rewrites it in the usual form)";
    expect(faultsOf({ ssh: { privateKey: privateKey.slice(0, 200) } })).toEqual([fault]);
    expect(faultsOf({ ssh: { privateKey: "-----BEGIN PRIVATE KEY-----\nMII\n" } })).toEqual([fault]);
  });

  test("checks the pass phrase of a key: missing, wrong and right", () => {
    const locked = keyPair("open sesame").private;
    expect(faultsOf({ ssh: { privateKey: locked } })).toEqual([
      "pillar-host:ssh.privateKeyPassword: missing, but the private key is encrypted with a pass phrase (pulumi config set --secret --path pillar-host:ssh.privateKeyPassword -s prod)",
    ]);
    expect(faultsOf({ ssh: { privateKey: locked, privateKeyPassword: "open" } })).toEqual([
      "pillar-host:ssh.privateKeyPassword: does not open the private key",
    ]);
    expect(faultsOf({ ssh: { privateKey: locked, privateKeyPassword: "open sesame" } })).toEqual([]);
  });

  test("shows no secret in a fault", () => {
    const faults = faultsOf({
      ssh: { user: "a b", privateKey: "hunter2-key", password: ["hunter2"], sudoPassword: { is: "hunter2" } },
    });
    expect(faults.length).toBeGreaterThan(2);
    expect(faults.join("\n")).not.toContain("hunter2");
  });
});

describe("controller", () => {
  test("requires a hash for plain http", () => {
    expect(faultsOf(release({ url: "http://release.example/c.zip" }))).toEqual([hashNeeded]);
    expect(faultsOf(release({ url: "http://release.example/c.zip", sha256: hex }))).toEqual([]);
  });

  test("accepts a scheme in capitals", () => {
    expect(faultsOf(release({ url: "HTTPS://release.example/c.zip" }))).toEqual([]);
    expect(faultsOf(release({ url: "HTTP://release.example/c.zip" }))).toEqual([hashNeeded]);
  });

  test("turns a hash in capitals into small letters", () => {
    expect(configOf(release({ sha256: hex.toUpperCase() })).controller.release?.sha256).toBe(hex);
  });

  test.each([
    [hex.slice(1), ""],
    [`${hex}0`, ""],
    [`${hex.slice(1)}g`, ""],
    ["", "found an empty text, "],
  ])("refuses %j as a hash", (sha256, found) => {
    expect(faultsOf(release({ sha256 }))).toContain(
      `pillar-host:controller.release.sha256: ${found}needed 64 hexadecimal digits (sha256sum of the archive)`,
    );
  });

  test.each(["ftp://release.example/c.zip", "release.example/c.zip"])("refuses %s as an address", (url) => {
    expect(faultsOf(release({ url, sha256: hex }))).toEqual([
      "pillar-host:controller.release.url: needed an http or https address of the controller's zip archive",
    ]);
  });
});

describe("the controller's release", () => {
  const missing =
    "pillar-host:controller.release.url: missing, needed the address of the controller's zip archive (pulumi config set --path pillar-host:controller.release.url -s prod URL)";

  test.each([
    ["no block", undefined],
    ["a block without it", { directory: "/root" }],
    ["an empty block", { release: {} }],
  ])("is reported missing on an active stack: %s", (_what, block) => {
    expect(faultsOf({ controller: block })).toEqual([missing]);
  });

  test("is reported missing beside other faults, also of its block", () => {
    expect(faultsOf({ pillar: {}, controller: { directory: "root" } })).toEqual([
      "pillar-host:pillar.name: missing, needed the Pillar's name, as registered on chain (pulumi config set --path pillar-host:pillar.name -s prod NAME)",
      `pillar-host:controller.directory: found root, ${directory}`,
      missing,
    ]);
  });

  test("is reported as no block, and not as missing", () => {
    expect(faultsOf({ controller: "x" })).toEqual([
      "pillar-host:controller: found text, needed a block with keys such as release, directory, executable (pulumi config rm --path pillar-host:controller -s prod)",
    ]);
    expect(faultsOf(controller({ release: "x" }))).toEqual([
      "pillar-host:controller.release: found text, needed a block with keys such as url, sha256, version (pulumi config rm --path pillar-host:controller.release -s prod)",
    ]);
  });

  test.each(["v0.0.4", "v0.0.4-alpha"])("may have version %s", (version) => {
    expect(configOf(release({ version })).controller.release?.version).toBe(version);
  });

  test.each([
    ["0.0.4", "found 0.0.4, "],
    ["v0.0", ""],
    ["v0.0.4 alpha", ""],
    ["", "found an empty text, "],
  ])("refuses %j as a version", (version, found) => {
    expect(faultsOf(release({ version }))).toEqual([
      `pillar-host:controller.release.version: ${found}needed the release's version, such as v0.0.4 or v0.0.4-alpha`,
    ]);
  });
});

describe("durations", () => {
  test.each([
    ["90s", 90_000],
    ["30m", 1_800_000],
    ["12h", 43_200_000],
    ["7d", 604_800_000],
    ["7 days", 604_800_000],
    ["1.5h", 5_400_000],
  ])("reads %s as %i ms", (text, milliseconds) => {
    expect(configOf({ sync: { deadline: text } }).sync.deadline).toBe(milliseconds);
    expect(configOf(controller({ deployTimeout: text })).controller.deployTimeout).toBe(milliseconds);
  });

  test.each(["59s", "soon", "-7d", "7 weeks and a day", ""])("refuses %j", (text) => {
    expect(faultsOf({ sync: { deadline: text } })).toEqual([
      `pillar-host:sync.deadline: found ${text}, needed a duration of at least 1m, such as 90s, 12h or 7d`,
    ]);
  });
});

describe("names", () => {
  const name = "needed the Pillar's name as registered on chain";
  test.each([
    [{ pillar: { name: "" } }, `pillar-host:pillar.name: found an empty text, ${name}`],
    [{ node: { service: "go node" } }, `pillar-host:node.service: ${word}`],
    [controller({ executable: "../sh" }), `pillar-host:controller.executable: ${word}`],
    [controller({ directory: "root" }), `pillar-host:controller.directory: found root, ${directory}`],
    [{ node: { dataDir: "/root/a b" } }, `pillar-host:node.dataDir: found /root/a b, ${directory}`],
    [
      { node: { rpcAddress: "localhost" } },
      "pillar-host:node.rpcAddress: found localhost, needed an IP address: the node refuses names",
    ],
    [host({ address: "a b" }), "pillar-host:host.address: needed an IP address or a host name"],
    [host({ acceptDistributions: ["debian 12"] }), `pillar-host:host.acceptDistributions.0: ${word}`],
  ])("are checked: %j", (changes, fault) => {
    expect(faultsOf(changes)).toEqual([fault]);
  });
});

describe("host key", () => {
  const ed25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
  const nistp256 =
    "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBJ6npb2Sl2KAgCvA8+JptmifsKuDI9im+jy6FPx3jCj+6VQL4R8b+RPpRyAP14FzUo8nbBXAbK4NIgrr2awJdfI=";

  test.each([
    [`  ${ed25519} root@old host \n`, ed25519],
    [`${nistp256} x`, nistp256],
    // The fault's own advice prints such a line.
    [`203.0.113.7 ${ed25519}`, ed25519],
  ])("turns %j into %j", (hostKey, line) => {
    expect(configOf(host({ hostKey })).host).toMatchObject({ hostKey: line });
  });

  test.each([
    ["ssh-rsa AAAAB3Nz", ""],
    // The output of ssh-keyscan for a silent host.
    ["", "found an empty text, "],
  ])("refuses %j", (hostKey, found) => {
    expect(faultsOf(host({ hostKey }))).toEqual([`pillar-host:host.hostKey: ${found}${keyNeeded}`]);
  });
});
