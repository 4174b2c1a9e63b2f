import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { gzipSync, strToU8, zipSync } from "fflate";
import { describe, expect } from "vitest";
import { controller } from "../../../../core/steps/nodeSteps.ts";
import { configOf } from "../../../components/exampleConfig.ts";
import { replaceAll, type Sandbox, test } from "../sandbox.ts";

const url = "https://release.example/node-controller.zip";

/** Installs an archive with this program, or this other download, in a directory of the box. */
async function install(
  box: Sandbox,
  program: string | Uint8Array,
  release: object = {},
  more: object = {},
  moves: readonly (readonly [string, string])[] = [],
  send = `cp "$sandbox/$([[ \${@: -1} == *go.dev* ]] && echo go.tar.gz || echo served)" "\${@: -2:1}"`,
) {
  box.command("wget", send);
  const isServed = typeof program !== "string" || /^(<|PK)/.test(program);
  box.write("served", isServed ? program : zipSync({ "node-controller": strToU8(program) }));
  const directory = `${box.dir}/installed`;
  const { script } = controller(configOf({ controller: { release: { url, ...release }, directory, ...more } }));
  const { code, stdout, stderr } = await box.run(replaceAll(box.local(script), moves));
  const shown = (text: string) => text.replace(/[0-9a-f]{64}/g, "HASH").replace(/\d+ bytes/, "N bytes");
  return { code, stderr: shown(stderr), stdout: shown(stdout) };
}

describe.concurrent("the controller's release", () => {
  test("is installed once, and again only for another configured version", async ({ box }) => {
    const installed = { code: 0, stderr: "" };
    expect(await install(box, "one")).toMatchObject({
      ...installed,
      stdout: expect.stringMatching(/^node-controller installed in .*\/installed: N bytes, sha256 HASH\n/),
    });
    expect(await install(box, "another")).toEqual({ ...installed, stdout: "installed before: sha256 HASH\n" });
    expect(box.read("installed/node-controller")).toBe("one");
    expect(await install(box, "another", { version: "v0.0.4-alpha" })).toMatchObject({
      ...installed,
      stdout: expect.stringMatching(/^node-controller v0\.0\.4-alpha installed in /),
    });
    expect(box.read("installed/node-controller")).toBe("another");
  });

  const page = "<!DOCTYPE html>";
  const otherHash = `the release is not the one that controller.release.sha256 names
  found: HASH (N bytes from ${url})
  needed: HASH
  What was installed before is untouched. Compare with the hash that the release page shows.\n`;
  test.for([
    ["of another hash", undefined, { sha256: "0".repeat(64) }, otherHash],
    ["a page", page, {}, `${url} (controller.release.url) serves no release\n  found: N bytes that begin with: <!`],
    ["damaged", "PK\u0003\u0004 cut off", {}, `the release from ${url} could not be unpacked\n  found: `],
    [
      "without it",
      zipSync({ README: strToU8("") }),
      {},
      "the release holds no node-controller\n  found: README \n  needed: node-controller or node-controller-linux-amd64 (controller.executable)\n",
    ],
  ] as const)("changes nothing if it is %s", async ([, served, release, words], { box }) => {
    const { code, stderr } = await install(box, served ?? "one", release);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`h: ${words}`)]);
    expect((await box.run("ls -A installed")).stdout).toBe("");
  });

  test.for([
    ["a top folder", "top/node-controller", "top/lib/x", "lib/x"],
    ["two of them", "a/b/node-controller", "a/b/libx", "libx"],
    ["a folder beside others", "bin/node-controller", "share/x", "share/x"],
  ] as const)(
    "has its library where it looks for it, in an archive with %s",
    async ([, program, beside, at], { box }) => {
      const archive = zipSync({ [program]: strToU8("one"), [beside]: strToU8("two") });
      expect((await install(box, archive)).stderr).toBe("");
      const files = await box.run("cd installed && find . -mindepth 1 -type f -printf '%P\n' | sort; find . -empty");
      expect(files.stdout).toBe(`${[at, "node-controller"].sort().join("\n")}\n`);
    },
  );

  const truth = readFileSync("/bin/true", "latin1");
  const arm = `${truth.slice(0, 18)}\u00b7\0${truth.slice(20)}`;
  test.for([
    ["is for another processor", arm, "a program for another processor"],
    ["lacks a library", truth.replace("libc.so.6", "libx.so.6"), "libx.so.6 => not found"],
  ] as const)("changes nothing if it %s", async ([, program, words], { box }) => {
    const archive = zipSync({ "node-controller": Buffer.from(program, "latin1") });
    const { code, stderr } = await install(box, archive);
    expect([code, stderr]).toEqual([1, expect.stringMatching(`can't start on this host\n  found: ${words}`)]);
    expect((await box.run("ls -A installed")).stdout).toBe("");
    expect((await install(box, zipSync({ "node-controller": readFileSync("/bin/true") }))).code).toBe(0);
  });

  test("belongs to root with fixed modes, whatever the archive says, and without its links", async ({ box }) => {
    box.command("chown", 'echo "$*" >> "$sandbox/owners"');
    await box.run(
      "mkdir -p pack/lib; echo one > pack/node-controller; echo two > pack/lib/x; ln -s /etc/passwd pack/lib/link",
    );
    await box.run("chmod 6777 pack/node-controller; chmod 666 pack/lib/x; chmod 777 pack/lib");
    const { stdout } = await box.run("tar -cf - --owner=1001 --group=1001 -C pack . | base64 -w 0");
    const archive = gzipSync(new Uint8Array(Buffer.from(stdout, "base64")));
    expect((await install(box, archive)).stderr).toBe("");
    const modes = await box.run("cd installed && find . -printf '%P %y %m\n' | sort");
    expect(modes.stdout).toBe(" d 755\nlib d 755\nlib/x f 644\nnode-controller f 755\n");
    expect(box.read("owners")).toMatch(/^-R 0:0 .*\/files\n$/);
  });

  const zeros = new Uint8Array(300_000);
  test.for([
    ["is larger than the room for it", zeros, "could not be downloaded from .*\n  found: it is larger than 200 kB"],
    [
      "unpacks to more",
      zipSync({ "node-controller": zeros }),
      "could not be unpacked\n  found: it unpacks to more than 200 kB",
    ],
    ["unpacks to more, as tar", gzipSync(zeros), "could not be unpacked\n  found: it unpacks to more than 200 kB"],
  ] as const)("changes nothing if it %s", async ([, served, words], { box }) => {
    box.command("df", "echo header; echo '/dev/vda 9 9 400 9% /'");
    const send = `cat "$sandbox/served" > "\${@: -2:1}" || { echo 'File too large'; exit 3; }`;
    const { code, stderr } = await install(box, served, {}, {}, [], send);
    expect([code, stderr]).toEqual([1, expect.stringMatching(words)]);
    expect((await box.run("ls -A installed")).stdout).toBe("");
  });

  test.for([
    [99, "warning: bandwidth: the download ran at 99 Mbps, and more than 100 are needed"],
    [100, "warning: bandwidth: the download ran at 100 Mbps, and more than 100 are needed"],
    [101, "\nbandwidth: the download ran at 101 Mbps"],
  ] as const)("reports a download at %i Mbps", async ([mbps, said], { box }) => {
    const moves = [["mbps=$((bytes * 8 / elapsed_ms / 1000))", `mbps=${mbps}`]] as const;
    expect((await install(box, randomBytes(1_000_000).toString("hex"), {}, {}, moves)).stdout).toContain(said);
  });
});

/** Packs an archive of one file as tar does. */
async function tarOf(box: Sandbox, file: string, text: string): Promise<Uint8Array> {
  box.write("packed", text);
  await box.run(`mkdir -p "pack/$(dirname ${file})"; install -m 755 packed pack/${file}`);
  const { stdout } = await box.run("tar -cf - -C pack . | base64 -w 0");
  return gzipSync(new Uint8Array(Buffer.from(stdout, "base64")));
}

describe.concurrent("the Go that is configured", () => {
  const goUrl = "https://go.dev/dl/go1.24.0.linux-amd64.tar.gz";
  const place = [["go_root=/usr/local", "go_root=$sandbox/local"]] as const;
  const program = "#!/bin/sh\necho go version go1.24.0 linux/amd64\n";
  async function installGo(
    box: Sandbox,
    archive: Uint8Array,
    sha256 = createHash("sha256").update(archive).digest("hex"),
  ) {
    box.write("go.tar.gz", archive);
    await box.run("mkdir -p local");
    return install(box, "one", {}, { go: { url: goUrl, sha256 } }, place);
  }

  test("is put where the controller expects it, once, and earlier files are kept", async ({ box }) => {
    await box.run("mkdir -p local/go/bin; echo old > local/go/bin/go");
    const archive = await tarOf(box, "go/bin/go", program);
    const { code, stdout, stderr } = await installGo(box, archive);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("/local/go: go version go1.24.0 linux/amd64, sha256 HASH\n");
    const kept = await box.run("local/go/bin/go; cat local/go.before-*/bin/go; ls -A local | wc -l");
    expect(kept.stdout).toBe("go version go1.24.0 linux/amd64\nold\n2\n");
    expect((await installGo(box, archive)).stdout).not.toContain("Go installed");
    const newer = await tarOf(box, "go/bin/go", `${program}# newer\n`);
    expect((await installGo(box, newer)).stdout).toContain("Go installed");
  });

  test.for<[string, string, string | undefined, string]>([
    ["of another hash", "go/bin/go", "0".repeat(64), "the archive of Go is not the one that controller.go.sha256"],
    ["without Go", "README", undefined, "holds no Go that starts on this host\n  found: .*No such file"],
    ["for another system", "go/bin/go", "ill", "holds no Go that starts on this host\n  found: cannot execute"],
  ])("changes nothing if the archive is %s", async ([_what, file, hash, said], { box }) => {
    await box.run("mkdir -p local/go/bin; echo old > local/go/bin/go");
    const isIll = hash === "ill";
    const archive = await tarOf(box, file, isIll ? "#!/bin/sh\necho cannot execute; exit 126\n" : program);
    const { code, stderr } = await installGo(box, archive, isIll ? undefined : hash);
    expect([code, stderr]).toEqual([1, expect.stringMatching(said)]);
    expect((await box.run("cat local/go/bin/go; ls installed || true")).stdout).toBe("old\n");
  });
});
