import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { asRoot } from "../../../core/ssh/root";
import { assignments } from "../../../core/ssh/shellWords";
import { nodeReleaseLibrary } from "../../../core/steps/libraries";
import { fieldsOf } from "../../../core/util/fields";
import { test } from "./boxed";
import { fillDisk, killedAt, onSmallDisk, replaceAll, type Sandbox } from "./sandbox";

const url = "https://release.example/go-node.zip";
/** A program of the node; `dead` ends at once, `deaf` has no RPC. */
const program = (version: string, more = "") => `#!/bin/bash\necho go-node version ${version}\n# ${more}\n`;
const old = program("v0.0.8");
const next = program("v0.0.10");

/** A host whose node runs the old program: what runs is a copy of the program that was started. */
function host(box: Sandbox, served = next, at = box.dir): string {
  mkdirSync(join(box.dir, "run"), { recursive: true });
  mkdirSync(join(box.dir, "units"), { recursive: true });
  box.write("served", served);
  box.command("unshare", '[ "$1" = -n ] || exec /usr/bin/unshare "$@"; shift; exec "$@"');
  box.command("journalctl", "echo panic: no such thing");
  box.command(
    "systemctl",
    `case "$1 \${@: -1}" in
  "start pillar-host-node-upgrade") : > "$sandbox/begun" ;;
  "is-active pillar-host-node-upgrade") echo inactive; exit 3 ;;
  start*) [ -e "$sandbox/running" ] || grep -q dead ${at}/go-node || cp ${at}/go-node "$sandbox/running" ;;
  stop*) echo stop >> "$sandbox/stops"; rm -f "$sandbox/running" ;;
  kill*) rm -f "$sandbox/running" ;;
  is-active*) if [ -e "$sandbox/running" ]; then echo active; else echo inactive; exit 3; fi ;;
  show*) case "$*" in
      *ExecStart*) echo "{ path=${at}/go-node ; argv[]=${at}/go-node ; ignore_errors=no }" ;;
      *MainPID*) if [ -e "$sandbox/running" ]; then echo 7; else echo 0; fi ;;
    esac ;;
esac`,
  );
  box.command(
    "wget",
    `case "$*" in
  *processInfo*) grep -q deaf "$sandbox/running" && exit 4; v=$(grep -o 'v0[0-9.]*' "$sandbox/running") && echo "{\\"result\\":{\\"version\\":\\"$v\\"}}" ;;
  *syncInfo*) [ -e "$sandbox/running" ] && echo '{"result":{"currentHeight":5}}' ;;
  *) cp "$sandbox/served" "\${@: -2:1}" ;;
esac`,
  );
  box.write("go-node", old);
  box.write("running", old);
  return `chmod 755 ${at}/go-node\n`;
}

const releaseOf = (served: string) => ({
  url,
  sha256: createHash("sha256").update(served).digest("hex"),
  version: "v0.0.10",
});

/** The library, with the variables that the program gives it, in the box. */
function functions(box: Sandbox, release: ReturnType<typeof releaseOf>, more: object = {}): string {
  const variables = {
    ...{ service: "go-node", data_dir: box.dir, rpc_address: "127.0.0.1", rpc_port: 35997 },
    ...{ release_url: release.url, sha256: release.sha256, version: release.version, release_marker: `${url} v0.0.10` },
    ...{ may_go_back: true, answer_seconds: 1, judge_seconds: 1, ...more },
  };
  const text = box
    .local(nodeReleaseLibrary().split(asRoot)[1] ?? "")
    .replaceAll("/etc/systemd/system", `${box.dir}/units`);
  const quick = replaceAll(text, [
    ["/run/pillar-host/node-upgrade", `${box.dir}/run/node-upgrade`],
    ["release_room=500", "release_room=0"],
  ]);
  return `${quick}\n${assignments(variables)}`;
}
/** What a service of the upgrade does; a verdict is there before it asks. */
const service = (box: Sandbox, verdict: string | undefined, before = "") => {
  const path = `export PATH=${box.bin}:/usr/bin:/bin\n`;
  const script = (box.read("state/node-upgrade") ?? "").replace(/^export LC_ALL.*$/m, path);
  if (verdict !== undefined) box.write("run/node-upgrade.verdict", verdict);
  return box.run(before === "" ? script : script.replace(/\nnode_upgrade\n$/, `\n${before}\nnode_upgrade\n`));
};
const ends = async (box: Sandbox, release = releaseOf(next)) =>
  Object.fromEntries(fieldsOf((await box.run(`${functions(box, release)}node_release_look`)).stdout)) as Record<
    string,
    string
  >;

/** Up to the moment at which the service begins. */
async function begun(box: Sandbox, served = next, more: object = {}): Promise<void> {
  const script = host(box, served);
  const all = functions(box, releaseOf(served), more);
  const fetched = await box.run(`${script}${all}node_release_fetch`);
  expect(fetched.stderr).toBe("");
  expect(fetched.stdout).toContain("v0.0.10 of the node lies beside it, checked");
  const swap = await box.run(`${all}node_release_swap`);
  expect(swap).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(box.read("begun")).toBe("");
}

describe.concurrent("the node's release", () => {
  test("is fetched and checked beside the node, put in place, and kept once it is judged good", async ({ box }) => {
    await begun(box);
    expect(box.read("running")).toBe(old);
    expect(await service(box, "good")).toMatchObject({ code: 0, stderr: "" });
    expect([box.read("running"), box.read("go-node"), box.read("go-node.before")]).toEqual([next, next, old]);
    const end = await ends(box);
    expect(end).toMatchObject({ stage: "done", installed: "yes" });
    expect([end.atWork, end.replaced]).toEqual([undefined, undefined]);
    expect(Number(end.without)).toBeGreaterThan(0);
    expect((await box.run("ls units")).stdout).toBe("");
    // Somebody puts the controller's version in its place.
    box.write("go-node", old);
    expect(await ends(box)).toMatchObject({ installed: "v0.0.10", replaced: "yes" });
  });

  test.for([
    [
      "that follows a fork, by the word of the run",
      next,
      "the node is on another chain",
      "the node is on another chain",
    ],
    ["that stands still, by the word of the run", next, "its height has not moved", "its height has not moved"],
    ["that nobody judges", next, undefined, "the run that judges it is gone, or gave no word"],
    ["that does not start", program("v0.0.10", "dead"), "good", "it ends by itself: panic: no such thing"],
    ["without an RPC", program("v0.0.10", "deaf"), "good", "its RPC does not answer within 1 s"],
  ] as const)("one %s goes, and the version before runs again", async ([, served, verdict, why], { box }) => {
    await begun(box, served);
    expect((await service(box, verdict)).code).toBe(0);
    expect([box.read("running"), box.read("go-node"), box.read("go-node.failed")]).toEqual([old, old, served]);
    expect(await ends(box)).toMatchObject({ stage: "back", why });
  });

  test("without a way back it stays, and says so", async ({ box }) => {
    await begun(box, next, { may_go_back: false });
    await service(box, "the node is on another chain");
    expect(box.read("running")).toBe(next);
    expect(await ends(box)).toMatchObject({ stage: "stuck", why: "the node is on another chain", installed: "yes" });
  });

  test.for([
    [
      "another hash",
      next,
      { ...releaseOf(next), sha256: "0".repeat(64) },
      "the release is not the one that node.release.sha256 names",
    ],
    [
      "another version",
      program("v0.0.11"),
      releaseOf(program("v0.0.11")),
      "found: v0.0.11 of go-node.zip\n  needed: v0.0.10, built for ",
    ],
    [
      "another machine",
      "\u007fELF\u0002\u0001\u0001 arm",
      releaseOf("\u007fELF\u0002\u0001\u0001 arm"),
      "needed: v0.0.10, built for ",
    ],
  ] as const)("of %s ends before anything is touched", async ([, served, release, words], { box }) => {
    const script = host(box, served);
    const { code, stderr } = await box.run(`${script}${functions(box, release)}node_release_fetch`);
    expect([code, stderr]).toEqual([1, expect.stringContaining(words)]);
    expect([box.read("running"), box.read("go-node")]).toEqual([old, old]);
    expect((await box.run("ls -A | grep go-node")).stdout).toBe("go-node\n");
  });

  test("without room for it nothing is fetched, and the node runs on", async ({ box }) => {
    const script = host(box, next, `${box.dir}/disk`);
    const all = functions(box, releaseOf(next)).replace("release_room=0", "release_room=2");
    const { stdout, stderr } = await onSmallDisk(
      box,
      512,
      `mv go-node disk/go-node\n${script}set +e\n(${all}node_release_fetch)\nls -A disk; cat running`,
    );
    expect(stderr).toContain("there is no room for the node's release");
    expect(stdout).toBe(`go-node\n${old}`);
  });

  test("on a disk that is full by then it goes back all the same", async ({ box }) => {
    const at = `${box.dir}/disk`;
    const script = host(box, next, at);
    const all = functions(box, releaseOf(next));
    const { stdout } = await onSmallDisk(
      box,
      512,
      `mv go-node disk/go-node\n${script}(${all}node_release_fetch)\n(${all}node_release_swap)\n${fillDisk}
echo no > run/node-upgrade.verdict
sed "s|^export LC_ALL.*|export PATH=${box.bin}:/usr/bin:/bin|" state/node-upgrade | bash > /dev/null 2>&1
cat running disk/go-node; sed -n 1,2p run/node-upgrade.end`,
    );
    expect(stdout).toContain(`${old}${old}stage=back\nwhy=no\n`);
  });

  test("is not put in place beside a move of the signer, or on a host that is given up", async ({ box }) => {
    const script = host(box);
    const all = functions(box, releaseOf(next));
    await box.run(`${script}${all}node_release_fetch`);
    box.mark("orchestrator.json", '{\n  "stage": "stopping",\n}\n');
    const busy = await box.run(`${all}node_release_swap`);
    expect([busy.code, busy.stderr]).toEqual([1, expect.stringContaining("found: its journal says stopping")]);
    rmSync(join(box.state, "orchestrator.json"));
    box.mark("retired");
    expect((await box.run(`${all}node_release_swap`)).stderr).toContain("it was shut down for good");
    expect([box.read("begun"), box.read("running")]).toEqual([undefined, old]);
  });

  test("a reboot before the swap leaves the version before, and one after it brings that back", async ({ box }) => {
    const reboot = () => box.run(`rm -rf run/* running; systemctl start go-node`);
    await begun(box);
    await reboot();
    await service(box, undefined);
    expect(box.read("running")).toBe(old);
    expect((await ends(box)).stage).toBe("back");
    await begun(box);
    await box.run("mv go-node.next go-node");
    await reboot();
    await service(box, undefined);
    expect([box.read("running"), box.read("go-node")]).toEqual([old, old]);
    expect(await ends(box)).toMatchObject({
      stage: "back",
      why: "the host was started anew before it was judged",
    });
  });
});

describe.concurrent("an upgrade that is killed at any command", () => {
  test.for([
    ["is good in the end", "good", next, 1],
    ["goes back in the end", "bad", old, 3],
  ] as const)("%s", { timeout: 300_000 }, async ([, verdict, expected, first], { box }) => {
    for (let at = first; ; at += 5) {
      for (const name of ["go-node.before", "go-node.next", "go-node.failed", "state/node.release", "begun"])
        rmSync(join(box.dir, name), { force: true });
      await begun(box);
      const { code } = await service(box, verdict, killedAt(at));
      expect(existsSync(join(box.dir, "go-node")), `killed at ${at}`).toBe(true);
      if (code === 0) {
        expect(at).toBeGreaterThan(20);
        break;
      }
      // systemd begins it again.
      await service(box, undefined);
      expect([box.read("running"), box.read("go-node"), (await ends(box)).atWork], `killed at ${at}`).toEqual([
        expected,
        expected,
        undefined,
      ]);
    }
  });
});
