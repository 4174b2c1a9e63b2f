import { once } from "node:events";
import { createServer as createWeb } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createScript } from "../../../../core/steps/step";
import { Sandbox } from "../sandbox";

const address = "z1qqjnwjjpnue8xmmpanz6csze6tcmtzzdtfsww7";

let box: Sandbox;

beforeEach(() => {
  box = new Sandbox();
});

afterEach(() => box.remove());

const lib = (text: string) => box.run(box.local(`${createScript({})}\n${text}`));

describe("redact", () => {
  const lines: [string, string][] = [
    ["Password: hunter2", "Password [removed]"],
    ["\tPassword:  hunter2 and more", "\tPassword [removed]"],
    ["PASSPHRASE=hunter2", "PASSPHRASE [removed]"],
    ["the passwd is hunter2", "the passwd [removed]"],
    ['{"KeyFilePath":"/root/x","Password":"hunter2","Index":0}', '{"KeyFilePath":"/root/x","Password [removed]'],
    [
      `&{Producer:{Address:${address} Index:0 Password:hunter2}}`,
      "&{Producer:{Address:[address] Index:0 Password [removed]",
    ],
    ["mnemonic: apple pear", "mnemonic [removed]"],
    ["Entropy 00ff", "Entropy [removed]"],
    ["private key 00ff", "private key [removed]"],
    ["privateKey=00ff", "privateKey [removed]"],
    ["private_key=00ff", "private_key [removed]"],
    ["client-secret hunter2", "client-secret [removed]"],
    ["\x1b[31mPass\x1b[0mword:\x1b[1m hunter2\x1b[0m", "Password [removed]"],
    [`from ${address} to \x1b[32m${address}\x1b[0m`, "from [address] to [address]"],
    [`${address} password hunter2`, "[address] password [removed]"],
    ["\x1b[1;31mError!\x1b[0m no luck\r", "Error! no luck"],
    ["nothing of the kind", "nothing of the kind"],
    ["z1qshort", "z1qshort"],
    ["", ""],
  ];

  test("removes secrets and addresses, and leaves the rest", async () => {
    box.write("text", lines.map(([line]) => `${line}\n`).join(""));
    const { code, stdout, stderr } = await lib('redact < "$TMPDIR/text"');
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.split("\n").slice(0, -1)).toEqual(lines.map(([, shown]) => shown));
  });
});

describe("a secret on the line after its name", () => {
  test.each([
    ["Password:\nhunter2\nnext\n", "Password:\n[removed]\nnext\n"],
    ["\x1b[1mMnemonic\x1b[0m =\r\n\n  apple pear\nnext\n", "Mnemonic =\n\n[removed]\nnext\n"],
    ['{"Entropy": "\nhunter2\n', '{"Entropy": "\n[removed]\n'],
    ["wrong password\nwhy\n", "wrong password [removed]\nwhy\n"],
    ["Seed:\n", "Seed:\n"],
  ])("is removed from %j", async (text, shown) => {
    box.write("text", text);
    expect(await lib('redact < "$TMPDIR/text"')).toEqual({ code: 0, stdout: shown, stderr: "" });
  });

  test("is removed from a file's last lines if its name is above them", async () => {
    box.write("log", "Password:\nhunter2\nnext\n");
    expect((await lib('last_lines "$TMPDIR/log" 2')).stdout).toBe("[removed]\nnext\n");
  });
});

describe("an error of a step", () => {
  test.each([
    ["with details", "'found: x'", "  found: x\n  Then: pulumi up -s prod\n"],
    ["without details", "", "  Then: pulumi up -s prod\n"],
    ["with a next command", "'Run pulumi up -s prod again.'", "  Run pulumi up -s prod again.\n"],
    ["with a command of this tool", "'./pillar-host status prod'", "  ./pillar-host status prod\n"],
  ])("ends with the next command, %s", async (_what, details, shown) => {
    const { code, stderr } = await lib(`again='pulumi up -s prod'\nfail 'it is wrong' ${details}`);
    expect([code, stderr]).toEqual([1, `h: it is wrong\n${shown}`]);
  });

  test("has no next command in a provider's call, which adds it", async () => {
    expect((await lib("fail 'it is wrong' 'found: x'")).stderr).toBe("h: it is wrong\n  found: x\n");
  });
});

describe("processes on a host", () => {
  test("are found by the executable's name or the release file's, cut to 15 characters", async () => {
    const others = ["orchestrator2", "orchestrator-x", "my-orchestrator", "orchestrat", "signer"];
    for (const [at, name] of ["orchestrator", "orchestrator-li", "signer-of-the-t", ...others].entries())
      box.process(70 + at, name);
    for (const [name, pids] of [
      ["orchestrator", "70\n71\n"],
      ["orchestrator-linux-amd64", "70\n71\n"],
      ["signer-of-the-tests", "72\n"],
    ])
      expect(await lib(`processes_of ${name}`)).toEqual({ code: 0, stdout: pids, stderr: "" });
    expect(await lib("processes_of '*' || echo none")).toEqual({ code: 0, stdout: "none\n", stderr: "" });
  });

  test("are found by a listening port", async () => {
    const open = (port: number) => lib(`if port_is_open ${port}; then echo yes; else echo no; fi`);
    box.listen(80, 55000);
    for (const [port, said] of [
      [55000, "yes\n"],
      [80, "yes\n"],
      [5500, "no\n"],
      [35997, "no\n"],
    ] as const)
      expect(await open(port), String(port)).toEqual({ code: 0, stdout: said, stderr: "" });
    await box.run("mv proc/net/tcp6 proc/net/tcp");
    expect((await open(55000)).stdout).toBe("yes\n");
  });

  test("are found by this machine's real ports, too", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const look = `proc=/proc; if port_is_open ${port}; then echo yes; else echo no; fi`;
    expect((await lib(look)).stdout).toBe("yes\n");
    server.close();
    await once(server, "close");
    expect((await lib(look)).stdout).toBe("no\n");
  });

  test("never count as none if they can't be read", async () => {
    for (const lost of ["rm -r proc/[0-9]* && truncate -s 0 proc/net/tcp*", "rm -r proc"]) {
      await box.run(lost);
      for (const look of ["processes_of orchestrator", "port_is_open 55000"]) {
        const { code, stdout, stderr } = await lib(`if ${look}; then echo yes; else echo no; fi`);
        expect([code, stdout]).toEqual([1, ""]);
        expect(stderr).toMatch(
          /^h: cannot tell whether (port 55000 is open|orchestrator runs) on this host\n {2}found: no /,
        );
      }
    }
  });
});

describe("download", () => {
  const tried = (wget: string) => `wget() { ${wget}; }; release_url=https://release.example/a.zip sha256=
if why=$(download "$TMPDIR/a.zip" "$TMPDIR/wget.log"); then echo "had: $(cat "$TMPDIR/a.zip")"; else echo "why: $why"; fi`;

  test.each([
    ["saves the file", 'echo whole > "$6"', "had: whole"],
    [
      "reports wget's last line without a secret",
      "printf 'first\npassword abc\n\n' >&2; return 8",
      "why: password [removed]",
    ],
    [
      "reports a broken connection that wget does not mention",
      'printf 12345 > "$6"; return 4',
      "why: it broke off after 5 bytes",
    ],
  ])("%s", async (_, wget, said) => {
    expect(await lib(tried(wget))).toEqual({ code: 0, stdout: `${said}\n`, stderr: "" });
  });

  const led = (to: string, address: string, sha256 = "") =>
    lib(`wget() { printf '  HTTP/1.1 302 Found\\n  Location: ${to}\\n' >&2; echo whole > "$6"; }; release_url=${address} sha256=${sha256}
if why=$(download "$TMPDIR/a.zip" "$TMPDIR/wget.log"); then echo had; else echo "why: $why"; ls "$TMPDIR/a.zip" 2> /dev/null || true; fi`);

  test.each([
    ["from https to https", "https://cdn.example/a?key=x", "https://release.example/a.zip", ""],
    ["from http with a hash", "http://cdn.example/a", "http://release.example/a.zip", "aa"],
    ["to plain http with a hash", "http://cdn.example/a", "https://release.example/a.zip", "aa"],
  ])("follows a redirect %s", async (_, to, address, sha256) => {
    expect((await led(to, address, sha256)).stdout).toBe("had\n");
  });

  test.each(["http://cdn.example/a?key=x", "HTTP://cdn.example/a"])(
    "follows no redirect from https to %s without a hash, and keeps no file",
    async (to) => {
      expect((await led(to, "https://release.example/a.zip")).stdout).toMatch(
        /^why: the address redirects from https to plain http \(http:\/\/cdn\.example\), where .*needed: its sha256 in the configuration, or another address\n$/i,
      );
    },
  );

  test("shows no text of the server if wget names no reason", async () => {
    const broken = tried("printf '  HTTP/1.1 200 OK\\n  Date: x\\n' >&2; printf 12345 > \"$6\"; return 4");
    expect((await lib(broken)).stdout).toBe("why: it broke off after 5 bytes\n");
  });

  test("parses the real wget's output: redirects and the reason", async () => {
    const server = createWeb((request, response) => {
      if (request.url === "/here") response.end("whole");
      else response.writeHead(request.url === "/led" ? 302 : 404, { Location: "/here" }).end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const get = (path: string) =>
      lib(`release_url=http://127.0.0.1:${port}${path} sha256=
if why=$(download "$TMPDIR/a" "$TMPDIR/log"); then cat "$TMPDIR/a"; grep -c '^ *Location: /here' "$TMPDIR/log"; else echo "why: $why"; fi`);
    expect((await get("/led")).stdout).toBe("whole1\n");
    expect((await get("/none")).stdout).toMatch(/^why: .*ERROR 404: Not Found\.\n$/);
    server.close();
  });
});

describe("assert_hash", () => {
  const check = (sha256: string) =>
    lib(`sha256=${sha256} release_url=https://release.example/a.zip
assert_hash archive controller.release.sha256 aaaa 12; echo after`);

  test.each(["", "aaaa"])("passes if none is configured, or this one", async (sha256) => {
    expect(await check(sha256)).toEqual({ code: 0, stdout: "after\n", stderr: "" });
  });

  test("fails with both if they differ", async () => {
    expect(await check("bbbb")).toEqual({
      code: 1,
      stdout: "",
      stderr: `h: the archive is not the one that controller.release.sha256 names
  found: aaaa (12 bytes from https://release.example/a.zip)
  needed: bbbb
  What was installed before is untouched. Compare with the hash that the release page shows.
`,
    });
  });
});

describe("fail", () => {
  test("prints one line of what, then the details, and ends", async () => {
    expect(await lib('fail "it broke" "found: a" "needed: b\nand c"; echo after')).toEqual({
      code: 1,
      stdout: "",
      stderr: "h: it broke\n  found: a\n  needed: b\n  and c\n",
    });
  });

  test("names the command of an unexpected failure without its values", async () => {
    const { code, stderr } = await lib('word=hunter2; false "$word"; echo after');
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'h: unexpected failure (exit 1) of: false "$word"\n' });
  });
});

describe("markers", () => {
  test("hold the time or a text", async () => {
    const { stdout } = await lib(
      'is_marked a || echo no; mark a; is_marked a && echo yes; mark b "two\nlines"; ls -A "$state"',
    );
    expect(stdout).toBe("no\nyes\na\nb\n");
    expect(box.read("state/a")).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n$/);
    expect(box.read("state/b")).toBe("two\nlines\n");
  });
});

test("last_lines prints the redacted end of a file", async () => {
  box.write("log", `1\n2\nPassword: hunter2\n${address}\n`);
  expect(await lib('last_lines "$TMPDIR/log" 2; last_lines "$TMPDIR/none"; echo end')).toEqual({
    code: 0,
    stdout: "Password [removed]\n[address]\nend\n",
    stderr: "",
  });
});

test("processes_of finds a real process, whose name the kernel cuts", async () => {
  // A name of its own, so that no other process of this machine is found.
  const { stdout } = await lib(
    `proc=/proc; cp "$(command -v sleep)" "$sandbox/signer-test-linux-arm64"; "$sandbox/signer-test-linux-arm64" 30 & process=$!
     until [ "$(cat "/proc/$process/comm")" != bash ]; do sleep 0.01; done
     processes_of signer-test | grep -qx "$process" && echo found
     kill "$process"`,
  );
  expect(stdout).toBe("found\n");
});
