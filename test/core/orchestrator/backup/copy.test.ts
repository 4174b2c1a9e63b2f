import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readManifest } from "../../../../core/orchestrator/backup/manifest.ts";
import { localRoot } from "../localRoot.ts";

type Three = [string, string, string];

const root = localRoot();
afterAll(() => root.close());

/** Returns the error of a copy whose ssh prints this. */
async function refusedBy(words: string): Promise<string> {
  root.before = `orchestrator_begin() { :; }
    ssh() { echo "${words}" >&2; return 255; }
    copy_receive() { return 1; }`;
  const variables = {
    copy_dir: join(root.scratch, "copy"),
    receive_into: join(root.scratch, "arriving"),
    copy_side: "copy_receive",
    login_user: "op",
    copy_address: "198.51.100.7",
    copy_port: 22,
    progress: "",
  };
  return root.call("orchestrator_copy", variables).then(String, (error: Error) => error.message);
}

test("a copy that broke off names what helps only for the cause that ssh shows", async () => {
  const refused = await refusedBy("op@198.51.100.7: Permission denied (publickey).");
  expect(refused).toContain("the copy from op@198.51.100.7:22 broke off\n  found: op@198.51.100.7: Permission denied");
  expect(refused).toContain("at another address (NAT)?");
  expect(refused).toContain("pulumi config set --path pillar-host:oldHost.copyAddress ADDRESS -s prod");
  const silent = await refusedBy("ssh: connect to host 198.51.100.7 port 22: Connection timed out");
  expect(silent).toContain("nc -vz 198.51.100.7 22");
  expect(silent).not.toContain("NAT");
  const others = [
    "Host key verification failed.",
    "Unable to negotiate: no matching cipher",
    "cannot write: Disk quota exceeded",
  ];
  const said = await Promise.all(others.map((words) => refusedBy(words)));
  expect(said.map((text) => /^ {2}needed: .*$/m.exec(text)?.[0])).toEqual([
    "  needed: the host with the pinned host key at 198.51.100.7:22, which shows another one",
    "  needed: an algorithm that the ssh of both hosts has",
    undefined,
  ]);
});

test("sends a fenced key store under its own name, and neither lock nor tss logs", async () => {
  const directory = join(root.scratch, "signer");
  mkdirSync(join(directory, "tss"), { recursive: true });
  const aside = "signer.key.moved-to-203.0.113.9-20260101T000000Z";
  const logs = ["communication", "party", "server"].map((name) => `tss/tss.${name}.log`);
  for (const name of [aside, "config.json", ".lock", "tss/localstate-02ab.json", ...logs])
    writeFileSync(join(directory, name), name);
  root.before = `sent() { printf '0\\n' | copy_send | { read -r gone; head -c "$gone"; tar -t; }; }`;
  const sent = await root.call("sent", { directory, aside_store: `/elsewhere/${aside}` });
  const names = ["./", "./config.json", "./signer.key", "./tss/", "./tss/localstate-02ab.json"];
  expect(sent.trim().split("\n").sort()).toEqual(names);
  const listed = await readManifest(root, { base: directory, paths: ["."] });
  expect([...listed.keys()]).toEqual([".", "config.json", aside, "tss", "tss/localstate-02ab.json"]);
});

test("keeps a key share that a copy would drop, by its hash", async () => {
  const [directory, into, state] = ["source", "arriving", "state"].map((name) => join(root.scratch, name)) as Three;
  for (const place of [directory, into]) mkdirSync(join(place, "tss"), { recursive: true });
  const share = "tss/localstate-02ab.json";
  const both = `make_work() { work=$(mktemp -dp "${root.scratch}"); }
    exchanged() {
      mkfifo "$1/up" "$1/down"
      copy_send < "$1/up" > "$1/down" &
      copy_receive > "$1/up" < "$1/down"
      wait $!; rm "$1/up" "$1/down"
    }
    copied() { exchanged "$(mktemp -dp "${root.scratch}")"; }`;
  const copied = () => {
    root.before = both;
    return root.call("copied", { directory, receive_into: into, state });
  };
  const kept = () => (existsSync(join(state, "shares")) ? readdirSync(join(state, "shares")) : []);
  const nameOf = (text: string) => `${createHash("sha256").update(text).digest("hex")}-localstate-02ab.json`;
  writeFileSync(join(directory, share), "newest");
  await copied();
  await copied();
  expect([readFileSync(join(into, share), "utf8"), kept()]).toEqual(["newest", []]);
  // The source is an earlier snapshot: first with an earlier share, then without one.
  writeFileSync(join(directory, share), "earlier");
  await copied();
  expect([readFileSync(join(into, share), "utf8"), kept()]).toEqual(["earlier", [nameOf("newest")]]);
  rmSync(join(directory, share));
  await copied();
  expect([existsSync(join(into, share)), kept()]).toEqual([false, [nameOf("earlier"), nameOf("newest")].sort()]);
  expect(readFileSync(join(state, "shares", nameOf("newest")), "utf8")).toBe("newest");
  expect(statSync(join(state, "shares")).mode & 0o77).toBe(0);
  // It is the newest again.
  writeFileSync(join(directory, share), "newest");
  await copied();
  expect(kept()).toEqual([nameOf("earlier")]);
});
