import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect } from "vitest";
import { parseCopyKey } from "../../../core/ssh/foreign.ts";
import { test as base, type LocalRoot } from "./localRoot.ts";

interface Copy {
  readonly gone?: readonly string[];
  /** Texts by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Targets by path. */
  readonly links?: Readonly<Record<string, string>>;
  readonly modes?: Readonly<Record<string, number>>;
}

const messageOf = (work: Promise<string>) => work.then(String, (error: Error) => error.message);

/** Packs a copy as the other host sends it: the list of removed files, then files and links. */
function pack(dir: string, { gone = [], files = {}, links = {}, modes = {} }: Copy): Buffer {
  mkdirSync(dir);
  const place = (path: string, put: (at: string) => void) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    put(join(dir, path));
  };
  for (const [path, text] of Object.entries(files)) place(path, (at) => writeFileSync(at, text));
  for (const [path, target] of Object.entries(links)) place(path, (at) => symlinkSync(target, at));
  for (const [path, mode] of Object.entries(modes)) chmodSync(join(dir, path), mode);
  // Files and links alone: directories of an archive would take the place of links.
  const names = Object.keys({ ...files, ...links }).map((path) => `./${path}`);
  const listed = names.length > 0 ? names : ["-T", "/dev/null"];
  const list = gone.map((path) => `${path}\0`).join("");
  const archive = execFileSync("tar", ["-c", "--no-recursion", "-C", dir, ...listed]);
  return Buffer.concat([Buffer.from(`${Buffer.byteLength(list)}\n${list}`), archive]);
}

/** Opens a host that receives copies from a hostile one: their files must stay below the staging directory. */
function openStage(root: LocalRoot) {
  const [arriving, outside] = [join(root.scratch, "arriving"), join(root.scratch, "outside")];
  for (const place of [arriving, outside]) mkdirSync(place);
  writeFileSync(join(outside, "victim"), "mine");
  let count = 0;
  const stage = {
    root,
    arriving,
    /** A directory of the receiving host's own. */
    outside,
    /** The function that receives; may be replaced. */
    how: "copy_receive",
    /** Receives a copy. @returns its error */
    receive: (copy: Copy) => {
      count += 1;
      const sent = join(root.scratch, `sent${count}`);
      writeFileSync(sent, pack(join(root.scratch, `tree${count}`), copy));
      const answered = join(root.scratch, "answered");
      root.before = `orchestrator_begin() { :; }\nhostile() {\n${stage.how} < "$sent" > "${answered}"; }`;
      return messageOf(root.call("hostile", { sent, receive_into: arriving }));
    },
  };
  return stage;
}
type Stage = ReturnType<typeof openStage>;
const test = base.extend("stage", ({ root }) => openStage(root));

const untouched = ({ outside }: Stage) => {
  expect(execFileSync("ls", ["-A", outside], { encoding: "utf8" })).toBe("victim\n");
  expect(readFileSync(join(outside, "victim"), "utf8")).toBe("mine");
};

describe("a copy from a host in another's hands", () => {
  test("a link of one copy does not lead the next one outside", async ({ stage }) => {
    await stage.receive({ links: { logs: stage.outside } });
    expect(await stage.receive({ files: { "logs/cron.d/x": "* * * * * root sh" } })).toBe("");
    untouched(stage);
    expect(readFileSync(join(stage.arriving, "logs/cron.d/x"), "utf8")).toBe("* * * * * root sh");
  });

  test("its list of removed files does not lead outside", async ({ stage }) => {
    mkdirSync(join(stage.arriving, "events"));
    symlinkSync(stage.outside, join(stage.arriving, "events", "logs"));
    expect(await stage.receive({ gone: ["./events/logs/victim"] })).toBe("");
    untouched(stage);
    for (const gone of ["./../outside/victim", join(stage.outside, "victim"), "./a/../../outside/victim"])
      expect(await stage.receive({ gone: [gone] })).toContain("the other host names files outside of its directory");
    untouched(stage);
  });

  test("files to copy again do not lead outside", async ({ stage }) => {
    const retake = async (path: string) => {
      stage.root.before = "orchestrator_begin() { :; }";
      const list = Buffer.from(`${path}\0`).toString("base64");
      return messageOf(stage.root.call("orchestrator_copy_retake", { retake: list, receive_into: stage.arriving }));
    };
    symlinkSync(stage.outside, join(stage.arriving, "logs"));
    writeFileSync(join(stage.arriving, "CURRENT"), "text");
    expect(await retake("./logs/victim")).toBe("");
    untouched(stage);
    expect(await retake("./a/../../outside/victim")).toContain("names files outside of its directory");
    untouched(stage);
    expect(await retake("./CURRENT")).toBe("");
    expect(existsSync(join(stage.arriving, "CURRENT"))).toBe(false);
  });

  const targets = ["/etc", "..", "../outside", "tss/..", "tss/../../outside"];
  test.for(targets)("a link to %s is refused, with what to do about it", async (target, { stage }) => {
    const said = await stage.receive({ files: { "tss/share": "{}" }, links: { "events/link": target } });
    const found = "the copy holds links that lead out of the orchestrator's directory\n  found: events/link";
    expect(said).toContain(`${found} -> ${target}\n  needed: `);
  });

  test("more data than the disk has room for ends it, and leaves nothing", async ({ stage }) => {
    // The limit is 100 KB above the need of this host's node.
    const room = 'df() { printf "Avail\\n%s\\n" $(((33554432 + 100000) / 9 * 10)); }';
    stage.how = `${room}\ncopy_receive`;
    expect(await stage.receive({ files: { "events/small": "x".repeat(50_000) } })).toBe("");
    const said = await stage.receive({ files: { "events/large": "x".repeat(500_000) } });
    expect(said).toContain("the other host sent more than this host accepts\n  found: more than 0 MB\n  needed: room");
    expect(existsSync(stage.arriving)).toBe(false);
  });

  test.for([
    ["prints lines of its own", "printf 'Welcome\\n12\\nno end of line'", ""],
    ["runs nothing", "exit 0", "the login of op@198.51.100.9 did not run the copy's command\n"],
    ["is refused", "echo refused >&2; exit 255", "found: refused"],
  ])("a login that %s is told from the copy", async ([, login, problem = ""], { stage }) => {
    stage.how = `ssh() { ${login}; printf '\\nAAAA\\n'; read -r bytes; head -c "$bytes" > /dev/null; cat "$sent"; }
      mkdir -p "$copy_dir"; echo ssh-ed25519 AAAA > "$copy_dir/key.pub"
      copy_side=copy_receive login_user=op copy_address=198.51.100.9 copy_port=22 orchestrator_copy`;
    expect(await stage.receive({ files: { "tss/share": "share" } })).toContain(problem);
    expect(existsSync(join(stage.arriving, "tss/share"))).toBe(problem === "");
  });

  test("links within the directory arrive with each copy", async ({ stage }) => {
    const copy = { files: { "events/CURRENT": "text" }, links: { "events/link": "CURRENT", odd: "..events/a..b" } };
    for (let count = 0; count < 2; count += 1) {
      expect(await stage.receive(copy)).toBe("");
      expect(lstatSync(join(stage.arriving, "events/link")).isSymbolicLink()).toBe(true);
      expect(readFileSync(join(stage.arriving, "events/link"), "utf8")).toBe("text");
    }
  });

  test("drops setuid and world-writable modes, and refuses a device", async ({ stage }) => {
    const modeOf = (name: string) => (lstatSync(join(stage.arriving, name)).mode & 0o7777).toString(8);
    const files = { a: "x", b: "x", c: "x" };
    expect(await stage.receive({ files, modes: { a: 0o4755, b: 0o2775, c: 0o666 } })).toBe("");
    expect(["a", "b", "c"].map(modeOf)).toEqual(["755", "775", "664"]);
    execFileSync("mkfifo", [join(stage.arriving, "events")]);
    const refusal = "the copy holds entries that are no file, directory or link\n  found: events (p)";
    expect(await stage.receive({})).toContain(refusal);
    expect(existsSync(join(stage.arriving, "events"))).toBe(false);
  });

  test("its permission is removed by its command, whatever the key's name", async ({ stage: { root } }) => {
    const key = `ssh-ed25519 ${"A".repeat(68)}`;
    const keys = join(root.scratch, ".ssh/authorized_keys");
    const copy_dir = "/var/lib/pillar-host/copy";
    mkdirSync(join(root.scratch, ".ssh"));
    const leftOf = async (text: string) => {
      writeFileSync(keys, text);
      root.before = `rm() { :; }\ngetent() { echo "root:x:0:0::${root.scratch}:/bin/sh"; }`;
      await root.call("copy_take_back", { copy_dir, login_user: "root" });
      return readFileSync(keys, "utf8");
    };
    const own = `${key} me@laptop pillar-host-copy2\nfrom="a",command="${copy_dir}/other" ${key}\n`;
    const right = `restrict,from="203.0.113.9",command="sudo -n ${copy_dir}/side"`;
    const plain = `${right.replace("sudo -n ", "")},expiry-time="1" ${key}`;
    const ours = [`${right} ${key} me@laptop`, plain, `${right} ${key} pillar-host-copy`, `${key} pillar-host-copy`];
    for (const line of ours)
      for (const end of ["\n", ""]) expect(await leftOf(`${own}\n${line}${end}`), line).toBe(own);
    expect(await leftOf(`\n${right} ${key}\n${own}`)).toBe(`\n${own}`);
  });

  test("a rollback is received in the same way; its permission expires by itself", async ({ stage }) => {
    const { root } = stage;
    stage.how = join(root.scratch, "copy", "side");
    await allow(stage, 0);
    expect(await stage.receive({ files: { x: "x" } })).toContain("the right to this copy expired after 0 hours");
    expect(existsSync(join(stage.arriving, "x"))).toBe(false);
    await allow(stage, 1);
    expect(await stage.receive({ links: { logs: stage.outside } })).toContain("links that lead out");
    expect(await stage.receive({ gone: ["./logs/victim"], files: { "logs/cron.d/x": "x" } })).toBe("");
    untouched(stage);
    // The other host finds the end of the login's own output by these lines.
    expect(readFileSync(join(root.scratch, "answered"), "utf8")).toMatch(/^\nAAAA\n\d+\n/);
  });
});

/** Gives the old host's side of a copy its right, for some hours, as on the way back. */
async function allow({ root, arriving }: Stage, hours: number): Promise<void> {
  const home = join(root.scratch, "home");
  mkdirSync(join(home, ".ssh"), { recursive: true });
  writeFileSync(join(home, ".ssh", "authorized_keys"), "");
  root.before = `orchestrator_begin() { :; }\ncopy_take_back() { :; }\ngetent() { echo "root:x:0:0::${home}:/bin/sh"; }`;
  await root.call("orchestrator_copy_allow", {
    copy_dir: join(root.scratch, "copy"),
    login_user: "root",
    copy_side: "copy_receive",
    receive_into: arriving,
    aside_store: "",
    directory: join(root.scratch, "signer"),
    public_key: "ssh-ed25519 AAAA",
    from_addresses: "203.0.113.9",
    copy_hours: hours,
  });
}

describe("a host's key for the copy", () => {
  const key = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"b".repeat(43)} pillar-host-copy`;

  test("is read with its addresses", () => {
    const addresses = ["203.0.113.9", "2001:db8::9"];
    const right = { public_key: key, from_addresses: [...addresses, "h"] };
    expect(parseCopyKey(`${key}\n${addresses.join(" ")} \n`, "h")).toEqual(right);
    expect(parseCopyKey(`${key}\n\n`, "h").from_addresses).toEqual(["h"]);
  });

  test.for([
    ["no key", ""],
    ["options before it", `command="/bin/sh" ${key}\n203.0.113.9`],
    ["another comment", `${key.replace(/pillar.*/, "me")}\n203.0.113.9`],
    ["a second line's worth in one", `${key}\rssh-ed25519 AAAA\n203.0.113.9`],
    ["another type of key", `${key.replace("ed25519", "rsa")}\n203.0.113.9`],
    ["a key of another length", `${key.replace("bb", "b")}\n203.0.113.9`],
    ["a quote among its addresses", `${key}\n203.0.113.9 *",command="x`],
    ["a pattern among its addresses", `${key}\n*`],
    ["a second key behind it", `${key}\n${key}`],
  ])("is refused with %s", ([, printed]) => {
    expect(() => parseCopyKey(printed ?? "", "203.0.113.9")).toThrow(
      /^203\.0\.113\.9 gave no key for the copy: nothing was written on the old host\n {2}found: ".*\n {2}needed: an (Ed25519 key|IP address)/,
    );
  });
});
