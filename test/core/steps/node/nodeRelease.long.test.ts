import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { formatJournal } from "../../../../core/orchestrator/rules/journal.ts";
import { exampleJournal } from "../../orchestrator/exampleMove.ts";
import { fillDisk, killedAt, onSmallDisk, type Sandbox, test } from "../sandbox.ts";
import { begun, ends, functions, host, next, old, program, releaseOf, service } from "./nodeReleaseHost.ts";

describe.concurrent("the node's release", () => {
  test("is fetched and checked, put in place, and kept once it proved good", async ({ box }) => {
    await begun(box);
    expect(box.read("running")).toBe(old);
    expect(await service(box, "good")).toMatchObject({ code: 0, stderr: "" });
    expect([box.read("running"), box.read("go-node"), box.read("go-node.before")]).toEqual([next, next, old]);
    const end = await ends(box);
    expect(end).toMatchObject({ stage: "done", installed: "yes" });
    expect([end.atWork, end.replaced]).toEqual([undefined, undefined]);
    expect(Number(end.without)).toBeGreaterThan(0);
    expect((await box.run("ls units")).stdout).toBe("");
    // Somebody replaces the program by the controller's version.
    box.write("go-node", old);
    expect(await ends(box)).toMatchObject({ installed: "v0.0.10", replaced: "yes" });
  });

  test.for([
    ["it follows a fork, by the run's verdict", next, "the node is on another chain", "the node is on another chain"],
    ["it adds no momentum, by the run's verdict", next, "its height has not moved", "its height has not moved"],
    ["no verdict comes", next, undefined, "the run that judges it gave no verdict within 1 s"],
    ["it does not start", program("v0.0.10", "dead"), "good", "it stops by itself: panic: no such thing"],
    ["its RPC does not answer", program("v0.0.10", "deaf"), "good", "its RPC does not answer within 1 s"],
  ] as const)("is replaced by the previous version if %s", async ([, served, verdict, why], { box }) => {
    await begun(box, served);
    expect((await service(box, verdict)).code).toBe(0);
    expect([box.read("running"), box.read("go-node"), box.read("go-node.failed")]).toEqual([old, old, served]);
    expect(await ends(box)).toMatchObject({ stage: "back", why });
  });

  test("stays if it can't be rolled back, and says so", async ({ box }) => {
    await begun(box, next, { may_go_back: false });
    await service(box, "the node is on another chain");
    expect(box.read("running")).toBe(next);
    expect(await ends(box)).toMatchObject({ stage: "stuck", why: "the node is on another chain", installed: "yes" });
  });

  test("is replaced if the run that judges it is gone, also while its RPC does not answer yet", async ({ box }) => {
    await begun(box, program("v0.0.10", "deaf"), { answer_seconds: 600, judge_seconds: 600, seen_seconds: 0 });
    await service(box, undefined);
    expect(box.read("running")).toBe(old);
    expect(await ends(box)).toMatchObject({ stage: "back", why: "the run that judges it is gone" });
  });

  test("is not taken for unwatched at the moment when its run writes that it looks", async ({ box }) => {
    await begun(box);
    box.write("run/node-upgrade.seen", "");
    await service(box, undefined);
    expect((await ends(box)).why).toBe("the run that judges it gave no verdict within 1 s");
  });

  test("is waited for while it reads its database, and the lookup tells how far it is", async ({ box }) => {
    await begun(box, program("v0.0.10", "deaf"), { answer_seconds: 2 });
    // Each new line comes within the limit after the one before; the fourth is the last.
    box.command(
      "journalctl",
      `case "$*" in *short-unix*) ;; *) exit ;; esac
n=$(($(cat "$sandbox/lines" 2> /dev/null || echo 0) + 1)) && echo $n > "$sandbox/lines"
n=$((n < 4 ? n : 4)); echo "176441000$n.5 h go-node[7]: Initializing cache: $((n * 20))%"`,
    );
    await service(box, "good");
    expect(box.read("run/node-upgrade.opening")?.trim()).toBe("80");
    expect(await ends(box)).toMatchObject({ stage: "back", why: "its RPC does not answer within 2 s" });
  });

  test("changes nothing if the program can't be replaced, and never stops the node", async ({ box }) => {
    await begun(box);
    box.command("mv", `echo "mv: cannot move 'a' to 'b': Device or resource busy" >&2; exit 1`);
    expect((await service(box, "good")).code).toBe(0);
    expect([box.read("running"), box.read("go-node"), box.read("stops")]).toEqual([old, old, undefined]);
    const why = expect.stringContaining("go-node can't be replaced: Device or resource busy. See: findmnt -T ");
    expect(await ends(box)).toMatchObject({ stage: "kept", why });
    expect((await box.run("ls units")).stdout).toBe("");
  });

  test("keeps running if the previous program can't be put back", async ({ box }) => {
    await begun(box);
    box.command(
      "mv",
      `case $* in *before*) echo "mv: cannot move: Read-only file system" >&2; exit 1 ;; esac; exec /bin/mv "$@"`,
    );
    await service(box, "it follows a fork");
    expect([box.read("running"), box.read("go-node")]).toEqual([next, next]);
    const why = expect.stringMatching(/^it follows a fork; .*go-node can't be replaced: Read-only file system/);
    expect(await ends(box)).toMatchObject({ stage: "stuck", why });
  });

  test.for([
    ["starts another program than the node", { service: "pillar" }, "pillar does not start the node's program itself"],
    ["was stopped", {}, "go-node was stopped, and an upgrade would start it"],
    ["starts a script", {}, "go-node are not of one kind"],
  ] as const)("is refused on an adopted host whose unit %s", async ([unit, more, words], { box }) => {
    const script = host(box);
    if (unit === "was stopped") rmSync(join(box.dir, "running"));
    if (unit === "starts a script") box.write("go-node", old.replace("#!", "E"));
    const { code, stderr } = await box.run(`${script}${functions(box, releaseOf(next), more)}node_release_fetch`);
    expect([code, stderr]).toEqual([1, expect.stringContaining(words)]);
    expect(box.read("go-node.next")).toBeUndefined();
  });

  const newer = program("v0.0.11");
  const otherMachine = "\u007fELF\u0002\u0001\u0001 arm";
  test.for([
    ["another hash", next, { ...releaseOf(next), sha256: "0".repeat(64) }, "is not the one that node.release.sha256"],
    ["another version", newer, releaseOf(newer), "found: v0.0.11 of go-node.zip\n  needed: v0.0.10,"],
    [
      "another machine",
      otherMachine,
      releaseOf(otherMachine),
      "found: a program for another processor\n  needed: a release for ",
    ],
  ] as const)("changes nothing if the download has %s", async ([, served, release, words], { box }) => {
    const script = host(box, served);
    const { code, stderr } = await box.run(`${script}${functions(box, release)}node_release_fetch`);
    expect([code, stderr]).toEqual([1, expect.stringContaining(words)]);
    expect(box.read("running")).toBe(old);
    expect((await box.run("ls -A | grep go-node; cat go-node")).stdout).toBe(`go-node\n${old}`);
  });

  /** Runs a script on a host whose program is on a small disk. FETCH, SWAP, LOOK and SERVICE are calls. */
  const onFullDisk = (box: Sandbox, script: string, room = 0) => {
    const begin = host(box, next, `${box.dir}/disk`);
    const all = functions(box, releaseOf(next)).replace("release_room=0", `release_room=${room}`);
    const calls = script.replace(/FETCH|SWAP|LOOK|SERVICE/g, (name) =>
      name === "SERVICE"
        ? "/bin/bash state/node-upgrade > /dev/null 2>&1"
        : `(${all}node_release_${name.toLowerCase()})`,
    );
    return onSmallDisk(box, 512, `mv go-node disk/go-node\n${begin}${calls}`);
  };

  test("fetches nothing without disk space, and the node keeps running", async ({ box }) => {
    const { stdout, stderr } = await onFullDisk(box, "set +e\nFETCH\nls -A disk; cat running", 2);
    expect(stderr).toContain("there is no room for the node's release");
    expect(stdout).toBe(`go-node\n${old}`);
  });

  test("rolls back even on a full disk", async ({ box }) => {
    const verdict = `${fillDisk}\necho no > run/node-upgrade.verdict\nSERVICE`;
    const ends = "cat running disk/go-node; sed -n 1,2p run/node-upgrade.end";
    const { stdout } = await onFullDisk(box, `FETCH\nSWAP\n${verdict}\n${ends}`);
    expect(stdout).toContain(`${old}${old}stage=back\nwhy=no\n`);
  });

  test("stays if the disk has no room for the last note, and the lookup reports the end", async ({ box }) => {
    const { stdout } = await onFullDisk(
      box,
      `ln disk/go-node disk/held; mv state disk/state; ln -s disk/state state\nFETCH\nSWAP\n${fillDisk}
echo good > run/node-upgrade.verdict\nSERVICE\ncat running disk/go-node; ls state units; LOOK\nrm disk/filler; FETCH; LOOK`,
    );
    const [untilFull, ofNext] = stdout.split(`${next}${next}`);
    expect(untilFull).toContain("is downloaded and checked");
    expect(ofNext).not.toContain("node.upgrade");
    expect(ofNext).toContain("stage=done\nwhy=\n");
    // Once there is room, the next run records the installed version without another swap.
    expect(ofNext?.slice(ofNext.indexOf("stage=done"))).toMatch(/installed=yes\n$/);
    expect(box.read("stops")).toBe("stop\n");
  });

  test("is not put in place during a move of the orchestrator, or on a retired host", async ({ box }) => {
    const script = host(box);
    const all = functions(box, releaseOf(next));
    await box.run(`${script}${all}node_release_fetch`);
    // A rollback of the last one would start the orchestrator here again.
    for (const stage of ["stopping", "fenced"] as const) {
      box.mark("orchestrator.json", formatJournal(exampleJournal("old", stage)));
      const busy = await box.run(`${all}node_release_swap`);
      expect([busy.code, busy.stderr]).toEqual([1, expect.stringContaining(`found: its journal says ${stage}`)]);
    }
    rmSync(join(box.state, "orchestrator.json"));
    box.mark("retired");
    expect((await box.run(`${all}node_release_swap`)).stderr).toContain("it was shut down for good");
    expect([box.read("begun"), box.read("running")]).toEqual([undefined, old]);
  });

  test("stays the earlier one after a reboot before the swap, and is rolled back after a later one", async ({
    box,
  }) => {
    const reboot = () => box.run(`rm -rf run/* running; systemctl start go-node`);
    await begun(box);
    await reboot();
    await service(box, undefined);
    expect(box.read("running")).toBe(old);
    expect((await ends(box)).stage).toBe("kept");
    await begun(box);
    await box.run("mv go-node.next go-node");
    await reboot();
    await service(box, undefined);
    expect([box.read("running"), box.read("go-node")]).toEqual([old, old]);
    expect(await ends(box)).toMatchObject({ stage: "back", why: "the host rebooted before the verdict" });
  });
});

/** Commands of the service that change the host. */
const effects = "mv*|ln*|rm*|systemctl\\ [!s]*|systemctl\\ st*";

describe.concurrent("an upgrade that is killed at any of its effects", () => {
  test.for([
    ["ends with the new version", "good", next, 9],
    ["ends with the previous version", "bad", old, 13],
  ] as const)("%s", { timeout: 300_000 }, async ([, verdict, expected, least], { box }) => {
    const files = "go-node* running state run units";
    await begun(box);
    await box.run(`mkdir saved; cp -a ${files} saved/`);
    for (let at = 1; ; at += 1) {
      await box.run(`rm -rf ${files}; cp -a saved/* .`);
      const { code } = await service(box, verdict, killedAt(at, effects));
      expect(existsSync(join(box.dir, "go-node")), `killed at ${at}`).toBe(true);
      if (code === 0) {
        expect(at).toBeGreaterThan(least);
        break;
      }
      // systemd begins it again.
      await service(box, undefined);
      expect([box.read("running"), box.read("go-node")], `killed at ${at}`).toEqual([expected, expected]);
      expect((await ends(box)).atWork, `killed at ${at}`).toBeUndefined();
    }
  });
});
