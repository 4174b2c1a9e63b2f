import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { type ChainStage, test } from "./stage";

/** Creates a node whose height grows by one after this many requests. */
const momentums = (questions = 6) =>
  `count=$sandbox/count; echo 0 > "$count"
rpc() { local asked; asked=$(cat "$count"); echo $((asked + 1)) > "$count"; echo "{\\"height\\":$((1 + asked / ${questions})),\\"content\\":[]}"; }
sleep() { :; }`;

const place = ({ data }: ChainStage) => join(data, ".pillar-host-snapshot");

describe("the snapshot of a running node", () => {
  test("links its tables, and copies files that are still written", async ({ stage }) => {
    stage.databases(stage.data, "old", ["nom", "consensus", "cache"]);
    writeFileSync(join(stage.data, "nom/LOCK"), "");
    writeFileSync(join(stage.data, "network-private-key"), "secret");
    const { code, stdout, stderr } = await stage.call("chain_snapshot", {}, momentums());
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^height 2\nfiles 12\nbytes \d+\nend\n$/);
    expect(readdirSync(place(stage)).sort()).toEqual(["cache", "consensus", "made-by-pillar-host", "nom"]);
    expect(readdirSync(join(place(stage), "nom")).sort()).toEqual([
      ...["000002.ldb", "000003.log", "CURRENT", "MANIFEST-000001"],
    ]);
    const same = (file: string) => statSync(join(stage.data, file)).ino === statSync(join(place(stage), file)).ino;
    expect(same("nom/000002.ldb")).toBe(true);
    expect(["CURRENT", "MANIFEST-000001", "000003.log"].filter((name) => same(`nom/${name}`))).toEqual([]);
  });

  test("is repeated if a momentum came meanwhile, and fails in the end", async ({ stage }) => {
    stage.databases(stage.data, "old");
    const once = `${momentums()}; chain_link() { [ -e "$sandbox/came" ] || { : > "$sandbox/came"; echo 100 > "$count"; }; }`;
    expect((await stage.call("chain_snapshot", {}, once)).stdout).toMatch(/^height 18\n/);
    const { code, stderr } = await stage.call("chain_snapshot", {}, momentums(1));
    expect(code).toBe(1);
    expect(stderr).toContain("h: the node wrote to its databases during each attempt to link them\n  found: ");
  });

  test("is repeated if the database changed", async ({ stage }) => {
    stage.databases(stage.data, "old");
    const moves = `${momentums()}
      eval "real_$(declare -f chain_link)"
      chain_link() { real_chain_link "$@" || return; [ -e "$sandbox/moved" ] || { : > "$sandbox/moved"; return 3; }; }`;
    expect((await stage.call("chain_snapshot", {}, moves)).stdout).toMatch(/^height 3\n/);
    const link = (before: string) =>
      stage.call(`chain_link "${stage.data}/nom" "${stage.box.dir}/to"`, {}, `mkdir -p "$sandbox/to"; ${before}`);
    expect((await link("")).code).toBe(0);
    writeFileSync(join(stage.data, "nom/CURRENT"), "MANIFEST-000009\n");
    expect((await link("")).code).toBe(3);
  });

  test("is not made of a node that receives no momentums", async ({ stage }) => {
    stage.databases(stage.data, "old");
    const { code, stderr } = await stage.call(
      "chain_snapshot",
      {},
      `rpc() { :; }; sleep() { SECONDS=$((SECONDS + 100)); }`,
    );
    expect(code).toBe(1);
    expect(stderr).toContain("h: the node of this host receives no momentum\n  found: height unknown");
  });

  test("is removed at the end of the copy, also of a killed run", async ({ stage }) => {
    stage.databases(stage.data, "old");
    await stage.call("chain_snapshot", {}, momentums());
    expect((await stage.call("chain_end_old", { token: "t2" })).code).toBe(0);
    expect(stage.left()).toEqual([]);
    expect(existsSync(stage.box.state)).toBe(false);
    expect(stage.whose(stage.data)).toEqual({ nom: "old", consensus: "old" });
    expect(readFileSync(join(stage.data, "nom/000002.ldb"), "utf8")).toBe("old nom");
  });

  test("is removed only with this stack's marker", async ({ stage }) => {
    // A full disk leaves an empty marker.
    for (const marker of [[], ["made-by-pillar-host"]]) {
      mkdirSync(place(stage));
      for (const name of marker) writeFileSync(join(place(stage), name), "");
      expect((await stage.call("chain_end_old")).code).toBe(0);
      expect(stage.left()).toEqual([]);
    }
    stage.databases(place(stage), "somebody");
    for (const marker of ["", "pillar-host/other Anvil\n"]) {
      if (marker) writeFileSync(join(place(stage), "made-by-pillar-host"), marker);
      const { code, stderr } = await stage.call("chain_end_old");
      expect(code).toBe(1);
      expect(stderr).toContain("is not this stack's: it was left alone");
      expect(stage.whose(place(stage))).toEqual({ nom: "somebody", consensus: "somebody" });
    }
  });

  test("is released by the host itself if no run renews its claim", async ({ stage }) => {
    stage.databases(stage.data, "old");
    await stage.call("chain_snapshot", {}, momentums());
    const script = join(stage.box.state, "chain-copy.end");
    writeFileSync(script, readFileSync(script, "utf8").replace("copy_take_back ()", "unused ()"));
    const { stdout } = await stage.box.run(
      `copy_take_back() { echo taken back; }; export -f copy_take_back; touch -d '2000 seconds ago' state/chain-copy.owner; bash "${script}"`,
    );
    expect([stdout, stage.left()]).toEqual(["taken back\n", []]);
  });
});

test("the running cleanup script is not changed", async ({ stage }) => {
  const script = join(stage.box.state, "chain-copy.end");
  await stage.call("chain_watch_lease");
  const [opened, text] = [openSync(script, "r"), readFileSync(script, "utf8")];
  await stage.call("chain_watch_lease", { login_user: "somebody-with-a-long-name" });
  expect([readFileSync(opened, "utf8"), readFileSync(script, "utf8") === text]).toEqual([text, false]);
  closeSync(opened);
});

describe("the claim on a host", () => {
  test("belongs to a stack's newest run; the earlier one does nothing more", async ({ stage }) => {
    expect((await stage.call("chain_take", { token: "t1" })).code).toBe(0);
    expect((await stage.call("chain_take", { token: "t2" })).code).toBe(0);
    const { code, stderr } = await stage.call("chain_old_now", {}, "chain_take() { :; }");
    expect(code).toBe(75);
    expect(stderr).toContain("h: another run has taken this copy over");
  });

  test("is not taken from another stack at work", async ({ stage }) => {
    await stage.call("chain_take", { stack_identity: "pillar-host/other Anvil" });
    const { code, stderr } = await stage.call("chain_take");
    expect(code).toBe(75);
    expect(stderr).toContain("another stack copies the chain from this host now: pillar-host/other Anvil");
    await stage.box.run(`touch -d '2000 seconds ago' "${stage.box.state}/chain-copy.owner"`);
    expect((await stage.call("chain_take")).code).toBe(0);
  });
});

test("reads the facts of a host before the copy", async ({ stage }) => {
  stage.databases(stage.data, "old", ["nom"]);
  symlinkSync("/somewhere", join(stage.data, "consensus"));
  writeFileSync(join(stage.data, "network-private-key"), "key");
  const { stdout } = await stage.call("chain_facts");
  const key = "2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683";
  expect(stdout).toMatch(
    new RegExp(
      `^nom=there\nconsensus=link\ncache=none\nbytes=\\d+\nfree=\\d+\nstaged=0\nnetworkKey=${key}\nload=.*\nend=yes\n$`,
    ),
  );
});
