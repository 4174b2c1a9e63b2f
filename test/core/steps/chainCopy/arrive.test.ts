import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { type ChainStage, test } from "./stage";

const arriving = ({ data }: ChainStage) => join(data, ".pillar-host-arriving");
const unit = ({ box }: ChainStage) => join(box.dir, "units/go-node.service.d/91-pillar-host-chain-copy.conf");

/** Creates a node that runs with its own databases, and a copy that has arrived. */
async function arrived(stage: ChainStage, names?: readonly string[]): Promise<void> {
  stage.databases(stage.data, "own");
  stage.box.write("active", "");
  await stage.call('chain_own_directory "$(chain_arriving)"');
  stage.databases(arriving(stage), "copy", names);
}

/** Ends the script with its subshells, as a kill does, right before the nth of the commands that change something. */
const killedAt = (at: number) => `
  echo 0 > "$sandbox/count"
  step() { echo $(($(< "$sandbox/count") + 1)) > "$sandbox/count"; [ "$(< "$sandbox/count")" -ne ${at} ] || kill -9 $$ "$BASHPID"; }
  mv() { step; command mv "$@"; }
  rm() { step; command rm "$@"; }
  sync() { step; }
  say() { if [ "$*" = nom ]; then step; fi; printf '%s\\n' "$*"; }`;

const own = { nom: "own", consensus: "own" };
const copy = { nom: "copy", consensus: "copy", cache: "copy" };

describe("a copy in place of the node's own databases", () => {
  test("is put in place of the stopped node's, and leaves nothing once it is accepted", async ({ stage }) => {
    await arrived(stage, ["nom", "consensus", "cache"]);
    expect(await stage.call("chain_swap")).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(stage.whose(stage.data)).toEqual(copy);
    expect(stage.box.read("active")).toBe("");
    expect((await stage.call("chain_accept")).code).toBe(0);
    expect(await stage.call("chain_end_new")).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(stage.whose(stage.data)).toEqual(copy);
    expect(stage.left()).toEqual([]);
    expect(existsSync(unit(stage))).toBe(false);
    expect(readdirSync(stage.box.state)).toEqual([]);
  });

  test("is replaced by the node's own databases if the node does not start with it", async ({ stage }) => {
    await arrived(stage, ["nom", "consensus", "cache"]);
    const { code, stderr } = await stage.call(
      "chain_swap",
      {},
      "wait_for_node() { return 1; }; node_facts() { echo facts; }",
    );
    expect(code).toBe(1);
    expect(stderr).toContain(
      "h: the node does not start with the copy; its own databases are back in their place\n  found: facts\n",
    );
    expect(stage.whose(stage.data)).toEqual(own);
    expect(stage.box.read("active")).toBe("");
    expect(stage.whose(arriving(stage))).toEqual(copy);
  });

  test("is kept for the next try if it is undone before it is accepted", async ({ stage }) => {
    await arrived(stage);
    await stage.call("chain_swap");
    expect((await stage.call("chain_undo")).code).toBe(0);
    expect(stage.whose(stage.data)).toEqual(own);
    expect(stage.left()).toEqual([".pillar-host-arriving"]);
    expect(stage.box.read("active")).toBe("");
    expect((await stage.call("chain_swap")).code).toBe(0);
    expect(stage.whose(stage.data)).toEqual({ nom: "copy", consensus: "copy" });
  });

  test("makes another start wait until it is complete", async ({ stage }) => {
    await arrived(stage);
    const hourly = `stop_node() {
      systemctl stop go-node
      (exec 8>&- 9>&-; systemctl start go-node) > /dev/null 2>&1 &
    }
    mv() { sleep 0.2; command mv "$@"; }`;
    expect(await stage.call("chain_swap; wait", {}, hourly)).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(stage.box.read("started")).toBe("copycopy\ncopycopy\n");
  });

  test("leaves one whole set after a kill at any step", async ({ stage }) => {
    let kills = 0;
    for (let at = 1; at < 80; at += 1) {
      const fresh = stage;
      await fresh.box.run(
        'rm -rf "$sandbox"/data/* "$sandbox"/data/.p* "$sandbox"/units/* "$sandbox"/state/* "$sandbox/started"',
      );
      await arrived(fresh, ["nom", "consensus", "cache"]);
      const { code } = await fresh.call("chain_swap", {}, killedAt(at));
      if (code === 0) break;
      kills += 1;
      await fresh.box.run("systemctl start go-node");
      const found = fresh.whose(fresh.data);
      expect([own, copy], `killed at ${at}`).toContainEqual(found);
      expect((await fresh.call("chain_undo")).stderr, `killed at ${at}`).toBe("");
      expect(fresh.whose(fresh.data), `killed at ${at}`).toEqual(own);
      expect(fresh.box.read("active"), `killed at ${at}`).toBe("");
    }
    expect(kills).toBeGreaterThan(8);
  });

  test("leaves one whole set after a kill at any step of its acceptance", async ({ stage }) => {
    let kills = 0;
    for (let at = 1; at < 20; at += 1) {
      await stage.box.run('rm -rf "$sandbox"/data/* "$sandbox"/data/.p* "$sandbox"/units/* "$sandbox"/state/*');
      await arrived(stage);
      await stage.call("chain_swap");
      const { code } = await stage.call("chain_accept", {}, killedAt(at));
      if (code === 0) break;
      kills += 1;
      expect((await stage.call("chain_undo")).stderr, `killed at ${at}`).toBe("");
      const found = stage.whose(stage.data);
      expect([own, { nom: "copy", consensus: "copy" }], `killed at ${at}`).toContainEqual(found);
    }
    expect(kills).toBeGreaterThan(3);
  });
});

describe("the remains of a copy", () => {
  const away = (stage: ChainStage, before = "") => stage.call("chain_away", {}, before);
  const told = "removed what an unfinished chain copy had left here; the node has its own databases\n";

  test("are nothing on a host without a copy: nothing is touched", async ({ stage }) => {
    stage.databases(stage.data, "own");
    const before = 'rm -f "$chain_owner"; chain_take() { echo taken; }';
    expect(await away(stage, before)).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(existsSync(join(stage.box.dir, "active"))).toBe(false);
  });

  test("are removed wherever it was interrupted, and the node has its own databases", async ({ stage }) => {
    for (const at of [0, 1, 3, 5, 7, 9, 99]) {
      await stage.box.run('rm -rf "$sandbox"/data/* "$sandbox"/data/.p* "$sandbox"/units/* "$sandbox"/state/*');
      await arrived(stage, ["nom", "consensus", "cache"]);
      if (at > 0) await stage.call("chain_swap", {}, killedAt(at));
      expect(await away(stage), `killed at ${at}`).toEqual({ code: 0, stdout: told, stderr: "" });
      expect(stage.whose(stage.data), `killed at ${at}`).toEqual(own);
      expect([stage.left(), existsSync(unit(stage)), readdirSync(stage.box.state)]).toEqual([[], false, []]);
      expect(stage.box.read("active"), `killed at ${at}`).toBe("");
    }
  });

  test("are left alone if they are another stack's", async ({ stage }) => {
    await arrived(stage);
    writeFileSync(join(arriving(stage), "made-by-pillar-host"), "pillar-host/other Anvil\n");
    const { code, stderr } = await away(stage);
    expect(code).toBe(1);
    expect(stderr).toContain(".pillar-host-arriving is not this stack's: it was left alone");
    expect(stage.whose(arriving(stage))).toEqual({ nom: "copy", consensus: "copy" });
  });
});

describe("received files", () => {
  test("are database files and nothing else", async ({ stage }) => {
    await arrived(stage);
    symlinkSync("/etc", join(arriving(stage), "cache"));
    symlinkSync("/etc/passwd", join(arriving(stage), "nom/000009.ldb"));
    mkdirSync(join(arriving(stage), "nom/deep"));
    writeFileSync(join(arriving(stage), "nom/deep/file"), "");
    mkdirSync(join(arriving(stage), "wallet"));
    expect(await stage.call("chain_only_files")).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(readdirSync(arriving(stage)).sort()).toEqual(["consensus", "made-by-pillar-host", "nom"]);
    expect(readdirSync(join(arriving(stage), "nom"))).toHaveLength(4);
  });

  test("are removed by their own names only", async ({ stage }) => {
    await arrived(stage);
    const remove = (path: string) =>
      stage.call("chain_remove", { remove: Buffer.from(`${path}\0`).toString("base64") });
    expect((await remove("nom/000002.ldb")).code).toBe(0);
    expect(existsSync(join(arriving(stage), "nom/000002.ldb"))).toBe(false);
    for (const path of ["../nom/CURRENT", "nom/../../nom/CURRENT", "/etc/passwd", "wallet/producer"])
      expect((await remove(path)).stderr, path).toContain("the old host names files outside of its databases");
    expect(stage.whose(stage.data)).toEqual(own);
  });
});

describe("sent files", () => {
  const sent = (stage: ChainStage, have: string, before = "") =>
    stage.call(
      "sent",
      {},
      `${before}
      sent() { printf '%s\\n%b' "$(printf '%b' '${have}' | wc -c)" '${have}' | ( chain_send ) | tar -t; }`,
    );

  test("are what the other host lacks: tables by name and size, and all changing files", async ({ stage }) => {
    stage.databases(join(stage.data, ".pillar-host-snapshot"), "old", ["nom", "consensus", "cache"]);
    const written = (name: string) => ["000003.log", "CURRENT", "MANIFEST-000001"].map((file) => `${name}/${file}`);
    const all = ["cache", "consensus", "nom"].flatMap((name) => [...written(name), `${name}/000002.ldb`]).sort();
    const first = await sent(stage, "");
    expect(first.stderr).toBe("");
    expect(first.stdout.trim().split("\n").sort()).toEqual(all);
    const again = await sent(stage, "7\\tnom/000002.ldb\\0008\\tcache/000002.ldb\\00016\\tnom/MANIFEST-000001\\000");
    expect(again.stdout.trim().split("\n").sort()).toEqual(all.filter((path) => path !== "nom/000002.ldb"));
  });

  test("are whole though the node deletes a table meanwhile", async ({ stage }) => {
    stage.databases(join(stage.data, ".pillar-host-snapshot"), "old");
    const ends = (code: number) =>
      sent(
        stage,
        "",
        `tar() { case $1 in --create) command tar "$@"; return ${code} ;; *) command tar "$@" ;; esac; }`,
      );
    expect(await ends(1)).toMatchObject({ code: 0, stderr: "" });
    expect((await ends(2)).code).not.toBe(0);
  });

  test("end if more comes than the old host announced", async ({ stage }) => {
    const receive = `received() {
      mkdir -p "$data_dir/.pillar-host-arriving"; exchange=$(mktemp -d); mkdir "$exchange/nom"
      head -c "$1" /dev/zero > "$exchange/nom/$2.ldb"
      tar -C "$exchange" -cf "$exchange/sent" nom
      chain_receive < "$exchange/sent" > /dev/null
    }`;
    const told = { total_bytes: "1000000" };
    expect(await stage.call("received 5000000 000001", told, receive)).toMatchObject({ code: 0, stderr: "" });
    // All connections together.
    const { code, stderr } = await stage.call("received 63000000 000002", told, receive);
    expect(code).not.toBe(0);
    expect(stderr).toContain(
      "the other host sent more than this host accepts\n  found: more than 60 MB\n  needed: no more than the old host announced, 1 MB",
    );
  });

  test("are sent at the configured rate", async ({ stage }) => {
    const began = Date.now();
    const { stdout } = await stage.call(
      "chain_slowly_three",
      { limit_mbps: "0.8" },
      "chain_slowly_three() { head -c 300000 /dev/zero | chain_slowly | wc -c; }",
    );
    expect(stdout.trim()).toBe("300000");
    expect(Date.now() - began).toBeGreaterThan(900);
  });
});
