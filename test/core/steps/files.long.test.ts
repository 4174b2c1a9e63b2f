import { execFileSync } from "node:child_process";
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect } from "vitest";
import { formatAssignments } from "../../../core/ssh/shellWords.ts";
import { readChainCopyLibrary, readOrchestratorLibrary } from "../../../core/steps/libraries.ts";
import { fillDisk, killedAt, onSmallDisk, type Sandbox, test } from "./sandbox.ts";

const operator = 'ssh-ed25519 AAAAOPERATOR op@laptop\n# mine\n\nfrom="192.0.2.1" ssh-rsa AAAA other\n';
const ours = `${operator}\nssh-ed25519 AAAA pillar-host-copy\n`;
const nobody = 65534;

const lib = (box: Sandbox) => box.library(readOrchestratorLibrary());

/** Returns the functions of a copy's permission, on a host whose login user has this home. */
function right(box: Sandbox, user: "root" | "nobody", home = join(box.dir, "home")): string {
  box.command("visudo", ":");
  const variables = {
    login_user: user,
    copy_mark: "pillar-host-copy",
    copy_hours: "1",
    copy_side: "copy_send",
    public_key: "ssh-ed25519 AAAACOPY pillar-host-copy",
    from_addresses: "203.0.113.9",
  };
  mkdirSync(join(box.dir, "sudoers"), { recursive: true });
  return `${lib(box).replaceAll("/etc/sudoers.d", join(box.dir, "sudoers"))}
getent() { if [ "$2" = ${user} ]; then echo "u:x:0:0::${home}:/bin/sh"; else command getent passwd nobody; fi; }
${formatAssignments(variables)}copy_dir=$state/copy\n`;
}

/** Creates a home with the operator's keys. */
function homeOf(box: Sandbox, uid: number, text: string = operator): string {
  const home = join(box.dir, "home");
  const keys = join(home, ".ssh/authorized_keys");
  // The user walks through to it.
  fs.chmodSync(box.dir, 0o711);
  for (const place of [home, join(home, ".ssh")]) mkdirSync(place, { mode: 0o700 });
  writeFileSync(keys, text, { mode: 0o640 });
  if (uid > 0) execFileSync("chown", ["-R", `${uid}:${uid}`, home]);
  return keys;
}

/** Kills a script before each of its commands in turn. Expects one of these texts in a file each time, the last in the end. */
async function killEverywhere(box: Sandbox, file: string, before: string, script: string, texts: readonly string[]) {
  for (let at = 1; ; at += 1) {
    writeFileSync(file, texts[0] ?? "");
    const { code } = await box.run(`${before}${killedAt(at)}\n${script}`);
    const found = readFileSync(file, "utf8");
    expect(texts, `killed at ${at}`).toContain(found);
    // The files that killed runs left beside it are gone.
    if (code === 0)
      return expect([at > 9, found, readdirSync(dirname(file))]).toEqual([true, texts.at(-1), [basename(file)]]);
  }
}

const allow = "copy_allow state say";
const run = { code: 0, stderr: "" };

describe("a file that is replaced", () => {
  const long = "x".repeat(9000);

  test.for([
    ["a file of ours", `install_file "$sandbox/disk/file" ${long}`],
    ["a marker", `state=$sandbox/disk; mark file ${long}`],
    [
      "the journal",
      `orchestrator_journal=$sandbox/disk/file; journal=; orchestrator_enter ${Buffer.from(long).toString("base64")}`,
    ],
  ] as const)("keeps its text on a full disk: %s", async ([, write], { box }) => {
    const there = `printf 'old\\n' > "$sandbox/disk/file"; ${fillDisk}`;
    const script = `set +e\n${lib(box)}${there}; (${write}) && echo written; cat "$sandbox/disk/file"; ls -A "$sandbox/disk"`;
    const { stdout, stderr } = await onSmallDisk(box, 32, script);
    expect(stdout).toBe("old\nfile\nfiller\n");
    expect(stderr).toMatch(/^h: \/.*\/disk\/file could not be written: it is as it was\n {2}found: .*No space left/s);
  });

  test("is not made on a full disk, and leaves no empty file", async ({ box }) => {
    const script = `${lib(box)}${fillDisk}; (install_file "$sandbox/disk/unit.d/90.conf" ${long}) || find "$sandbox/disk" -name '*90*'`;
    expect((await onSmallDisk(box, 32, script)).stdout).toBe("");
  });

  test.for(['install_file "$state/file" "new text"', 'mark file "new text"'])(
    "killed at any point, it is old or new: %s",
    (write, { box }) => killEverywhere(box, join(box.state, "file"), lib(box), write, ["old text\n", "new text\n"]),
  );

  test("keeps its mode and owner", async ({ box }) => {
    const file = box.write("state/file", "old\n");
    fs.chmodSync(file, 0o611);
    if (process.getuid?.() === 0) fs.chownSync(file, 7, 8);
    const { uid, gid } = statSync(file);
    await box.run(`${lib(box)}install_file "$state/file" new; install_file "$state/other" new`);
    const now = statSync(file);
    expect([now.mode & 0o7777, now.uid, now.gid, readFileSync(file, "utf8")]).toEqual([0o611, uid, gid, "new\n"]);
    expect(statSync(join(box.state, "other")).mode & 0o777).toBe(0o644);
  });

  test("is not replaced if it is a link, and never becomes empty", async ({ box }) => {
    const file = box.write("state/file", "old\n");
    fs.symlinkSync(file, join(box.state, "link"));
    const linked = await box.run(`${lib(box)}install_file "$state/link" new`);
    expect(linked.stderr).toMatch(/^h: .*\/link is a link: it was left as it is\n {2}found: a link to .*\n {2}need/);
    const emptied = await box.run(`${lib(box)}replace_file "$state/file" ""`);
    expect(emptied.stderr).toMatch(/^h: .*\/file would become empty: it was left as it is\n/);
    expect([linked.code, emptied.code, readFileSync(file, "utf8")]).toEqual([1, 1, "old\n"]);
  });
});

describe("the login user's authorized_keys", () => {
  test("have the copy's line during the copy, and the operator's lines always", async ({ box }) => {
    const keys = homeOf(box, 0);
    expect(await box.run(`${right(box, "root")}${allow}`)).toMatchObject(run);
    const text = readFileSync(keys, "utf8");
    expect(text.slice(0, operator.length)).toBe(operator);
    expect(text.slice(operator.length)).toMatch(
      /^\nrestrict,from="203\.0\.113\.9",command="\/bin\/bash \/.*\/copy\/side" ssh-ed25519 AAAACOPY pillar-host-copy\n$/,
    );
    await box.run(`${right(box, "root")}copy_take_back`);
    expect([readFileSync(keys, "utf8"), statSync(keys).mode & 0o777]).toEqual([operator, 0o640]);
  });

  test("let the operator log in after a kill at any point of the removal", async ({ box }) => {
    await killEverywhere(box, homeOf(box, 0), right(box, "root"), "copy_take_back", [ours, operator]);
  }, 300_000);

  test("get a line in one write, once", async ({ box }) => {
    const script = `for again in 1 2; do authorize_in "$sandbox/home" "ssh-ed25519 NEW"; done`;
    const texts = [operator, `${operator}\nssh-ed25519 NEW\n`];
    await killEverywhere(box, homeOf(box, 0), right(box, "root"), script, texts);
  }, 300_000);

  const fullKeys = (mark: string) => `keys=$sandbox/disk/.ssh/authorized_keys; mkdir -p "$sandbox/disk/.ssh"
printf '%s\\n' '${operator}${"# long".repeat(1500)}' '' 'ssh-ed25519 AAAA ${mark}' > "$keys"; before=$(sha256sum < "$keys")\n`;

  test("stay as they were on a full disk, and the copy's line no longer works", async ({ box }) => {
    const there = `${fullKeys("pillar-host-copy")}mkdir -p "$state/copy"; : > "$state/copy/side"; ${fillDisk}`;
    const script = `${right(box, "root", join(box.dir, "disk"))}${there}\n(copy_take_back) || true\n[ "$before" = "$(sha256sum < "$keys")" ] && ls "$state" "$sandbox/disk/.ssh"`;
    const { stdout, stderr } = await onSmallDisk(box, 64, script);
    expect(stderr).toContain("authorized_keys could not be written: it is as it was");
    expect(stdout).toBe(`${box.dir}/disk/.ssh:\nauthorized_keys\n\n${box.state}:\n`);
  });

  test("lose only our line when a chain copy ends, and nothing on a full disk", async ({ box }) => {
    box.command("systemctl", "exit 0");
    box.command("getent", 'echo "root:x:0:0::$sandbox/disk:/bin/sh"');
    const functions = box.library(readChainCopyLibrary());
    const variables = { token: "t1", side: "old", stack_identity: "pillar-host/prod Anvil", login_user: "root" };
    const short = functions.replaceAll("/etc/sudoers.d", join(box.dir, "sudoers")).replaceAll("sleep 20", "sleep 0.1");
    const script = `${short}
${formatAssignments({ ...variables, data_dir: join(box.dir, "data") })}
mkdir -p "$sandbox/data"
${fullKeys("pillar-host-chain-copy")}(chain_take > /dev/null; chain_own_directory "$(chain_snapshot_place)"; chain_watch_lease)
read -r owner _ rest < "$chain_lock" && echo "$owner 1 $rest" > "$chain_lock"
${fillDisk}
bash "$state/chain-copy.end" || true
[ "$before" = "$(sha256sum < "$keys")" ] && echo as before
rm "$sandbox/disk/filler"
bash "$state/chain-copy.end" && tail -c 5 "$keys" && grep -c . "$keys" && ls -A "$sandbox/disk/.ssh" "$sandbox/data"`;
    const { code, stdout, stderr } = await onSmallDisk(box, 64, script);
    expect(stderr).toMatch(/^h: .*authorized_keys could not be written: it is as it was\n.*No space left/);
    const left = `${box.dir}/data:\n\n${box.dir}/disk/.ssh:\nauthorized_keys\n`;
    expect({ code, stdout }).toEqual({ code: 0, stdout: `as before\nlong\n4\n${left}` });
    expect(existsSync(box.state)).toBe(false);
  });

  describe.skipIf(process.getuid?.() !== 0)("of a user that is not root", () => {
    const plant = (box: Sandbox, link: string, target: string) => {
      const asUser = ["--reuid=65534", "--regid=65534", "--clear-groups"];
      execFileSync("setpriv", [...asUser, "ln", "-sfn", target, join(box.dir, link)]);
    };

    test("are written with the user's own rights", async ({ box }) => {
      const keys = homeOf(box, nobody);
      expect(await box.run(`${right(box, "nobody")}${allow}`)).toMatchObject(run);
      expect(readFileSync(keys, "utf8")).toMatch(/\n\nrestrict,.*command="sudo -n \/bin\/bash \/.*\/copy\/side"/);
      expect([statSync(keys).uid, statSync(keys).mode & 0o777]).toEqual([nobody, 0o640]);
      expect((await box.run(`${right(box, "nobody")}copy_take_back`)).code).toBe(0);
      expect([readFileSync(keys, "utf8"), readdirSync(join(box.dir, "sudoers"))]).toEqual([operator, []]);
      fs.rmSync(dirname(keys), { recursive: true });
      expect((await box.run(`${right(box, "nobody")}${allow}`)).code).toBe(0);
      const made = [statSync(dirname(keys)), statSync(keys)].map(({ uid, mode }) => [uid, mode & 0o777]);
      expect(made.flat()).toEqual([nobody, 0o700, nobody, 0o600]);
    });

    test.for(["authorized_keys.pillar-host-copy", "authorized_keys.new", ".authorized_keys.new"])(
      "a link that the user planted beside it as %s leads root nowhere",
      async (name, { box }) => {
        const keys = homeOf(box, nobody, ours);
        const victim = box.write("victim", "root's own\n");
        plant(box, `home/.ssh/${name}`, victim);
        expect((await box.run(`${right(box, "nobody")}copy_take_back`)).code).toBe(0);
        expect([readFileSync(victim, "utf8"), readFileSync(keys, "utf8")]).toEqual(["root's own\n", operator]);
      },
    );

    test("are not written through a link, or into a linked directory", async ({ box }) => {
      const keys = homeOf(box, nobody);
      const victim = box.write("victim", ours);
      fs.chmodSync(victim, 0o644);
      plant(box, "home/.ssh/authorized_keys", victim);
      const refuses = async (call: string, what: RegExp) => {
        const { code, stderr } = await box.run(`${right(box, "nobody")}${call}`);
        expect([code, stderr]).toEqual([1, expect.stringMatching(what)]);
        expect(stderr).toMatch(/ left as it (is|was)\n {2}found: .*\n {2}needed: .*\n$/);
      };
      for (const call of [allow, "copy_take_back"])
        await refuses(call, /^h: .*authorized_keys is (a link|not the user's own): it was left/);
      expect([readFileSync(victim, "utf8"), fs.lstatSync(keys).isSymbolicLink()]).toEqual([ours, true]);
      const roots = join(box.dir, "roots");
      mkdirSync(roots);
      fs.rmSync(dirname(keys), { recursive: true });
      plant(box, "home/.ssh", roots);
      await refuses(allow, /^h: .*\/\.ssh is a link: .*authorized_keys was left/);
      expect([readdirSync(roots), existsSync(join(box.state, "copy/side"))]).toEqual([[], true]);
    });
  });
});
