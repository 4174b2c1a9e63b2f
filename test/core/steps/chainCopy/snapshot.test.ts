import { createHash } from "node:crypto";
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { parseHashes } from "../../../../core/chainCopy/transfer.ts";
import { parseFacts } from "../../../../core/host/facts.ts";
import { type ChainStage, test } from "./stage.ts";

/** Creates a node whose height grows by one after this many requests. */
const momentums = (questions = 6) =>
  `count=$sandbox/count; echo 0 > "$count"
rpc() { local asked; asked=$(cat "$count"); echo $((asked + 1)) > "$count"; echo "{\\"height\\":$((1 + asked / ${questions})),\\"content\\":[]}"; }
sleep() { :; }`;

const place = ({ data }: ChainStage) => join(data, ".pillar-host-snapshot");
const snapshot = (stage: ChainStage, before = momentums()) => {
  stage.databases(stage.data, "old", ["nom", "consensus", "cache"]);
  return stage.call("chain_snapshot", {}, before);
};
const whole = { nom: "old", consensus: "old", cache: "old" };

/** Returns the lease of a killed run, which has this many seconds left. */
const killed = (left = 300) => `t1 ${Math.floor(Date.now() / 1000) + left} 1:1 pillar-host/prod Anvil\n`;

describe("the snapshot of a running node", () => {
  test("links its tables, and copies files that are still written", async ({ stage }) => {
    mkdirSync(join(stage.data, "nom"));
    writeFileSync(join(stage.data, "nom/LOCK"), "");
    writeFileSync(join(stage.data, "network-private-key"), "secret");
    const { code, stdout, stderr } = await snapshot(stage);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^height 2\nfiles 12\nbytes \d+\nend\n$/);
    expect(readdirSync(place(stage)).sort()).toEqual(["cache", "consensus", "made-by-pillar-host", "nom"]);
    const names = ["000002.ldb", "000003.log", "CURRENT", "MANIFEST-000001"];
    expect(readdirSync(join(place(stage), "nom")).sort()).toEqual(names);
    const inode = (at: string, name: string) => fs.statSync(join(at, "nom", name)).ino;
    expect(names.filter((name) => inode(stage.data, name) === inode(place(stage), name))).toEqual(["000002.ldb"]);
  });

  const silent = "rpc() { :; }; sleep() { SECONDS=$((SECONDS + 100)); }";
  const once = (link: string) =>
    `${momentums()}\neval "real_$(declare -f chain_link)"
chain_link() { real_chain_link "$@" || return; [ -e "$sandbox/once" ] || { : > "$sandbox/once"; ${link}; }; }`;
  test.for([
    ["a momentum came meanwhile", 'echo 100 > "$count"', /^height 18\n/],
    ["the database changed", "return 3", /^height 3\n/],
  ] as const)("is repeated if %s", async ([, link, stdout], { stage }) => {
    expect((await snapshot(stage, once(link))).stdout).toMatch(stdout);
  });

  test.for([
    ["momentums in every attempt", momentums(1), "the node wrote to its databases during each attempt to link them"],
    ["no momentums", silent, "the node of this host receives no momentum\n  found: height unknown"],
  ] as const)("is not made with %s", async ([, before, words], { stage }) => {
    const { code, stderr } = await snapshot(stage, before);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`h: ${words}`)]);
  });

  test("is not made of a database whose manifest is another one by now", async ({ stage }) => {
    stage.databases(stage.data, "old");
    const link = () => stage.call(`chain_link "${stage.data}/nom" "${stage.box.dir}/to"`, {}, 'mkdir -p "$sandbox/to"');
    expect((await link()).code).toBe(0);
    writeFileSync(join(stage.data, "nom/CURRENT"), "MANIFEST-000009\n");
    expect((await link()).code).toBe(3);
  });

  test("is removed at the end of the copy, also of a killed run", async ({ stage }) => {
    await snapshot(stage);
    stage.box.mark("chain-copy.lock", killed());
    expect((await stage.call("chain_end_old", { token: "t2" })).code).toBe(0);
    expect([stage.left(), existsSync(stage.box.state), stage.whose(stage.data)]).toEqual([[], false, whole]);
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
      expect([code, stderr]).toEqual([1, expect.stringContaining("is not this stack's: it was left alone")]);
      expect(stage.whose(place(stage))).toEqual({ nom: "somebody", consensus: "somebody" });
    }
  });

  test("is removed by the host itself if no run renews its lease", async ({ stage }) => {
    await snapshot(stage);
    const script = join(stage.box.state, "chain-copy.end");
    writeFileSync(
      script,
      readFileSync(script, "utf8").replace("copy_take_back ()", "copy_take_back () { echo taken back; }\nunused ()"),
    );
    const unit = join(stage.box.dir, "units/pillar-host-chain-copy-end.service");
    const enabled = "units/multi-user.target.wants/pillar-host-chain-copy-end.service";
    // Starts with the host, but never without the disk that has the links.
    expect(readFileSync(unit, "utf8").split("\n")).toEqual(
      expect.arrayContaining([
        `ConditionPathExists=${script}`,
        `RequiresMountsFor=${stage.data}`,
        `ExecStart=/bin/bash ${script}`,
        "Restart=on-failure",
        "WantedBy=multi-user.target",
      ]),
    );
    expect(existsSync(join(stage.box.dir, enabled))).toBe(true);
    stage.box.command("sleep", ":");
    const { stdout } = await stage.box.run(`sed -i 's/ [0-9]* / 1 /' state/chain-copy.lock; bash "${script}"`);
    expect([stdout, stage.left()]).toEqual(["taken back\n", []]);
    for (const path of [unit, join(stage.box.dir, enabled)]) expect(existsSync(path)).toBe(false);
  });

  test("is not removed because a clock jumps, which its run's next call rights", async ({ stage }) => {
    await snapshot(stage);
    const lock = "state/chain-copy.lock";
    stage.box.command(
      "sleep",
      `case $1 in 20) echo "t1 $(($(date +%s) + 9)) - x" > ${lock} ;; *) rm -f ${lock} ;; esac`,
    );
    const script = join(stage.box.state, "chain-copy.end");
    expect((await stage.box.run(`sed -i 's/ [0-9]* / 1 /' ${lock}; bash "${script}"`)).code).toBe(0);
    expect(stage.left()).toEqual([".pillar-host-snapshot"]);
  });

  test("is left to its run, whose end the waiting cleanup script survives without a trace", async ({ stage }) => {
    await snapshot(stage);
    const text = readFileSync(join(stage.box.state, "chain-copy.end"), "utf8");
    expect((await stage.call("chain_end_old")).code).toBe(0);
    mkdirSync(stage.box.state, { recursive: true });
    const script = stage.box.write("running", text);
    expect((await stage.box.run(`bash "${script}"`)).code).toBe(0);
    expect([readdirSync(stage.box.state), stage.left()]).toEqual([[], []]);
  });

  test("is ended without a trace of a call that was still under way", async ({ stage }) => {
    await snapshot(stage);
    expect((await stage.call("chain_end_old")).code).toBe(0);
    const late = await stage.call("chain_old_now", {}, "chain_take() { :; }");
    expect([late.code, late.stderr]).toEqual([75, expect.stringContaining("another run has taken this copy over")]);
    expect([fs.existsSync(stage.box.state), stage.left()]).toEqual([false, []]);
  });
});

test("a host is taken from no run at work; from a killed one at once, by another stack after its time", async ({
  stage,
}) => {
  const take = async (more: Readonly<Record<string, string>>) => (await stage.call("chain_take", more)).stdout;
  const other = { token: "t3", stack_identity: "pillar-host/other Anvil" };
  expect(await take({})).toBe("taken\n");
  expect(await take({ token: "t2" })).toMatch(/^held \d+ - pillar-host\/prod Anvil\n$/);
  stage.box.mark("chain-copy.lock", killed());
  expect(await take(other)).toMatch(/^held \d+ 1 pillar-host\/prod Anvil\n$/);
  expect(await take({ token: "t2" })).toBe("taken\n");
  const { code, stderr } = await stage.call("chain_old_now", {}, "chain_take() { :; }");
  expect([code, stderr]).toEqual([75, expect.stringContaining("h: another run has taken this copy over")]);
  stage.box.mark("chain-copy.lock", killed(-1));
  expect(await take(other)).toBe("taken\n");
});

test("the facts of a host are read before the copy", async ({ stage }) => {
  stage.databases(stage.data, "old", ["nom"]);
  fs.symlinkSync("/somewhere", join(stage.data, "consensus"));
  writeFileSync(join(stage.data, "network-private-key"), "key");
  const key = "2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683";
  const { stdout } = await stage.call("host_facts", {
    groups: "facts_chain facts_disk",
    tools: "tar nosuch",
  });
  const { chain, disk } = parseFacts(stdout, ["chain", "disk"]);
  const databases = { nom: "there", consensus: "link", cache: "none" };
  expect(chain).toEqual({
    databases,
    bytes: expect.any(Number),
    free: expect.any(Number),
    staged: 0,
    networkKey: key,
    producer: undefined,
    lacks: ["nosuch"],
  });
  // Some file systems count no inodes.
  const number = expect.any(Number);
  expect({ inodes: 0, ...disk }).toEqual({ at: stage.data, size: number, free: number, inodes: number });
});

/** As long as a database's may be: what one process prints of 16 of them is still one write. */
const names = Array.from({ length: 300 }, (_, at) => `${String(at).padStart(6, "0")}${"0".repeat(120)}.ldb`);

test.for([
  ["old", "snapshot", "", /^renice\n.* -P 1 openssl dgst -r -sha256$/m],
  ["new", "arriving", 'has() { [ "$1" != openssl ] && command -v "$1" > /dev/null; }', /^.* -P 4 sha256sum$/m],
] as const)("each file on the %s host has its hash", async ([side, place, before, ran], { stage }) => {
  const directory = join(stage.data, `.pillar-host-${place}`, "nom");
  mkdirSync(directory, { recursive: true });
  for (const name of names) writeFileSync(join(directory, name), name);
  stage.box.command("renice", 'echo renice >> "$sandbox/ran"');
  stage.box.command("nproc", "echo 4");
  stage.box.command("xargs", 'echo "$@" >> "$sandbox/ran"; exec /usr/bin/xargs "$@"');
  const { code, stdout, stderr } = await stage.call("chain_manifest", { side }, before);
  expect([code, stderr]).toEqual([0, ""]);
  const hashes = names.map((name) => [`nom/${name}`, createHash("sha256").update(name).digest("hex")] as const);
  expect(new Map([...parseHashes(stdout, "203.0.113.7")].sort())).toEqual(new Map(hashes));
  expect(stage.box.read("ran")).toMatch(ran);
});

test("fails if a file cannot be read", async ({ stage }) => {
  mkdirSync(join(stage.data, ".pillar-host-arriving"));
  const { code, stderr } = await stage.call("chain_manifest", {}, `chain_find() { printf 'nom/none\\0'; }`);
  expect(code).not.toBe(0);
  expect(stderr).toContain("nom/none");
});
