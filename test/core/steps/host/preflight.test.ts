import net from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { compareNodeVersions, releaseSuffixes } from "../../../../core/chain/versions.ts";
import { preflight } from "../../../../core/steps/nodeSteps.ts";
import { createScript } from "../../../../core/steps/step.ts";
import { serveReleases } from "../../../../lab/doubles/release.ts";
import type { Faults } from "../../../../lab/doubles/releaseServer.ts";
import { configOf, least } from "../../../components/exampleConfig.ts";
import { replaceAll, type Sandbox, test } from "../sandbox.ts";

const identity = "pillar-host/prod-2 Anvil";

/** Answers of a good host to each command of the preflight. */
const goodHost = {
  systemctl: ":",
  uname: "echo x86_64",
  nproc: "echo 4",
  df: "echo header; echo '/dev/vda 99999999 1 39062500 1% /'",
  curl: `[[ $* != *" -I "* ]] || exit 0; printf 'HTTP/1.1 200 OK\\r\\nDate: %s\\r\\n' "$(date -R)" >&2; printf 'PK\\3\\4 node-controller'`,
  timedatectl: "echo yes",
  ss: ":",
  "apt-get": ":",
};

interface Changes {
  readonly commands?: Partial<Record<keyof typeof goodHost, string>>;
  /** Replaced texts of the script. */
  readonly moves?: readonly (readonly [string, string])[];
  readonly controller?: object;
  readonly node?: object;
  readonly memoryKb?: number;
  readonly os?: readonly [id: string, version: string];
  /** Shell text that changes the disk before, in a mount namespace. */
  readonly disk?: string;
}

/** Runs the preflight on a good host with these changes. */
function look(
  box: Sandbox,
  {
    commands = {},
    moves = [],
    controller = {},
    node = {},
    memoryKb = 3774873,
    os = ["debian", "11"],
    disk,
  }: Changes = {},
) {
  for (const [name, body] of Object.entries({ ...goodHost, ...commands })) box.command(name, body);
  box.write("os-release", `ID=${os[0]}\nVERSION_ID="${os[1]}"\n`);
  box.write("meminfo", `MemTotal: ${memoryKb} kB\n`);
  const own = { ...least.controller, directory: `${box.dir}/controller`, addresses: [], ...controller };
  const config = { node: { dataDir: `${box.dir}/znn`, ...node }, controller: own };
  const script = replaceAll(box.local(preflight(configOf(config), identity).script), [
    [" /dev/shm /run /etc/systemd/system /usr/local /var/cache /var/spool; do", "; do"],
    ["check_place /usr/local/bin runs", ":"],
    ["[ -d /run/systemd/system ]", "[ -d / ]"],
    ["[ -r /etc/os-release ]; then distribution=$(. /etc", "true; then distribution=$(. $TMPDIR"],
    ["/proc/meminfo", "$TMPDIR/meminfo"],
    ...moves,
  ]);
  return disk === undefined
    ? box.run(script)
    : box.run(`${disk}\n${script}`, ["-c", "exec unshare -rm bash -euo pipefail -s"]);
}

const meets = {
  code: 0,
  stdout:
    "ideal for the initial sync: 8 cores and 16 GB of memory; with less it takes longer\n" +
    "debian-11, 4 cores, 3686 MiB memory, 40 GB free: meets the minimums\n",
  stderr: "",
};
const curlSays = (status: string, body = "PK") =>
  `printf 'HTTP/1.1 302 Found\\r\\n\\r\\nHTTP/1.1 ${status}\\r\\nDate: %s\\r\\n\\r\\n' "$(date -R)" >&2; printf '${body}'`;
const without = (...tools: string[]) =>
  [["has() { command", `has() { case $1 in ${tools.join(" | ")}) return 1; esac; command`]] as const;

const curl = (body: string): Changes => ({ commands: { curl: body } });

// 39062500 blocks of 1024 bytes are 40 GB: the words round down.
test.for<[string, Changes]>([
  ["just meets the minimums", {}],
  ["has neither curl nor wget", { moves: without("curl", "wget") }],
  ["gets the whole archive from a server without parts", curl(`${curlSays("200 OK")}; timeout 30 yes`)],
])("accepts a host that %s", async ([, changes], { box }) => {
  expect(await look(box, changes)).toEqual(meets);
});

test.for([
  ["ubuntu", "22.04", false],
  ["ubuntu", "24.04", true],
  ["debian", "12", true],
  ["debian", "13", true],
] as const)(
  "accepts %s %s, and says if the controller's page does not name it: %s",
  async ([id, version, warns], { box }) => {
    const { code, stdout } = await look(box, { os: [id, version] });
    expect(code).toBe(0);
    const warning = `warning: ${id}-${version}: the controller's page names ubuntu-22.04 debian-11 only. `;
    expect(stdout.includes(warning)).toBe(warns);
  },
);

test("warns of a /boot without room for a new kernel", async ({ box }) => {
  const df = `case $2 in /boot) echo $'h\\n/dev/b 500 4 102399 1% /boot' ;; *) ${goodHost.df} ;; esac`;
  const { code, stdout } = await look(box, { commands: { df } });
  expect([code, stdout]).toEqual([0, expect.stringContaining("warning: 99 MB are free at /boot, and a new kernel")]);
});

test("follows redirects of a later download alone, and needs no answer to a request of headers", async ({ box }) => {
  const asked = `case $* in *-I*-L*r.example*) echo "curl: (52) Empty reply from server" >&2; exit 52 ;; *-I*-L*) exit 7 ;; esac`;
  const changes = {
    ...curl(`${asked}; ${goodHost.curl}`),
    controller: { addresses: ["https://go.dev"] },
    node: { release: { url: "https://r.example/znnd", sha256: "0".repeat(64), version: "v0.0.10" } },
  };
  expect((await look(box, changes)).stderr).toBe("");
});

const fullDisk = "echo header; echo '/dev/vda 99999999 1 39062499 1% /'";
const redirect = "printf 'HTTP/1.1 302 Found\\r\\n' >&2; echo 'curl: (6) Could not resolve host' >&2; exit 6";
const hourOff = { timedatectl: "echo no", curl: goodHost.curl.replace("-R", "-R -d '1 hour'") };
const noGoDev = {
  ...curl(`case $* in *go.dev*) echo "curl: (6) no go.dev" >&2; exit 6 ;; *" -I "*) exit ;; esac; ${goodHost.curl}`),
  controller: { addresses: ["https://go.dev", "https://github.com"] },
};
test.for<[string, Changes, string]>([
  ["a kilobyte too little memory", { memoryKb: 3774872 }, "memory: found 3686 MiB, needed 3686 MiB,"],
  ["a core too few", { commands: { nproc: "echo 3" } }, "cores: found 3, needed 4 (host.minimums.cores)"],
  ["a kilobyte too little free disk", { commands: { df: fullDisk } }, "39 GB, needed 40 GB (host.minimums.diskGb)"],
  [
    "a certificate that is not trusted",
    curl("echo 'curl: (60) SSL certificate problem: certificate is not yet valid' >&2; exit 60"),
    "(controller.release.url: the clock, ca-certificates, a proxy",
  ],
  ["another architecture", { commands: { uname: "echo aarch64" } }, "architecture: found aarch64, needed x86_64"],
  ["a redirect to an unreachable address", curl(redirect), "found curl: (6) Could not resolve host,"],
  [
    "a host without IPv4",
    {
      ...curl(redirect),
      moves: without("ip"),
      disk: `mkdir -p proc/net; printf 'Iface\tDestination\tGateway\neth0\t0000A8C0\t00000000\n' > proc/net/route`,
    },
    "(controller.release.url: this host has no default route over IPv4",
  ],
  ["no apt", { moves: without("apt-get") }, "package manager: found no apt, needed apt: the controller's Deploy"],
  [
    "an unreachable address of the controller",
    noGoDev,
    "https://go.dev, which controller.addresses names: found curl: (6)",
  ],
  [
    "an unreachable download of a later step",
    {
      ...curl(`[[ $* != *-I*r.example* ]] || { echo "curl: (7) refused" >&2; exit 7; }; ${goodHost.curl}`),
      node: { release: { url: "https://r.example/znnd", sha256: "0".repeat(64), version: "v0.0.10" } },
    },
    "https://r.example/znnd, which node.release.url names: found curl: (7)",
  ],
  ["a wrong clock", { commands: hourOff }, "clock: found -3600 s off the release server's, needed within 3 s"],
])("refuses %s alone", async ([, changes, words], { box }) => {
  const { code, stderr } = await look(box, changes);
  const [, problem, , end] = stderr.replace("-3599", "-3600").split("\n");
  expect([code, problem, end]).toEqual([1, expect.stringContaining(words), ""]);
});

const onDisk = (at: string, options: string) =>
  `mkdir -p "$sandbox/${at}"; mount -t tmpfs -o ${options} none "$sandbox/${at}"`;
test.for([
  [
    "is read-only",
    onDisk("logs", "ro"),
    "/logs: found Read-only file system, needed 2 MB and 64 files that root can write there (see: findmnt -T ",
  ],
  ["is full", onDisk("state", "size=1M"), "/state: found No space left on device,"],
  ["has no inode left", onDisk("znn", "nr_inodes=30"), "/znn: found No space left on device,"],
  [
    "starts no program",
    onDisk("controller", "noexec"),
    "/controller: found Permission denied, needed 2 MB and 64 files that root can write there, and a program that starts (see: findmnt",
  ],
  [
    "is a link that leads nowhere",
    'ln -s /nowhere "$sandbox/znn"',
    "/znn: found no directory: a symbolic link, needed a directory, or a link to one",
  ],
  ["is a file", ': > "$sandbox/controller"', "/controller: found no directory: a regular empty file,"],
] as const)("refuses a directory of its steps that %s, and leaves nothing there", async ([, disk, words], { box }) => {
  const { code, stderr } = await look(box, { disk });
  expect([code, stderr]).toEqual([1, expect.stringContaining(words)]);
  expect((await box.run("find . -name '.pillar-host*'")).stdout).toBe("");
});

test.for([
  ["where data cannot be programs", onDisk("znn", "noexec")],
  ["whose data directory is a link to another disk", `${onDisk("big", "size=9M")}; ln -s big "$sandbox/znn"`],
  ["whose disk counts no inodes", 'df() { echo head; echo "/dev/vda 99999999 1 39062500 0% /"; }'],
] as const)("accepts a host %s", async ([, disk], { box }) => {
  const before = (await box.run("touch -d 2026-01-01 state; stat -c %y state")).stdout;
  expect(await look(box, { disk })).toEqual(meets);
  expect((await box.run("stat -c %y state")).stdout).toBe(before);
});

test.for<[string, Changes, string, boolean]>([
  ["warns about a clock that nothing keeps", { commands: { timedatectl: "echo no" } }, "warning: clock: correct", true],
  ["gives no hint on an ideal host", { memoryKb: 16200000, commands: { nproc: "echo 8" } }, "ideal", false],
])("%s", async ([, changes, words, isSaid], { box }) => {
  const { code, stdout } = await look(box, changes);
  expect([code, stdout.includes(words)]).toEqual([0, isSaid]);
});

test.for([
  ["signer.one.service", "signer.one", 0],
  ["go-node.service", "signer.one", 0],
  ["signer-one.service", "signer.one", 1],
] as const)("a port that %s holds, by the orchestrator's service %s", async ([unit, service, code], { box }) => {
  box.mark("stack", `${identity}\n`);
  box.process(77, "orchestrator", `/system.slice/${unit}`);
  const ss = "if [[ $* == *-Hltnp*55000* ]]; then echo 'LISTEN users:((\"orchestrator\",pid=77,fd=3))'; fi";
  const moves = [["orchestrator_service='orchestrator'", `orchestrator_service='${service}'`]] as const;
  expect((await look(box, { commands: { ss }, moves })).code).toBe(code);
});

describe("a release server, asked by the real curl and wget", () => {
  let served: Awaited<ReturnType<typeof serveReleases>>;
  beforeAll(async () => {
    const archive = Buffer.concat([Buffer.from("PK\\x03\\x04 node-controller"), Buffer.alloc(5_000_000)]);
    served = await serveReleases({ host: "127.0.0.1", port: 0, releases: { controller: archive } });
  });
  afterAll(() => served.close());

  test.for<[string, Faults, string]>([
    ["refuses HEAD", { headStatus: 403 }, ""],
    ["refuses HEAD and parts", { headStatus: 405, partStatus: 416 }, ""],
    ["has no such file", { status: 404 }, "found HTTP/1.1 404 Not Found, needed the"],
    ["serves a page", { html: true }, "found something that begins with: <!DOCTYPE html>"],
  ])("%s", async ([, faults, fault], { box }) => {
    served.setFaults("controller", faults);
    const release = { url: `${served.url}/controller.zip`, sha256: "0".repeat(64) };
    const commands = { curl: 'exec /usr/bin/curl "$@"', timedatectl: "echo no" };
    for (const tool of ["curl", "wget"] as const) {
      const moves = tool === "curl" ? [] : without("curl");
      const { code, stderr } = await look(box, { commands, moves, controller: { release } });
      expect({ tool, code, stderr }).toEqual({ tool, code: fault ? 1 : 0, stderr: expect.stringContaining(fault) });
    }
  });
});

test.for([
  ["hands on nothing", "200 Connection established", "the clock, ca-certificates, a proxy that opens TLS?"],
  ["wants a password", "407 Proxy Authentication Required", "the proxy wants a user and a password"],
] as const)(
  "a proxy that %s is refused, with the real curl and wget",
  async ([, answer, cure], { box, onTestFinished }) => {
    const proxy = net.createServer((socket) => socket.once("data", () => socket.end(`HTTP/1.1 ${answer}\r\n\r\n`)));
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void proxy.close());
    const url = `http://127.0.0.1:${(proxy.address() as net.AddressInfo).port}`;
    const commands = {
      curl: 'exec /usr/bin/curl "$@"',
      systemctl: `[ $1 != show-environment ] || echo https_proxy=${url}`,
    };
    for (const tool of [[], ["curl"]]) {
      const { code, stderr } = await look(box, { commands, moves: without(...tool, "none") });
      expect([code, stderr]).toEqual([1, expect.stringContaining(`release address https://release.example/`)]);
      expect(stderr).toContain(`(controller.release.url: ${cure}`);
    }
  },
);

describe("the Go version that the node's source needs", () => {
  const source = "https://github.com/zenon-network/go-zenon";
  const says = (version: string) => `printf 'module x\\n\\ngo ${version}\\n\\nrequire y v1\\n'`;
  const go = { url: "https://go.dev/dl/go1.24.0.linux-amd64.tar.gz", sha256: "0".repeat(64) };

  test.for<[string, string, string | undefined, object | undefined, string, string]>([
    ["an older source", says("1.18"), undefined, undefined, "auto", ""],
    ["a newer source, with a patch", says("1.20.4"), undefined, undefined, "auto", "1.20.3"],
    ["an old installed Go", says("1.23"), "go1.9.7", undefined, "auto", "1.9.7"],
    ["a new installed Go", says("1.23"), "go1.23.0", undefined, "local", ""],
    ["an installed Go that downloads newer toolchains", says("1.23"), "go1.21.5", undefined, "auto", ""],
    ["an installed Go that may not download toolchains", says("1.23"), "go1.21.5", undefined, "local", "1.21.5"],
    ["a configured Go", says("1.23"), undefined, go, "auto", ""],
    ["a source that does not answer", "exit 22", undefined, undefined, "auto", ""],
    ["an error page instead of the source", "echo '<html>go 9.9'", undefined, undefined, "auto", ""],
  ])("%s", async ([, wanted, there, configured, toolchain, found], { box }) => {
    await box.run("mkdir -p local/go/bin");
    const program = `[ $1 = env ] && echo ${toolchain} || echo go version ${there} linux/amd64`;
    if (there !== undefined) box.executable(`${box.dir}/local/go/bin/go`, program);
    const { code, stderr } = await look(box, {
      commands: { curl: `case "$*" in *${source}/raw/HEAD/go.mod) ${wanted} ;; *) ${goodHost.curl} ;; esac` },
      moves: [["go_root=/usr/local", "go_root=$sandbox/local"]],
      controller: { source, go: configured },
    });
    expect(code).toBe(found ? 1 : 0);
    const wants = /go (1[\d.]+)/.exec(wanted)?.[1];
    const cure = `found Go ${found}, and go.mod of ${source} wants ${wants}, needed Go ${wants} or newer: pulumi config set --path pillar-host:controller.go.url URL -s prod, with its sha256`;
    expect(stderr).toContain(found ? `  Go, with which the controller builds the node: ${cure}` : "");
  });
});

describe("the version of the node that Deploy will build", () => {
  const source = "https://github.com/zenon-network/go-zenon";
  // go-zenon, metadata/version.go
  const says = (version: string) =>
    `printf '//go:build !libznn\\n\\npackage metadata\\n\\nconst (\\n\\tVersion = "${version}"\\n)\\n'`;
  const release = (version: string) => ({
    release: { url: "https://r.example/znnd", sha256: "0".repeat(64), version },
  });
  const isBuilt = `Deploy, from ${source}`;
  const table =
    "another: v0.0.10 or newer is required from height 14567887 on (the community spork window, which ends at 19,791,986: older nodes reject its sporks and go on with another chain): install v0.0.10 or newer from https://github.com/zenon-network/go-zenon-releases/releases: set pillar-host:node.release to its url, sha256 and version (docs/chain.md)";
  const least =
    "another: v0.0.11 or newer is required (so says pillar-host:node.leastVersion): install v0.0.11 or newer from https://github.com/zenon-network/go-zenon-releases/releases: set pillar-host:node.release to its url, sha256 and version (docs/chain.md)";

  test.for<[string, string, string | undefined, object, string | undefined]>([
    ["too old", says("v0.0.8"), source, {}, `v0.0.8 (by ${isBuilt}), needed ${table}`],
    [
      "a development build",
      says("v0.0.10-dev-5-gabc"),
      source,
      {},
      `v0.0.10-dev-5-gabc (by ${isBuilt}), needed ${table}`,
    ],
    ["new enough", says("v0.0.10"), source, {}, undefined],
    ["a source that does not answer", "exit 22", source, {}, undefined],
    ["an error page", "echo '<html>Version'", source, {}, undefined],
    ["another network's source, which needs none", says("v0.0.8"), `${source}-test`, {}, undefined],
    ["too old, with a release that is new enough", says("v0.0.8"), source, release("v0.0.10"), undefined],
    [
      "new, with a release that is too old",
      says("v0.0.10"),
      source,
      release("v0.0.9"),
      `v0.0.9 (by pillar-host:node.release), needed ${table}`,
    ],
    [
      "older than node.leastVersion",
      says("v0.0.10"),
      `${source}-test`,
      { leastVersion: "v0.0.11" },
      `v0.0.10 (by ${isBuilt}-test), needed ${least}`,
    ],
    [
      "unknown, with a release older than node.leastVersion",
      "exit 22",
      undefined,
      { leastVersion: "v0.0.11", ...release("v0.0.10") },
      `v0.0.10 (by pillar-host:node.release), needed ${least}`,
    ],
  ])("%s", async ([, answer, configured, node, refused], { box }) => {
    const curl = `case "$*" in *${source}*/raw/HEAD/metadata/version.go) ${answer} ;; *) ${goodHost.curl} ;; esac`;
    const controller = configured === undefined ? {} : { source: configured };
    const { code, stderr } = await look(box, { commands: { curl }, controller, node });
    expect(stderr).toBe(
      refused === undefined
        ? ""
        : `h: this host does not meet what a Pillar needs; nothing was changed on it\n  the node's version: found ${refused}\n  Change the host or the configuration, then run pulumi up -s prod again.\n`,
    );
    expect(code).toBe(refused === undefined ? 0 : 1);
  });

  test("is compared as the program compares versions", async ({ box }) => {
    const number = fc.tuple(...Array(3).fill(fc.nat({ max: 12 }))).map((parts) => parts.join("."));
    const suffix = fc.constantFrom("", "-alphanet", "-libznn", "-dev", "-alphanet-1-gab12", "a", ".1", "-");
    const version = fc.tuple(fc.constantFrom("v", "", "x"), number, suffix).map((parts) => parts.join(""));
    const pairs = fc.sample(
      fc.tuple(
        version,
        fc.oneof(number, fc.constant("0.0.10")).map((text) => `v${text}`),
      ),
      500,
    );
    const close = ["v0.0.10", "0.0.10", "v0.0.9", "v0.0.11", "v0.1.0", "v0.0.10-alphanet", "v0.0.10-dev", "v0.0"];
    const all = [...pairs, ...close.map((one): [string, string] => [one, "v0.0.10"])];
    const calls = all.map(([one, least]) => `is_older '${one}' '${least}' && say yes || say no`).join("\n");
    const { stdout } = await box.run(
      `${box.local(createScript(["host/goToolchain"], { release_suffixes: releaseSuffixes }))}\n${calls}\n`,
    );
    const isOlder = ([one, least]: readonly string[]) => (compareNodeVersions(one ?? "", least ?? "") ?? -1) < 0;
    expect(stdout.trimEnd().split("\n")).toEqual(all.map((pair) => (isOlder(pair) ? "yes" : "no")));
  });
});

test.for([
  [
    "another Pillar's stack of the same name",
    "pillar-host/prod-2 Forge",
    "a stack of this name for another Pillar",
    "Is it this stack's host, and its Pillar's name right there? pulumi config set --path pillar-host:pillar.name Forge -s prod && pulumi up -s prod",
  ],
  [
    "another stack",
    "pillar-host/prod Forge",
    "another stack",
    "Is it that stack's host? Continue with that stack: pulumi up -s prod",
  ],
])("refuses a host of %s before any other check", async ([, mark, owner, question], { box }) => {
  box.mark("stack", `${mark}\n`);
  expect(await look(box)).toEqual({
    code: 1,
    stdout: "",
    stderr:
      `h: this host belongs to ${owner}\n  found: ${mark}\n  needed: ${identity}, or a blank host\n  ${question}. ` +
      "If not, give this stack another host: pulumi config set --path pillar-host:host.address ADDRESS -s prod\n",
  });
});

const container =
  "mkdir -p proc/77; echo znnd > proc/77/comm; echo 0::/system.slice/docker-4f1d.scope > proc/77/cgroup";
const [producer, config] = ["znn/wallet/producer", "znn/config.json"];
test.for([
  ["the service go-node", ":", "echo 'go-node.service enabled'"],
  [`the producer key store BOX/${producer}`, `mkdir -p znn/wallet; echo x > ${producer}`, ":"],
  [`a producer configuration in BOX/${config}`, `mkdir -p znn; echo '{"Producer":{}}' > ${config}`, ":"],
  ["a node that runs already: znnd is process 77 in /system.slice/docker-4f1d.scope", container, ":"],
] as const)("a node that this stack did not deploy is left alone: %s", async ([found, files, systemctl], { box }) => {
  await box.run(`${files}\n`);
  const { code, stderr } = await look(box, { commands: { systemctl } });
  expect({ code, lines: stderr.trimEnd().split("\n") }).toEqual({
    code: 1,
    lines: [
      "h: this host already has a node that this stack did not deploy. It may be your live Pillar: nothing was touched",
      `  found: ${found.replace("BOX", box.dir)}`,
      "  needed: a host without these",
      "  Is it the Pillar's present host, and this its stack? Adopt it without a change: pulumi config set --path pillar-host:lifecycle adopted -s prod && pulumi up -s prod",
      "  Is it the wrong address? pulumi config set --path pillar-host:host.address ADDRESS -s prod && pulumi up -s prod; the present host then gets a stack of its own: ./pillar-host adopt OLD h --like prod",
    ],
  });
});
