import { afterAll, beforeAll, describe, expect } from "vitest";
import { preflight } from "../../../../core/steps/nodeSteps";
import { type ServedReleases, serveReleases } from "../../../../lab/doubles/release";
import type { Faults } from "../../../../lab/doubles/releaseServer";
import { configOf, least } from "../../../components/exampleConfig";
import { test } from "../boxed";
import { replaceAll, type Sandbox } from "../sandbox";

const identity = "pillar-host/prod-2 Anvil";

/** Answers of a good host to each command of the preflight. */
const goodHost = {
  systemctl: ":",
  uname: "echo x86_64",
  nproc: "echo 4",
  df: "echo header; echo '/dev/vda 99999999 1 40000000 1% /'",
  curl: "if [ $1 = -fsL ]; then printf 'PK\\3\\4 node-controller'; else printf 'HTTP/1.1 200 OK\\r\\nDate: %s\\r\\n' \"$(date -R)\"; fi",
  timedatectl: "echo yes",
  ss: ":",
  "apt-get": ":",
  ip: "echo '1.1.1.1 via 10.0.0.1 dev eth9 src 10.0.0.2'",
};

/** Runs the preflight on a good host with these commands and changes of the script. */
function look(
  box: Sandbox,
  commands: Partial<Record<keyof typeof goodHost, string>> = {},
  moves: readonly (readonly [string, string])[] = [],
  addresses: readonly string[] = [],
  release: object = least.controller.release,
  more: object = {},
) {
  for (const [name, body] of Object.entries({ ...goodHost, ...commands })) box.command(name, body);
  box.write("os-release", "ID=debian\nVERSION_ID=11\n");
  box.write("meminfo", box.read("meminfo") ?? "MemTotal: 3774873 kB\n");
  const { script } = preflight(
    configOf({ node: { dataDir: `${box.dir}/znn` }, controller: { release, addresses, ...more } }),
    identity,
  );
  return box.run(
    replaceAll(box.local(script), [
      ["[ -d /run/systemd/system ]", "[ -d / ]"],
      [
        "[ -r /etc/os-release ]; then distribution=$(. /etc/os-release",
        "true; then distribution=$(. $TMPDIR/os-release",
      ],
      ["/proc/meminfo", "$TMPDIR/meminfo"],
      ...moves,
    ]),
  );
}

const meets = {
  code: 0,
  stdout:
    "packages: debian-11 has linux-kernel-headers, which the controller's Deploy installs\n" +
    "ideal for the initial sync: 8 cores and 16 GB of memory; with less it takes longer\n" +
    "debian-11, 4 cores, 3686 MiB memory, 40 GB free: meets the minimums\n",
  stderr: "",
};

describe("preflight", () => {
  test("accepts a host that just meets the minimums", async ({ box }) => {
    // 40000000 blocks of 1024 are more than 40 GB: the words round down.
    expect(await look(box)).toEqual(meets);
  });

  test("reports all shortfalls at once, each with found and needed", async ({ box }) => {
    box.write("meminfo", "MemTotal: 2000000 kB\n");
    const { code, stdout, stderr } = await look(box, {
      uname: "echo aarch64",
      nproc: "echo 2",
      df: "echo header; echo '/dev/vda 99999999 1 9000000 1% /'",
      curl: "echo 'curl: (7) Failed to connect' >&2; exit 7",
      timedatectl: "echo no",
      ss: "if [[ $* == *-Hltnp*35997* ]]; then echo 'LISTEN users:((\"znnd\",pid=1,fd=3))'; fi",
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.split("\n")).toEqual([
      "h: this host does not meet what a Pillar needs; nothing was changed on it",
      "  architecture: found aarch64, needed x86_64 (the controller's release is for it)",
      "  cores: found 2, needed 4 (host.minimums.cores)",
      "  memory: found 1953 MiB, needed 3686 MiB, what a 4 GB machine has at least (host.minimums.memoryGb)",
      `  free disk at ${box.dir}: found 9 GB, needed 40 GB (host.minimums.diskGb)`,
      "  release address https://release.example/node-controller.zip: found curl: (7) Failed to connect, needed an answer (controller.release.url; a firewall or DNS on the host?)",
      "  clock: found not synchronised, needed a synchronised clock (install chrony, or systemctl enable --now systemd-timesyncd)",
      "  port 35997/tcp: found held by znnd, needed free (for go-node or the orchestrator)",
      "  Change the host or the configuration, then run pulumi up -s prod again.",
      "",
    ]);
  });

  test.for([
    ["signer.one.service", "signer.one", 0],
    ["go-node.service", "signer.one", 0],
    ["signer-one.service", "signer.one", 1],
    ["orchestrator.service", "signer.one", 1],
    ["orchestrator.service", "orchestrator", 0],
  ] as const)(
    "accepts or refuses a port that %s holds by the orchestrator's service, %s",
    async ([unit, service, code], { box }) => {
      box.mark("stack", `${identity}\n`);
      box.process(77, "orchestrator");
      box.write("proc/77/cgroup", `0::/system.slice/${unit}\n`);
      const ss = "if [[ $* == *-Hltnp*55000* ]]; then echo 'LISTEN users:((\"orchestrator\",pid=77,fd=3))'; fi";
      const named = [["signer_service='orchestrator'", `signer_service='${service}'`]] as const;
      expect((await look(box, { ss }, named)).code).toBe(code);
    },
  );

  test("refuses a value one kilobyte below the minimum", async ({ box }) => {
    box.write("meminfo", "MemTotal: 3774872 kB\n");
    expect((await look(box)).stderr).toContain("  memory: found 3686 MiB, needed 3686 MiB,");
  });

  test("reports a release address that does not exist", async ({ box }) => {
    const { stderr } = await look(box, { curl: "printf 'HTTP/1.1 302 Found\\r\\nHTTP/1.1 404 Not Found\\r\\n'" });
    expect(stderr).toContain(
      "  release address https://release.example/node-controller.zip: found HTTP/1.1 404 Not Found, needed 200 (controller.release.url: open it in a browser and compare it with the release page)\n",
    );
  });

  test.for([
    [
      "a page",
      "<!DOCTYPE html><p>sign in",
      "something that begins with: <!DOCTYPE html><p>sign in, needed a zip archive",
    ],
    ["another archive", "PK\\3\\4 README.md", "an archive without node-controller, needed the controller's release"],
  ] as const)("refuses %s at the address", async ([_what, body, found], { box }) => {
    const { code, stderr } = await look(box, { curl: goodHost.curl.replace("PK\\3\\4 node-controller", body) });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`: found ${found}`) });
  });

  test("ignores an archive whose contents cannot be listed", async ({ box }) => {
    expect(await look(box, { curl: goodHost.curl.replace("printf 'PK\\3\\4 node-controller'", "exit 28") })).toEqual(
      meets,
    );
  });

  /** Returns a server that answers each kind of request with this; a request for a part with `-f` gets nothing. */
  const server = (head: string, part: string) =>
    `case $1 in -sSIL) printf 'HTTP/1.1 ${head}\\r\\nDate: %s\\r\\n' "$(date -R)" ;; -sSL) printf 'HTTP/1.1 ${part}\\r\\nDate: %s\\r\\n' "$(date -R)" >&2; timeout 30 yes PK ;; *) echo '<html>416' ; exit 22 ;; esac`;

  test.for([
    ["403 Forbidden", "206 Partial Content"],
    ["405 Method Not Allowed", "200 OK"],
    ["501 Not Implemented", "416 Range Not Satisfiable"],
  ] as const)("accepts a server that answers HEAD with %s and a part with %s", async ([head, part], { box }) => {
    const curl = server(head, part).replace("echo '<html>416' ; ", "");
    expect(await look(box, { curl })).toEqual(meets);
    // Its clock counts all the same.
    expect((await look(box, { curl, timedatectl: "echo no" })).stdout).toContain("warning: clock: correct at present");
  });

  describe("a release server, asked by the real curl and wget", () => {
    let served: ServedReleases;
    beforeAll(async () => {
      const archive = Buffer.concat([Buffer.from("PK\\x03\\x04 node-controller"), Buffer.alloc(5_000_000)]);
      served = await serveReleases({ host: "127.0.0.1", port: 0, releases: { controller: archive } });
    });
    afterAll(() => served.close());

    test.for<[string, Faults, string]>([
      ["refuses HEAD", { headStatus: 403 }, ""],
      ["refuses HEAD and parts", { headStatus: 405, partStatus: 416 }, ""],
      ["refuses parts with an error page", { partStatus: 403 }, ""],
      ["has no such file", { status: 404 }, "found HTTP/1.1 404 Not Found, needed 200"],
      ["refuses everything", { status: 403 }, "found HTTP/1.1 403 Forbidden, needed 200"],
    ])("%s", async ([, faults, fault], { box }) => {
      served.setFaults("controller", faults);
      const release = { url: `${served.url}/controller.zip`, sha256: "0".repeat(64) };
      for (const tool of ["curl", "wget"] as const) {
        const moves = tool === "curl" ? [] : ([["if has curl; then\n  headers", "if false; then\n  headers"]] as const);
        const { code, stderr } = await look(
          box,
          { curl: 'exec /usr/bin/curl "$@"', timedatectl: "echo no" },
          moves,
          [],
          release,
        );
        expect({ tool, code, stderr }).toEqual({ tool, code: fault ? 1 : 0, stderr: expect.stringContaining(fault) });
      }
    });
  });

  test("does not accept a redirect to an unreachable address", async ({ box }) => {
    const { stderr } = await look(box, {
      curl: "printf 'HTTP/1.1 302 Found\\r\\n'; echo 'curl: (6) Could not resolve host: store.example' >&2; exit 6",
    });
    expect(stderr).toContain("found curl: (6) Could not resolve host: store.example, needed an answer");
  });

  test("reports an address that refuses both requests, with the answer to the second", async ({ box }) => {
    const { code, stderr } = await look(box, { curl: server("403 Forbidden", "403 Signature expired") });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining("found HTTP/1.1 403 Signature expired, needed 200"),
    });
  });

  test("does not take an error page for the archive", async ({ box }) => {
    // curl prints no such page with -f, and a server that has no parts decides nothing.
    expect(await look(box, { curl: goodHost.curl.replace("printf 'PK\\3\\4 node-controller'", "exit 22") })).toEqual(
      meets,
    );
    await look(box, { curl: `echo "$*" >> $sandbox/asked; ${goodHost.curl}` });
    for (const asked of (box.read("asked") ?? "").trim().split("\n").slice(1)) expect(asked).toMatch(/^-fsL .* -r /);
  });

  test("tries the controller's addresses, and reports unreachable ones", async ({ box }) => {
    const curl = `case "$*" in *go.dev*) echo "curl: (6) Could not resolve host: go.dev" >&2; exit 6 ;; *" -o /dev/null -I "*) exit 0 ;; esac; ${goodHost.curl}`;
    const { code, stderr } = await look(box, { curl }, [], ["https://go.dev", "https://github.com"]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      "  https://go.dev, which the controller asks: found curl: (6) Could not resolve host: go.dev, needed an answer (controller.addresses; a firewall or DNS on the host?)\n",
    );
    expect(stderr).not.toContain("github.com");
  });

  test("refuses a host without apt before it changes anything", async ({ box }) => {
    const { code, stderr } = await look(box, {}, [["has apt-get", "false"]]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      "  package manager: found no apt, needed apt: the controller's Deploy installs with it, as Ubuntu 22.04 and Debian 11 have it\n",
    );
  });

  test("names a distribution that lacks the controller's kernel headers", async ({ box }) => {
    const { code, stdout } = await look(box, { "apt-get": "echo 'E: Unable to locate package' >&2; exit 100" });
    expect(code).toBe(0);
    expect(stdout).toContain(
      "packages: by its present index debian-11 has no linux-kernel-headers, which the controller's Deploy installs: if a fresh index has none either, an empty package takes its place\n",
    );
  });

  test("does not take another apt error for missing headers", async ({ box }) => {
    const { code, stdout } = await look(box, { "apt-get": "echo 'E: dpkg was interrupted' >&2; exit 100" });
    expect([code, stdout]).toEqual([0, expect.stringContaining("warning: apt: E: dpkg was interrupted\n")]);
    expect(stdout).not.toContain("has no linux-kernel-headers");
  });

  describe("package sources", () => {
    const index = (url: string) => `'${url}InRelease' x_InRelease 0`;
    const own = "http://deb.debian.org/debian/dists/bullseye-backports/";
    const security = "http://security.debian.org/debian-security/dists/bullseye-security/";
    const foreign = "https://download.docker.com/linux/debian/dists/bullseye/";
    /** Looks where these sources are configured, and where apt's program finds no index, or one until a date. */
    async function lookAt(box: Sandbox, urls: readonly string[], missing: readonly string[], until = "") {
      box.write("sources", `${urls.map(index).join("\n")}\n`);
      await box.run("mkdir -p apt/sources.list.d");
      if (box.read("apt/sources.list") === undefined)
        box.write("apt/sources.list", "# none\ndeb http://deb.debian.org/debian bullseye-backports main\n");
      box.command(
        "apt-helper",
        `url="\${@: -2:1}"; case $url in ${missing.map((each) => `${each}*`).join(" | ") || "none"}) echo "W: unsandboxed" >&2; echo "E: Failed to fetch $url  404  Not Found [IP: 192.0.2.1 80]" >&2; exit 100 ;; esac; printf '${until && `Valid-Until: ${until}`}\n' > "\${@: -1}"`,
      );
      return look(box, { "apt-get": '[ "$1" != update ] || cat "$sandbox/sources"' }, [
        [
          "apt_etc=/etc/apt apt_helper=/usr/lib/apt/apt-helper",
          'apt_etc=$sandbox/apt apt_helper="$sandbox/bin/apt-helper"',
        ],
      ]);
    }

    test("are not mentioned if they answer", async ({ box }) => {
      expect(await lookAt(box, [own, security, foreign], [])).toEqual(meets);
    });

    test("are reported with the archive's line past their end", async ({ box }) => {
      const { code, stderr } = await lookAt(box, [own, security], [own]);
      expect(code).toBe(1);
      expect(stderr).toContain(
        `  package source ${own}: found 404  Not Found [IP: 192.0.2.1 80], needed the archive, because the distribution is past its end: ` +
          `deb [check-valid-until=no] http://archive.debian.org/debian bullseye-backports main (in place of ${box.dir}/apt/sources.list:2)\n`,
      );
      expect(stderr).not.toContain("security");
    });

    test("are also reported if their index expired", async ({ box }) => {
      const until = "Sat, 01 Aug 2026 00:00:00 UTC";
      const { code, stderr } = await lookAt(box, [security], [], until);
      expect(code).toBe(1);
      expect(stderr).toContain(
        `  package source ${security}: found it expired: Valid-Until ${until}, needed the archive, because the distribution is past its end: ` +
          "deb [check-valid-until=no] http://archive.debian.org/debian-security bullseye-security main\n",
      );
      box.write("apt/sources.list", `deb [check-valid-until=no] ${security} bullseye-security main\n`);
      expect((await lookAt(box, [security], [], until)).code).toBe(0);
    });

    test("may be blocked by a firewall if no archive has them either", async ({ box }) => {
      const { stderr } = await lookAt(box, [own], ["http"]);
      expect(stderr).toContain("needed an answer (a firewall or DNS on the host?), or remove that source from");
    });

    test("cause a warning if they are other vendors'", async ({ box }) => {
      const { code, stdout } = await lookAt(box, [own, foreign], [foreign]);
      expect([code, stdout]).toEqual([
        0,
        expect.stringContaining(
          `warning: package source ${foreign}: 404  Not Found [IP: 192.0.2.1 80]. The packages step`,
        ),
      ]);
    });
  });

  test.for([
    [
      "/tmp is full",
      { df: 'case $* in *-Pk*TMP) kb=1000 ;; *) kb=40000000 ;; esac; echo header; echo "x 9 1 $kb 1% /"' },
      "1000 KB and 40000000 files",
    ],
    [
      "/tmp has no inodes",
      { df: 'case $* in *-Pi*TMP) kb=3 ;; *) kb=40000000 ;; esac; echo header; echo "x 9 1 $kb 1% /"' },
      "40000000 KB and 3 files",
    ],
  ] as const)("blames no archive if %s", async ([_what, commands, found], { box }) => {
    const df = commands.df.replace("TMP", box.dir);
    const { code, stderr } = await look(box, { df });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`  room in ${box.dir}: found ${found} free, needed 2 MB that can be written`),
    });
    expect(stderr).not.toContain("archive");
  });

  describe("the Go version that the node's source needs", () => {
    const source = "https://github.com/zenon-network/go-zenon";
    /** Runs the preflight with this go.mod, and with this installed Go if there is one. */
    async function lookFor(box: Sandbox, wanted: string, there?: string, go?: object, toolchain = "auto") {
      await box.run("mkdir -p local/go/bin");
      if (there !== undefined)
        box.executable(
          `${box.dir}/local/go/bin/go`,
          `[ $1 = env ] && echo ${toolchain} || echo go version ${there} linux/amd64`,
        );
      const curl = `case "$*" in *${source}/raw/HEAD/go.mod) ${wanted} ;; *) ${goodHost.curl} ;; esac`;
      const { code, stderr } = await look(
        box,
        { curl },
        [["go_root=/usr/local", "go_root=$sandbox/local"]],
        [],
        undefined,
        { source, go },
      );
      return code === 0 ? "" : stderr.split("\n").find((line) => line.startsWith("  Go,"));
    }
    const says = (version: string) => `printf 'module x\\n\\ngo ${version}\\n\\nrequire y v1\\n'`;
    const cure = (found: string, wanted: string) =>
      `  Go, with which the controller builds the node: found Go ${found}, and go.mod of ${source} wants ${wanted}, needed Go ${wanted} or newer: ` +
      "pulumi config set --path pillar-host:controller.go.url URL -s prod, with its sha256 (https://go.dev/dl shows both)";
    const go = { url: "https://go.dev/dl/go1.24.0.linux-amd64.tar.gz", sha256: "0".repeat(64) };

    test.for<[string, string, string | undefined, object | undefined, string, string]>([
      ["an older source", says("1.18"), undefined, undefined, "auto", ""],
      ["a newer source", says("1.23"), undefined, undefined, "auto", cure("1.20.3", "1.23")],
      ["a newer source, with a patch", says("1.20.4"), undefined, undefined, "auto", cure("1.20.3", "1.20.4")],
      ["an old installed Go", says("1.23"), "go1.9.7", undefined, "auto", cure("1.9.7", "1.23")],
      ["a new installed Go", says("1.23"), "go1.23.0", undefined, "local", ""],
      ["an installed Go that downloads newer toolchains", says("1.23"), "go1.21.5", undefined, "auto", ""],
      [
        "an installed Go that may not download toolchains",
        says("1.23"),
        "go1.21.5",
        undefined,
        "local",
        cure("1.21.5", "1.23"),
      ],
      ["a configured Go", says("1.23"), undefined, go, "auto", ""],
      ["a source that does not answer", "exit 22", undefined, undefined, "auto", ""],
      ["an error page instead of the source", "echo '<html>go 9.9'", undefined, undefined, "auto", ""],
    ])("%s", async ([_what, wanted, there, configured, toolchain, line], { box }) => {
      expect(await lookFor(box, wanted, there, configured, toolchain)).toBe(line);
    });
  });

  test.for([
    [99, true],
    [100, true],
    [101, false],
    [1000, false],
  ] as const)("warns about a line of %i Mbps: %s", async ([speed, isWarned], { box }) => {
    box.write("speed", `${speed}\n`);
    const { code, stdout } = await look(box, {}, [['speed=$(cat "', 'speed=$(cat "$sandbox/speed" || cat "']]);
    expect(code).toBe(0);
    expect(stdout.includes(`warning: bandwidth: eth9 reports ${speed} Mbps, and more than 100 are needed`)).toBe(
      isWarned,
    );
  });

  test("prints no hint on a host that is ideal for the initial sync", async ({ box }) => {
    box.write("meminfo", "MemTotal: 16200000 kB\n");
    expect((await look(box, { nproc: "echo 8" })).stdout).not.toContain("ideal");
    expect((await look(box, { nproc: "echo 7" })).stdout).toContain("ideal for the initial sync: 8 cores and 16 GB");
  });

  test("warns about a correct clock that nothing synchronizes, and refuses a wrong clock", async ({ box }) => {
    const unkept = await look(box, { timedatectl: "echo no" });
    expect(unkept).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^warning: clock: correct at present, but nothing/),
    });
    const wrong = await look(box, { timedatectl: "echo no", curl: goodHost.curl.replace("-R", "-R -d '1 hour'") });
    expect(wrong.stderr).toMatch(/\n {2}clock: found -(3599|3600) s off the release server's, needed within 3 s/);
  });

  test("refuses a host of another stack before any other check", async ({ box }) => {
    box.mark("stack", "pillar-host/prod Forge\n");
    expect(await look(box)).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "h: this host belongs to another stack\n  found: pillar-host/prod Forge\n" +
        `  needed: ${identity}, or a blank host\n` +
        "  Is it that stack's host? Continue with that stack: pulumi up -s prod. If not, give this stack another host: " +
        "pulumi config set --path pillar-host:host.address ADDRESS -s prod\n",
    });
  });

  const keyStore = "mkdir -p znn/wallet; echo x > znn/wallet/producer";
  const producer = "mkdir -p znn; echo '{\"Producer\":{}}' > znn/config.json";
  test.for([
    ["all of it", `${keyStore}; ${producer}`, "echo 'go-node.service enabled'", [0, 1, 2]],
    ["its service", ":", "echo 'go-node.service enabled'", [0]],
    ["its key store", keyStore, ":", [1]],
    ["its configuration", producer, ":", [2]],
  ] as const)(
    "a node that this stack did not deploy is left alone: %s",
    async ([, files, systemctl, found], { box }) => {
      await box.run(`${files}\n`);
      const all = [
        "  found: the service go-node",
        `  found: the producer key store ${box.dir}/znn/wallet/producer`,
        `  found: a producer configuration in ${box.dir}/znn/config.json`,
      ];
      const { code, stderr } = await look(box, { systemctl });
      expect({ code, lines: stderr.trimEnd().split("\n") }).toEqual({
        code: 1,
        lines: [
          "h: this host already has a node that this stack did not deploy. It may be your live Pillar: nothing was touched",
          ...found.map((n) => all[n]),
          "  needed: a host without these",
          "  Is it the Pillar's present host, and this its stack? Adopt it without a change: pulumi config set --path pillar-host:lifecycle adopted -s prod && pulumi up -s prod",
          "  Is it the wrong address? pulumi config set --path pillar-host:host.address ADDRESS -s prod && pulumi up -s prod; the present host then gets a stack of its own: ./pillar-host adopt OLD h --like prod",
        ],
      });
    },
  );

  test("reports a node in a container as a foreign node", async ({ box }) => {
    box.process(77, "znnd");
    box.write("proc/77/cgroup", "0::/system.slice/docker-4f1d.scope\n");
    expect((await look(box)).stderr).toContain(
      "nothing was touched\n  found: a node that runs already: znnd is process 77 in /system.slice/docker-4f1d.scope\n",
    );
  });

  test("does not check this stack's own node again", async ({ box }) => {
    box.mark("stack", `${identity}\n`);
    box.mark("deploy.done");
    expect(await look(box, { nproc: "echo 1", systemctl: "echo 'go-node.service enabled'" })).toEqual({
      code: 0,
      stdout: "checked before; the node was deployed at 2026-01-02T03:04:05Z\n",
      stderr: "",
    });
  });

  test("accepts a host without an IPv4 route", async ({ box }) => {
    expect(await look(box, { ip: "echo 'Network is unreachable' >&2; exit 2" })).toEqual(meets);
  });

  test("checks a fresh host without curl and wget by a bare connection, without complaint", async ({ box }) => {
    const bare = [
      ["if has curl", "if false"],
      ["elif has wget", "elif false"],
      ["timeout 10 bash -c", "true"],
    ] as const;
    expect(await look(box, {}, bare)).toEqual(meets);
  });

  test.for([
    ["release_host='release.example'", "release_host='$(planted)'"],
    ["controller_addresses='http://127.0.0.1:9'", "controller_addresses='http://$(planted)/'"],
  ] as const)("runs no part of an address as a command: %s", async (hostile, { box }) => {
    box.command("planted", "touch $TMPDIR/ran");
    const bare = [["has() { command", "has() { case $1 in curl | wget) return 1; esac; command"], hostile] as const;
    const { code } = await look(box, {}, bare, ["http://127.0.0.1:9"]);
    expect([box.read("ran"), code]).toEqual([undefined, 1]);
  });
});
