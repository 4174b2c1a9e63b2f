import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { type ChainStage, test } from "./stage.ts";

const arriving = ({ data }: ChainStage) => join(data, ".pillar-host-arriving");
const unit = ({ box }: ChainStage) => join(box.dir, "units/go-node.service.d/91-pillar-host-chain-copy.conf");

/** Creates a node that runs with its own databases, and a copy that has arrived. */
function arrived(stage: ChainStage, names: readonly string[] = ["nom", "consensus", "cache"]): void {
  for (const place of ["data", "units", "state"]) {
    rmSync(join(stage.box.dir, place), { recursive: true, force: true });
    mkdirSync(join(stage.box.dir, place));
  }
  stage.databases(stage.data, "own");
  stage.box.write("active", "");
  stage.databases(arriving(stage), "copy", names);
  writeFileSync(join(arriving(stage), "made-by-pillar-host"), "pillar-host/prod Anvil\n");
}

/** Ends the script with its subshells, as a kill does, right before the nth of the commands that change something. */
const killedAt = (at: number) => `
  echo 0 > "$sandbox/count"
  step() { echo $(($(< "$sandbox/count") + 1)) > "$sandbox/count"; [ "$(< "$sandbox/count")" -ne ${at} ] || kill -9 $$ "$BASHPID"; }
  mv() { step; command mv "$@"; }
  rm() { step; command rm "$@"; }
  sync() { step; }
  systemctl() { step; command systemctl "$@"; }
  say() { if [ "$*" = nom ]; then step; fi; printf '%s\\n' "$*"; }`;

const ran = { code: 0, stdout: "", stderr: "" };
const own = { nom: "own", consensus: "own" };
const copy = { nom: "copy", consensus: "copy", cache: "copy" };
const isActive = ({ box }: ChainStage) => box.read("active") === "";

describe("a copy in place of the node's own databases", () => {
  test("is replaced by the node's own databases if the node does not start with it", async ({ stage }) => {
    arrived(stage);
    const failing = "wait_for_node() { return 1; }; node_facts() { echo facts; }";
    const { code, stderr } = await stage.call("chain_swap", {}, failing);
    const words = "the node does not start with the copy; its own databases are back in their place\n  found: facts\n";
    expect([code, stderr]).toEqual([1, expect.stringContaining(`h: ${words}`)]);
    expect([stage.whose(stage.data), isActive(stage), stage.whose(arriving(stage))]).toEqual([own, true, copy]);
  });

  test("is kept for the next try if it is undone before it is accepted", async ({ stage }) => {
    arrived(stage);
    await stage.call("chain_swap");
    expect(await stage.call("chain_undo")).toEqual(ran);
    expect([stage.whose(stage.data), isActive(stage), stage.left()]).toEqual([own, true, [".pillar-host-arriving"]]);
    expect(await stage.call("chain_swap")).toEqual(ran);
    expect(stage.whose(stage.data)).toEqual(copy);
  });

  test("renews the mark of the gate once it is accepted, but makes none", async ({ stage }) => {
    arrived(stage);
    await stage.call("chain_swap");
    await stage.call("chain_accept");
    expect(stage.box.read("state/synced")).toBeUndefined();
    stage.box.mark("synced", "2026-01-02T03:04:05Z\n");
    await stage.call("chain_accept");
    expect(stage.box.read("state/synced")).toMatch(/^20\d\d-.*Z\n$/);
    expect(stage.box.read("state/synced")).not.toContain("2026-01-02");
  });

  test("does not stop the node while the orchestrator is moved", async ({ stage }) => {
    arrived(stage);
    const { code, stderr } = await stage.call(
      "chain_swap",
      {},
      "orchestrator_at_work() { echo 'its journal says staged'; }",
    );
    expect([code, stderr]).toEqual([1, expect.stringContaining("found: its journal says staged")]);
    expect([stage.whose(stage.data), isActive(stage), stage.whose(arriving(stage))]).toEqual([own, true, copy]);
  });

  test("lets nobody start the node until it is complete", async ({ stage }) => {
    arrived(stage);
    const hourly = "stop_node() { systemctl stop go-node; systemctl start go-node; }";
    expect(await stage.call("chain_swap", {}, hourly)).toEqual(ran);
    expect(stage.box.read("started")).toBe("copycopy\n");
  });

  test.for([
    ["itself", "", "chain_swap", 10],
    ["its acceptance", "chain_swap", "chain_accept", 3],
    ["its return", "chain_swap", "chain_undo", 10],
  ] as const)(
    "leaves one whole set after a kill at any step of %s",
    { timeout: 300_000 },
    async ([, before, killed, least], { stage }) => {
      // As after an hourly restart, or a reboot.
      const restart =
        'restart() { systemctl start go-node; [ ! -e "$sandbox/active" ] || cat "$data_dir"/*/MANIFEST*; chain_undo; }';
      for (let at = 1; ; at += 2) {
        arrived(stage);
        if (before) await stage.call(before);
        const { code } = await stage.call(killed, {}, killedAt(at));
        if (code === 0) return expect(at).toBeGreaterThan(least);
        const { stdout, stderr } = await stage.call("restart", {}, restart);
        expect(["", "ownown", "copycopycopy"], `killed at ${at}`).toContain(stdout);
        expect([stderr, isActive(stage)], `killed at ${at}`).toEqual(["", true]);
        expect(killed === "chain_accept" ? [own, copy] : [own]).toContainEqual(stage.whose(stage.data));
      }
    },
  );
});

describe("the remains of a copy", () => {
  const stdout = "removed what an unfinished chain copy had left here; the node has its own databases\n";

  test("are nothing on a host without a copy: nothing is touched", async ({ stage }) => {
    stage.databases(stage.data, "own");
    expect(await stage.call("chain_away", {}, 'rm -f "$chain_lock"; chain_take() { echo taken; }')).toEqual(ran);
    expect(existsSync(join(stage.box.dir, "active"))).toBe(false);
  });

  test("are removed wherever it was interrupted, and the node has its own databases", async ({ stage }) => {
    for (const at of [0, 1, 3, 5, 7, 9, 99]) {
      arrived(stage);
      if (at > 0) await stage.call("chain_swap", {}, killedAt(at));
      expect(await stage.call("chain_away"), `killed at ${at}`).toEqual({ ...ran, stdout });
      expect([stage.whose(stage.data), isActive(stage)], `killed at ${at}`).toEqual([own, true]);
      expect([stage.left(), existsSync(unit(stage)), readdirSync(stage.box.state)]).toEqual([[], false, []]);
    }
  });
});

describe("the remains of a copy, while another run has the lease", () => {
  const wait = "sleep() { echo slept; }";

  test("stay until a killed run's provider has ended", async ({ stage }) => {
    arrived(stage);
    // The stage itself takes the lease first.
    const busy = `chain_take() { echo >> "$state/tries"; if [ "$(wc -l < "$state/tries")" = 2 ]; then echo held 5 - other; else lease_take chain-copy "$chain_lease_seconds" "$stack_identity"; fi; }`;
    const { stdout } = await stage.call("chain_away", {}, `${wait}; ${busy}`);
    expect(stdout).toMatch(/^slept\nremoved what/);
    expect(stage.left()).toEqual([]);
  });

  test("stay if that run goes on", async ({ stage }) => {
    arrived(stage);
    const { stdout, stderr } = await stage.call("chain_away", {}, `${wait}; chain_take() { echo held 5 - other; }`);
    expect(stdout.match(/slept/g)).toHaveLength(19);
    expect(stderr).toContain("another run copies the chain to this host");
  });
});

describe("received files", () => {
  test("are database files and nothing else", async ({ stage }) => {
    arrived(stage, ["nom", "consensus"]);
    symlinkSync("/etc", join(arriving(stage), "cache"));
    symlinkSync("/etc/passwd", join(arriving(stage), "nom/000009.ldb"));
    mkdirSync(join(arriving(stage), "nom/deep"));
    writeFileSync(join(arriving(stage), "nom/deep/file"), "");
    mkdirSync(join(arriving(stage), "wallet"));
    expect(await stage.call("chain_only_files")).toEqual(ran);
    expect(readdirSync(arriving(stage)).sort()).toEqual(["consensus", "made-by-pillar-host", "nom"]);
    expect(readdirSync(join(arriving(stage), "nom"))).toHaveLength(4);
  });

  test("are removed by their own names only", async ({ stage }) => {
    arrived(stage);
    const remove = (path: string) =>
      stage.call("chain_remove", { retake: Buffer.from(`${path}\0`).toString("base64") });
    expect(await remove("nom/000002.ldb")).toEqual(ran);
    expect(existsSync(join(arriving(stage), "nom/000002.ldb"))).toBe(false);
    for (const path of ["../nom/CURRENT", "nom/../../nom/CURRENT", "/etc/passwd", "wallet/producer"])
      expect((await remove(path)).stderr, path).toContain("the other host names files outside of its directory");
    expect(stage.whose(stage.data)).toEqual(own);
  });

  test("are no more than the old host announced, in all connections together", async ({ stage }) => {
    const receive = `received() {
      mkdir -p "$data_dir/.pillar-host-arriving"; exchange=$(mktemp -d); mkdir "$exchange/nom"
      head -c "$1" /dev/zero > "$exchange/nom/$2.ldb"
      tar -C "$exchange" -cf "$exchange/sent" nom
      chain_receive < "$exchange/sent" > /dev/null
    }`;
    const announced = { total_bytes: "1000000" };
    expect(await stage.call("received 5000000 000001", announced, receive)).toMatchObject({ code: 0, stderr: "" });
    const { code, stderr } = await stage.call("received 63000000 000002", announced, receive);
    expect(code).not.toBe(0);
    expect(stderr).toContain(
      "the other host sent more than this host accepts\n  found: more than 60 MB\n  needed: no more than the old host announced, 1 MB",
    );
  });

  test("that do not fit end the copy with a code of its own, and a broken connection does not", async ({ stage }) => {
    arrived(stage);
    const exchanged = (said: string, full: string) => `copy_exchange() { copy_said="${said}" copy_full=${full}; }`;
    const variables = { total_bytes: "1000000", copy_address: "192.0.2.1", copy_port: "22" };
    const end = async (said: string, full = "") =>
      (await stage.call("chain_copy", variables, exchanged(said, full))).code;
    expect(await end("tar: nom/000900.ldb: Cannot write: No space left on device")).toBe(28);
    expect(await end("h: the other host sent more than this host accepts", "28")).toBe(28);
    expect(await end("ssh: connection reset by peer")).toBe(1);
    const bounded = `bounded() { exchange=$(mktemp -d); copy_bounded "$1" room > /dev/null || true; ls "$exchange"; }`;
    expect((await stage.call("bounded 5 <<< 12345678", {}, bounded)).stdout).toBe("full\n");
    expect((await stage.call("bounded 9 <<< 12345678", {}, bounded)).stdout).toBe("");
  });

  test("come at the configured rate", async ({ stage }) => {
    const began = Date.now();
    const slowly = "slowly() { head -c 300000 /dev/zero | chain_slowly | wc -c; }";
    expect((await stage.call("slowly", { limit_mbps: "0.8" }, slowly)).stdout.trim()).toBe("300000");
    expect(Date.now() - began).toBeGreaterThan(900);
  });
});

describe("sent files", () => {
  const sent = (stage: ChainStage, have: string, before = "") => {
    const script = `sent() { printf '%s\\n%b' "$(printf '%b' '${have}' | wc -c)" '${have}' | ( chain_send ) | tar -t; }`;
    return stage.call("sent", {}, `${before}\n${script}`);
  };

  test("are what the other host lacks: tables by name and size, and all changing files", async ({ stage }) => {
    stage.databases(join(stage.data, ".pillar-host-snapshot"), "old", ["nom", "consensus", "cache"]);
    const files = ["000002.ldb", "000003.log", "CURRENT", "MANIFEST-000001"];
    const all = ["cache", "consensus", "nom"].flatMap((name) => files.map((file) => `${name}/${file}`));
    const first = await sent(stage, "");
    expect([first.stderr, first.stdout.trim().split("\n").sort()]).toEqual(["", all]);
    const again = await sent(stage, "7\\tnom/000002.ldb\\0008\\tcache/000002.ldb\\00016\\tnom/MANIFEST-000001\\000");
    expect(again.stdout.trim().split("\n").sort()).toEqual(all.filter((path) => path !== "nom/000002.ldb"));
  });

  test("are whole though the node deletes a table meanwhile", async ({ stage }) => {
    stage.databases(join(stage.data, ".pillar-host-snapshot"), "old");
    const tar = (code: number) =>
      `tar() { case $1 in --create) command tar "$@"; return ${code} ;; *) command tar "$@" ;; esac; }`;
    const ends = (code: number) => sent(stage, "", tar(code));
    expect(await ends(1)).toMatchObject({ code: 0, stderr: "" });
    expect((await ends(2)).code).not.toBe(0);
  });
});
