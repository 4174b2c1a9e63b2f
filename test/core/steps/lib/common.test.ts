import { expect } from "vitest";
import { createScript } from "../../../../core/steps/step.ts";
import { type Sandbox, test } from "../sandbox.ts";

const address = "z1qqjnwjjpnue8xmmpanz6csze6tcmtzzdtfsww7";
const lib = (box: Sandbox, text: string) => box.run(box.local(`${createScript([], {})}\n${text}`));

test("redact removes secrets and addresses, and leaves the rest", async ({ box }) => {
  const lines = [
    ["Password: hunter2", "Password [removed]"],
    ["\tPassword:  hunter2 and more", "\tPassword [removed]"],
    ["PASSPHRASE=hunter2", "PASSPHRASE [removed]"],
    ["the passwd is hunter2", "the passwd [removed]"],
    ['{"KeyFilePath":"/root/x","Password":"hunter2","Index":0}', '{"KeyFilePath":"/root/x","Password [removed]'],
    [`&{Producer:{Address:${address} Password:hunter2}}`, "&{Producer:{Address:[address] Password [removed]"],
    ["mnemonic: apple pear", "mnemonic [removed]"],
    ["Entropy 00ff", "Entropy [removed]"],
    ["private key 00ff", "private key [removed]"],
    ["privateKey=00ff", "privateKey [removed]"],
    ["private_key=00ff", "private_key [removed]"],
    ["client-secret hunter2", "client-secret [removed]"],
    ["\x1b[31mPass\x1b[0mword:\x1b[1m hunter2\x1b[0m", "Password [removed]"],
    [`from ${address} to \x1b[32m${address}\x1b[0m`, "from [address] to [address]"],
    ["\x1b[1;31mError!\x1b[0m no luck\r", "Error! no luck"],
    ["z1qshort", "z1qshort"],
    ["", ""],
    ["Password:\nhunter2\nnext", "Password:\n[removed]\nnext"],
    ["\x1b[1mMnemonic\x1b[0m =\r\n\n  apple pear\nnext", "Mnemonic =\n\n[removed]\nnext"],
    ['{"Entropy": "\nhunter2', '{"Entropy": "\n[removed]'],
    ["wrong password\nwhy", "wrong password [removed]\nwhy"],
    ["Seed:", "Seed:"],
  ];
  box.write("text", lines.map(([line]) => `${line}\n`).join(""));
  const stdout = lines.map(([, shown]) => `${shown}\n`).join("");
  expect(await lib(box, 'redact < "$TMPDIR/text"')).toEqual({ code: 0, stdout, stderr: "" });
});

test("last_lines prints the redacted end of a file, though a secret's name is above it", async ({ box }) => {
  box.write("log", `1\nPassword:\nhunter2\n${address}\n`);
  const { stdout } = await lib(box, 'last_lines "$TMPDIR/log" 2; last_lines "$TMPDIR/none"; echo end');
  expect(stdout).toBe("[removed]\n[address]\nend\n");
});

test.for([
  ["of an administrator", "/etc/systemd/system/x.service", 0],
  ["of an administrator in another place", "/usr/local/lib/systemd/system/x.service", 0],
  ["that an administrator put beside the packages' own", "/lib/systemd/system/x.service", 0],
  ["that does not exist", "", 0],
  ["of a package", "/usr/lib/systemd/system/ssh.service", 1],
  ["of a package, in the other spelling", "/lib/systemd/system/ssh.service", 1],
  ["that a program made", "/run/systemd/transient/pillar-host-step.service", 1],
] as const)("a unit is refused if it belongs to the host itself: %s", async ([, file, code], { box }) => {
  box.command("systemctl", `case "$*" in *FragmentPath*) echo ${file} ;; *) echo ssh.service ;; esac`);
  box.command(
    "dpkg",
    'for each in "$@"; do [ "$each" != /lib/systemd/system/ssh.service ] || { echo "openssh-server: $each"; exit 0; }; done; exit 1',
  );
  const ran = await lib(box, "stack_word=prod\nassert_own_unit node.service ssh");
  expect(ran.code).toBe(code);
  expect(ran.stderr).toMatch(
    code === 0
      ? /^$/
      : /^h: ssh\.service is a unit of this host itself: it is not touched \(node\.service\)\n {2}found: (openssh-server|made by).*\n {2}needed: .*\n {2}Then: pulumi config set --path pillar-host:node\.service NAME -s prod/,
  );
});

test.for([
  ["with details", "'found: x'", "  found: x\n  Then: pulumi up -s prod\n"],
  ["with details of several lines", "'needed: b\nand c'", "  needed: b\n  and c\n  Then: pulumi up -s prod\n"],
  ["without details", "", "  Then: pulumi up -s prod\n"],
  ["with a next command", "'Run pulumi up -s prod again.'", "  Run pulumi up -s prod again.\n"],
  ["with a command of this tool", "'./pillar-host status prod'", "  ./pillar-host status prod\n"],
] as const)("an error of a step ends with the next command: %s", async ([, details, shown], { box }) => {
  const ran = await lib(box, `again='pulumi up -s prod'\nfail 'it is wrong' ${details}; echo after`);
  expect(ran).toEqual({ code: 1, stdout: "", stderr: `h: it is wrong\n${shown}` });
});

test("an error in a provider's call has no next command, which the provider adds", async ({ box }) => {
  expect((await lib(box, "fail 'it is wrong' 'found: x'")).stderr).toBe("h: it is wrong\n  found: x\n");
});

test("an unexpected failure names its command without values", async ({ box }) => {
  const stderr = 'h: unexpected failure (exit 1) of: false "$word"\n';
  expect(await lib(box, 'word=hunter2; false "$word"; echo after')).toEqual({ code: 1, stdout: "", stderr });
});

test("processes on a host are found by the executable's name or the release file's, cut to 15 characters", async ({
  box,
}) => {
  const others = ["orchestrator2", "orchestrator-x", "my-orchestrator", "orchestrat", "signer"];
  for (const [at, name] of ["orchestrator", "orchestrator-li", "signer-of-the-t", ...others].entries())
    box.process(70 + at, name);
  for (const [name, pids] of [
    ["orchestrator", "70\n71\n"],
    ["orchestrator-linux-amd64", "70\n71\n"],
    ["signer-of-the-tests", "72\n"],
    ["'*' || echo none", "none\n"],
  ])
    expect(await lib(box, `processes_of ${name}`)).toEqual({ code: 0, stdout: pids, stderr: "" });
});

const isOpen = (port: number) => `if port_is_open ${port}; then echo yes; else echo no; fi`;

test("processes on a host are found by a listening port", async ({ box }) => {
  box.listen(80, 55000);
  const { stdout } = await lib(box, [55000, 80, 5500, 35997].map(isOpen).join("\n"));
  expect(stdout).toBe("yes\nyes\nno\nno\n");
  await box.run("mv proc/net/tcp6 proc/net/tcp");
  expect((await lib(box, isOpen(55000))).stdout).toBe("yes\n");
});

test("processes on a host never count as none if they can't be read", async ({ box }) => {
  for (const lost of ["rm -r proc/[0-9]* && truncate -s 0 proc/net/tcp*", "rm -r proc"]) {
    await box.run(lost);
    for (const look of ["processes_of orchestrator", "port_is_open 55000"]) {
      const { code, stdout, stderr } = await lib(box, `if ${look}; then echo yes; else echo no; fi`);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/^h: cannot tell whether (port 55000 is open|orchestrator runs) on this host\n {2}found/);
    }
  }
});

const get = (box: Sandbox, wget: string, url = "https://release.example/a.zip", sha256 = "") =>
  lib(
    box,
    `${wget && `wget() { ${wget}; }`}
release_url=${url} sha256=${sha256}
if why=$(download "$TMPDIR/a.zip" "$TMPDIR/wget.log"); then echo "had: $(cat "$TMPDIR/a.zip")"; else echo "why: $why"; ls "$TMPDIR/a.zip" 2> /dev/null || true; fi`,
  );

const brokenOff = "printf '  HTTP/1.1 200 OK\\n  Date: x\\n' >&2; printf 12345 > \"$7\"; return 4";
test.for([
  ["the file", 'echo whole > "$7"', "had: whole\n"],
  ["wget's last line, redacted", "printf 'first\npassword abc\n\n' >&2; return 8", "why: password [removed]\n"],
  ["a broken connection", brokenOff, "why: it broke off after 5 bytes\n"],
] as const)("a download has %s", async ([, wget, said], { box }) => {
  expect((await get(box, wget)).stdout.replace(`${box.dir}/a.zip\n`, "")).toBe(said);
});

const [http, https] = ["http://cdn.example/a?key=x", "https://release.example/a.zip"];
const unsafe =
  "why: the address redirects from https to plain http (http://cdn.example), where anybody on the way could replace the file; needed: its sha256 in the configuration, or another address\n";
test.for([
  ["https to https", "https://cdn.example/a", https, "", "had: whole\n"],
  ["http, with a hash", http, "http://release.example/a.zip", "aa", "had: whole\n"],
  ["plain http, with a hash", http, https, "aa", "had: whole\n"],
  ["plain http, without a hash", http, https, "", unsafe],
  ["plain HTTP, without a hash", http.replace("http", "HTTP"), https, "", unsafe.replace("http:", "HTTP:")],
] as const)("a download follows a redirect to %s, or keeps no file", async ([, to, url, sha256, said], { box }) => {
  const wget = `printf '  HTTP/1.1 302 Found\\n  Location: ${to}\\n' >&2; echo whole > "$7"`;
  expect((await get(box, wget, url, sha256)).stdout).toBe(said);
});

const proxied = (box: Sandbox, environment: string, more = "") => {
  box.command("systemctl", `[ "$1" = show-environment ] && cat "$sandbox/environment"`);
  box.write("environment", environment);
  const show = 'env | sort | sed -n /_proxy=/Ip; echo "via:$via_proxy"';
  return lib(box, `${more}\ntake_proxy\n${show}`);
};

test("takes the proxy of the host's services, in each spelling, and never for the host itself", async ({ box }) => {
  const environment = "LANG=C\nHTTPS_PROXY=http://me:hunter2@proxy.example:3128\nno_proxy=.example\nx_proxy=1\n";
  const none = "127.0.0.1,localhost,::1,.example";
  const url = "http://me:hunter2@proxy.example:3128";
  expect((await proxied(box, environment)).stdout).toBe(
    `HTTPS_PROXY=${url}\nNO_PROXY=${none}\nhttps_proxy=${url}\nno_proxy=${none}\nvia: through the proxy http://proxy.example:3128\n`,
  );
});

test.for([
  ["no proxy", "LANG=C\n"],
  ["a text that is no address", "http_proxy=$'a b'\nhttps_proxy=\n"],
] as const)("takes no proxy from %s", async ([, environment], { box }) => {
  expect((await proxied(box, environment)).stdout).toBe("via:\n");
});

const [noRoute, firewall] = ["this host has no default route over IPv4, and many servers have no IPv6", "a firewall?"];
const certificate = "curl: (60) SSL certificate problem";
test.for([
  ["no route", "echo RTNETLINK answers: Network is unreachable >&2; exit 2", "", "curl: (7)", noRoute],
  ["a route of another table than the main one", "echo 192.0.2.1 dev wg0 table 51820", "", "curl: (7)", firewall],
  [
    "a proxy that wants a password",
    ":",
    " through x",
    "curl: (56) CONNECT tunnel failed, response 407",
    "the proxy wants",
  ],
  ["a certificate, behind a proxy", ":", " through x", certificate, "the clock, ca-certificates"],
  ["a proxy", "exit 2", " through ssl.x", "curl: (7) port 4070", "does the proxy let it through?"],
] as const)("a way out that fails has a cause: %s", async ([, ip, proxy, said, cause], { box }) => {
  box.write("proc/net/route", "Iface\tDestination\tGateway\neth0\t0000A8C0\t00000000\n");
  box.command("ip", ip);
  expect((await lib(box, `via_proxy='${proxy}'\nway_out '${said}'`)).stdout).toContain(cause);
});

test("a failed download names the proxy, without its password", async ({ box }) => {
  const failing = 'wget() { echo "failed: Connection refused." >&2; return 4; }; release_url=http://a.example sha256=';
  const { stdout } = await proxied(
    box,
    "http_proxy=http://me:hunter2@127.0.0.1:9\n",
    `${failing}\ndownload "$TMPDIR/a.zip" "$TMPDIR/log" || true`,
  );
  expect(stdout).toMatch(/^failed: Connection refused\.\nasked through the proxy http:\/\/127\.0\.0\.1:9\n/);
});

test("the node's RPC is asked without a proxy, and without the start files of wget", async ({ box }) => {
  box.command("wget", `printf '%s\\n' "$@"`);
  const { stdout } = await lib(box, "rpc_address=127.0.0.1 rpc_port=35997\nrpc stats.syncInfo");
  expect(stdout.split("\n")).toEqual(expect.arrayContaining(["--no-proxy", "--no-config"]));
});

test("a written program inherits nothing from whoever starts it", async ({ box }) => {
  const path = `${box.dir}/program`;
  const { stdout } = await lib(
    box,
    `say() { echo right; }
write_script "${path}" "host_name" "say" 'say; env'
export http_proxy=x BASH_ENV=/nonexistent TAR_OPTIONS=-v; printf() { echo wrong; }; export -f printf; bash "${path}"`,
  );
  const names = stdout.split("\n").map((line) => line.replace(/=.*/, ""));
  expect(names.sort()).toEqual(["", ...["HOME", "LC_ALL", "PATH", "PWD", "SHLVL", "TMPDIR", "_", "right", "sandbox"]]);
});
