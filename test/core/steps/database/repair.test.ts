import { existsSync, readdirSync } from "node:fs";
import { describe, expect } from "vitest";
import { parseConfig } from "../../../../core/config/config";
import { readRepair } from "../../../../core/steps/database/judgement";
import { databaseLook, databaseRepair } from "../../../../core/steps/database/steps";
import { test } from "../boxed";
import type { Sandbox } from "../sandbox";
import { holdLock, tornNode } from "./databases";

interface Unit {
  /** The state of the node's unit before. */
  readonly state: string;
  readonly enabled?: boolean;
  /** Whether its RPC answers once it was started. */
  readonly answers?: boolean;
}

/** systemd, with the node's unit alone: what was asked of it is kept. */
function systemd(box: Sandbox, { state, enabled = true, answers = true }: Unit): void {
  box.write("unit", state);
  box.command(
    "systemctl",
    `echo "$1" >> "$sandbox/asked"
case "$*" in
  "show -p ActiveState"*) cat "$sandbox/unit" ;;
  "show -p LoadState"*) echo loaded ;;
  "show -p MainPID"*) echo 0 ;;
  is-enabled*) echo ${enabled ? "enabled" : "disabled"} ;;
  is-active*) cat "$sandbox/unit" ;;
  stop*) echo inactive > "$sandbox/unit" ;;
  start*) echo active > "$sandbox/unit" ;;
esac`,
  );
  box.command("wget", answers ? `echo '{"result":{"currentHeight":26}}'` : "exit 4");
  box.command("journalctl", "echo the log");
}

function config(dataDir: string) {
  const parsed = parseConfig(
    {
      ...{ pillar: { name: "Anvil" }, ssh: { agent: true } },
      host: { provider: "existing", address: "192.0.2.1" },
      controller: { release: { url: "https://release.example/c.zip" } },
      node: { dataDir },
      sync: { unverifiedChain: "acknowledged" },
    },
    "prod",
  );
  if ("faults" in parsed) throw new Error(parsed.faults.join("\n"));
  return parsed.config;
}

async function run(box: Sandbox, what: "look" | "repair") {
  const { script } = (what === "look" ? databaseLook : databaseRepair)(config(box.dir));
  const ran = await box.run(box.local(script.replace(/^rpc_seconds=.*$/m, "rpc_seconds=1")));
  expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: "" });
  return readRepair(ran.stdout.trim().split("\n"));
}

const asked = (box: Sandbox, verb: string) =>
  (box.read("asked") ?? "").split("\n").filter((one) => one === verb).length;
const sound = [
  { name: "nom", state: "sound", frontier: { height: 25, hash: expect.stringMatching(/^8abca428/) } },
  { name: "consensus", state: "sound" },
];

describe.concurrent("repair", () => {
  test("a look at a node that is off tells the torn database, and changes nothing", async ({ box }) => {
    tornNode(box);
    systemd(box, { state: "failed" });
    const seen = await run(box, "look");
    expect(seen).toMatchObject({ node: "failed", enabled: true, exit: 3, facts: [] });
    expect(seen.judged[0]).toMatchObject({ state: "torn", cure: { kind: "undo", height: 26 } });
    expect(asked(box, "stop") + asked(box, "start")).toBe(0);
    expect(readdirSync(box.dir).filter((name) => name.startsWith("nom."))).toEqual([]);
  });

  test("a look at a node that runs leaves it alone", async ({ box }) => {
    tornNode(box);
    systemd(box, { state: "active" });
    expect(await run(box, "look")).toMatchObject({ node: "active", judged: [], exit: 5, why: "the node runs" });
    expect(asked(box, "stop")).toBe(0);
  });

  test("a node that runs is stopped, its database repaired, and started again", async ({ box }) => {
    tornNode(box);
    systemd(box, { state: "active" });
    const seen = await run(box, "repair");
    expect(seen).toMatchObject({ node: "active", judged: sound, exit: 0, started: true });
    expect(existsSync(seen.copy ?? "")).toBe(true);
    expect([asked(box, "stop"), asked(box, "start")]).toEqual([1, 1]);
  });

  test("one that failed is started where its unit is enabled, and one that was switched off stays off", async ({
    box,
  }) => {
    tornNode(box);
    systemd(box, { state: "inactive", enabled: false });
    const seen = await run(box, "repair");
    expect(seen).toMatchObject({ judged: sound, exit: 0 });
    expect(seen.started).toBeUndefined();
    expect(asked(box, "start")).toBe(0);
    systemd(box, { state: "failed" });
    expect(await run(box, "repair")).toMatchObject({ judged: sound, exit: 0, started: true });
  });

  test("one that does not answer after its start is told with what there is to see", async ({ box }) => {
    tornNode(box);
    systemd(box, { state: "failed", answers: false });
    const seen = await run(box, "repair");
    expect(seen).toMatchObject({ exit: 0, started: false });
    expect(seen.facts).toContain("journal: the log");
  });

  test("what something else has open is not touched, and the node is started again", async ({ box }) => {
    tornNode(box);
    systemd(box, { state: "active" });
    const release = await holdLock(`${box.dir}/nom/LOCK`);
    const { script } = databaseRepair(config(box.dir));
    const ran = await box.run(box.local(script.replace(/^rpc_seconds=.*$/m, "rpc_seconds=1")));
    await release();
    const seen = readRepair(ran.stdout.trim().split("\n"));
    expect(seen).toMatchObject({ judged: [], exit: 5, started: true });
    expect(seen.why).toMatch(/nom\/LOCK is held/);
    expect(asked(box, "stop")).toBe(3);
  });

  test("one that cannot be read is not set going where it did not run", async ({ box }) => {
    tornNode(box);
    await box.run("rm nom/000002.ldb");
    systemd(box, { state: "failed" });
    const seen = await run(box, "repair");
    expect(seen.judged[0]).toEqual({ name: "nom", state: "unreadable", why: "table 000002 is not there" });
    expect(seen).toMatchObject({ exit: 4 });
    expect(asked(box, "start")).toBe(0);
  });
});
