import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { formatJournal } from "../../../../core/orchestrator/rules/journal.ts";
import type { Stage } from "../../../../core/orchestrator/rules/journalStages.ts";
import { bulkCopy } from "../../../../core/steps/orchestratorSteps.ts";
import { configOf } from "../../../components/exampleConfig.ts";
import { exampleJournal } from "../../orchestrator/exampleMove.ts";
import { systemctl } from "../../orchestrator/scriptStage.ts";
import { type Sandbox, test } from "../sandbox.ts";

const from = { user: "op", address: "198.51.100.9", port: 2222 };
const answer = `printf '\\nAAAAkey\\n'; read -r bytes; head -c "$bytes" > /dev/null;`;
const sends = `${answer} printf '0\\n'; tar -c -C "$sandbox/old" .`;

interface Host {
  /** Stage in the journal of this host, and in the one by which the key was made. */
  readonly stage?: Stage;
  readonly judged?: Stage;
  /** Commands of the old host's ssh after its login. */
  readonly ssh?: string;
  /** Done before the copy. */
  readonly before?: string;
}

/** Runs the copy on a new host for which a key waits. The old host has the files in `old`. */
async function copy(box: Sandbox, { stage, judged = stage, ssh = sends, before = "" }: Host) {
  for (const place of ["state/copy", "old/tss"]) mkdirSync(join(box.dir, place), { recursive: true });
  for (const name of ["key", "known_hosts"]) box.write(`state/copy/${name}`, name);
  box.write("state/copy/key.pub", "ssh-ed25519 AAAAkey pillar-host-copy\n");
  box.write("old/config.json", "{}");
  box.write("old/tss/share", "share");
  const inStage = (at: Stage | undefined) => (at === undefined ? "" : formatJournal(exampleJournal("new", at)));
  if (stage !== undefined) box.mark("orchestrator.json", inStage(stage));
  box.write("state/copy/bulk", `${Buffer.from(inStage(judged)).toString("base64")}\n`);
  const journal = box.read("state/orchestrator.json");
  box.command("systemctl", systemctl);
  box.command("ssh", `echo "$*" >> "$sandbox/connected"\n${ssh}`);
  await box.run(before);
  const directory = join(box.dir, ".orchestrator");
  const { script } = bulkCopy(configOf({ orchestrator: { directory } }), from);
  const ran = await box.run(box.local(script));
  expect([box.read("state/orchestrator.json"), box.read("state/orchestrator.lock")]).toEqual([journal, undefined]);
  const share = join(`${directory}.arriving`, "tss/share");
  const arrived = existsSync(share) ? readFileSync(share, "utf8") : undefined;
  return { ...ran, arrived, key: box.read("state/copy/key") };
}

test.for<[string, Host]>([
  ["without a journal", {}],
  ["with the journal at staging", { stage: "staging" }],
  ["with the journal at moved", { stage: "moved" }],
  ["after a login that prints", { ssh: `printf 'Welcome\\n12\\nno end of line'; ${sends}` }],
])("the directory is pulled, and no key is left: %s", async ([, host], { box }) => {
  const ran = await copy(box, host);
  expect(ran).toMatchObject({ code: 0, stderr: "", arrived: "share", key: undefined });
  expect(ran.stdout).toContain(
    `copying from op@198.51.100.9 to ${box.dir}/.orchestrator.arriving: the old host keeps the key and signs on`,
  );
  expect(box.read("connected")).toContain("-p 2222");
});

test.for<[string, Host]>([
  ["the move has begun or ended here", { stage: "staged", judged: "staging" }],
  ["the move has begun or ended here", { stage: "staging", before: ": > state/copy/bulk" }],
  ["the move has begun or ended here", { judged: "moved" }],
  ["no copy waits for this host", { before: "rm state/copy/bulk" }],
  ["an orchestrator runs here", { before: ": > active" }],
])("nothing is copied, nobody is connected, and another key stays: %s", async ([why, host], { box }) => {
  const stdout = `${why}: nothing is copied now\n`;
  expect(await copy(box, host)).toMatchObject({ code: 0, stdout, arrived: undefined, key: "key" });
  expect(box.read("connected")).toBeUndefined();
});

test.for([
  ["the old host is unreachable", "echo 'Connection refused' >&2; exit 255", /found: Connection refused .*needed: /],
  ["the login runs no command", "exit 0", /op@198\.51\.100\.9 did not run the copy's command needed: a login shell/],
  ["the old host names other files", `${answer} printf '5\\n/etc\\0'`, /names files outside of its directory/],
] as const)("it is no failure, and no key is left, if %s", async ([, ssh, said], { box }) => {
  const { code, stdout, key } = await copy(box, { ssh });
  expect([code, key, stdout]).toEqual([0, undefined, expect.stringMatching(said)]);
  expect(stdout).toContain("warning: the directory could not be copied beforehand; the move copies it before it stops");
});

test("the step has the same text for every move, without a key or a login", () => {
  const login = { password: "hunter2", sudoPassword: "hunter2" };
  const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFGSBtGbUCwrGN7Gq8VzKQVWmBcQTTWqvSAZ8qkzNQVS";
  const oldHost = { address: "198.51.100.9", hostKey, ...login };
  const of = (attempt: number) => bulkCopy(configOf({ ssh: login, oldHost, orchestrator: { attempt } }), from);
  expect(of(2)).toEqual(of(1));
  expect(of(1).script).not.toMatch(/hunter2|PRIVATE KEY/);
});
