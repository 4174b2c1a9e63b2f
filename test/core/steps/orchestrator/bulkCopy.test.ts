import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test as base, describe, expect } from "vitest";
import { bulkCopy } from "../../../../core/steps/orchestratorSteps";
import { configOf } from "../../../components/exampleConfig";
import { systemctl } from "../../orchestrator/scriptStage";
import { Sandbox } from "../sandbox";

const from = { user: "op", address: "198.51.100.9", port: 2222 };

/** Creates a new host whose ssh returns the files in `old` if the old host exists. */
const test = base.extend<{ stage: ReturnType<typeof openStage> }>({
  stage: async ({ task: _task }, provide) => {
    const stage = openStage();
    await provide(stage);
    stage.box.remove();
  },
});

function openStage() {
  const box = new Sandbox();
  const directory = join(box.dir, ".orchestrator");
  const copy = join(box.state, "copy");
  for (const place of [copy, join(box.dir, "old/tss")] as const) mkdirSync(place, { recursive: true });
  writeFileSync(join(box.dir, "old/config.json"), "{}");
  writeFileSync(join(box.dir, "old/tss/share"), "share");
  for (const name of ["key", "known_hosts", "bulk"]) writeFileSync(join(copy, name), "");
  writeFileSync(join(copy, "key.pub"), "ssh-ed25519 AAAAkey pillar-host-copy\n");
  box.command("systemctl", systemctl);
  box.command(
    "ssh",
    `echo "$*" >> "$sandbox/connected"
     if [ -e "$sandbox/refuses" ]; then echo "connect to host: Connection refused" >&2; exit 255; fi
     cat "$sandbox/login"
     if [ -e "$sandbox/runsNothing" ]; then exit 0; fi
     printf '\\nAAAAkey\\n'; read -r bytes; head -c "$bytes" > /dev/null; printf '0\\n'; tar -c -C "$sandbox/old" .`,
  );
  writeFileSync(join(box.dir, "login"), "");
  const config = configOf({ orchestrator: { directory } });
  const script = box
    .local(bulkCopy(config, from).script)
    .replace("signer_runs=/run/pillar-host", `signer_runs=${box.dir}/run`);
  return {
    box,
    copy,
    arriving: `${directory}.arriving`,
    journal: (stage: string) =>
      writeFileSync(join(box.state, "orchestrator.json"), `{\n  "version": 1,\n  "stage": "${stage}",\n}\n`),
    run: () => box.run(script),
  };
}

describe("the bulk copy", () => {
  test.for([undefined, "staging", "moved"])(
    "pulls, with the journal at %s, and leaves no key",
    async (at, { stage }) => {
      if (at !== undefined) stage.journal(at);
      const before = stage.box.read("state/orchestrator.json");
      const { code, stdout, stderr } = await stage.run();
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toContain(
        `copying from op@198.51.100.9 to ${stage.arriving}: the old host keeps the key and signs on`,
      );
      expect(readFileSync(join(stage.arriving, "tss/share"), "utf8")).toBe("share");
      expect(stage.box.read("connected")).toContain("-p 2222");
      expect(existsSync(stage.copy)).toBe(false);
      expect(stage.box.read("state/orchestrator.json")).toBe(before);
      expect(existsSync(join(stage.box.state, "orchestrator.lock"))).toBe(false);
    },
  );

  test("ignores what the old host's login prints", async ({ stage }) => {
    writeFileSync(join(stage.box.dir, "login"), "Welcome\n12\nno end of line");
    const { code } = await stage.run();
    expect(code).toBe(0);
    expect(readFileSync(join(stage.arriving, "tss/share"), "utf8")).toBe("share");
  });

  test("reports a login that runs no command", async ({ stage }) => {
    writeFileSync(join(stage.box.dir, "runsNothing"), "");
    const { stdout } = await stage.run();
    expect(stdout).toContain("the login of op@198.51.100.9 did not run the copy's command needed: a login shell there");
  });

  test.for(["staged", "switched", "starting", "running", "abandoned", "stopping", "fenced", "restoring", "restored"])(
    "does not connect, with the journal at %s",
    async (at, { stage }) => {
      stage.journal(at);
      const { code, stdout } = await stage.run();
      expect([code, stdout]).toEqual([0, `the move has begun or ended here (${at}): nothing is copied now\n`]);
      expect(stage.box.read("connected")).toBeUndefined();
      expect(existsSync(stage.arriving)).toBe(false);
    },
  );

  test("uses no key but its own", async ({ stage }) => {
    writeFileSync(join(stage.copy, "key"), "the move's");
    await stage.box.run(`rm "${stage.copy}/bulk"`);
    const { code, stdout } = await stage.run();
    expect([code, stdout]).toEqual([0, "no copy waits for this host: nothing is copied now\n"]);
    expect(readFileSync(join(stage.copy, "key"), "utf8")).toBe("the move's");
    expect(stage.box.read("connected")).toBeUndefined();
  });

  test("copies nothing beside an orchestrator that runs here", async ({ stage }) => {
    stage.box.write("active", "");
    const { code, stdout } = await stage.run();
    expect([code, stdout]).toEqual([0, "an orchestrator runs here: nothing is copied now\n"]);
    expect(existsSync(stage.arriving)).toBe(false);
  });

  test("does not fail if the old host is unreachable, and removes the key", async ({ stage }) => {
    stage.box.write("refuses", "");
    const { code, stdout } = await stage.run();
    expect(code).toBe(0);
    expect(stdout).toContain("warning: the directory could not be copied beforehand");
    expect(stdout).toMatch(/before it stops anything: .* found: connect to host: Connection refused .*needed: /);
    expect(existsSync(stage.copy)).toBe(false);
  });

  test("does not fail if it gets no copy, and ignores what it gets", async ({ stage }) => {
    stage.box.command(
      "ssh",
      `printf '\\nAAAAkey\\n'; read -r bytes; head -c "$bytes" > /dev/null; printf '5\\n/etc\\0'`,
    );
    const { code, stdout } = await stage.run();
    expect(code).toBe(0);
    expect(stdout).toContain("the other host names files outside of its directory");
    expect(existsSync(stage.copy)).toBe(false);
  });
});

test("has the same text for every move, without a key or a login", () => {
  const secret = "hunter2";
  const login = { password: secret, sudoPassword: secret };
  const migrateFrom = {
    address: "198.51.100.9",
    hostKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFGSBtGbUCwrGN7Gq8VzKQVWmBcQTTWqvSAZ8qkzNQVS",
    ...login,
  };
  const of = (attempt: number) => bulkCopy(configOf({ ssh: login, orchestrator: { attempt, migrateFrom } }), from);
  expect(of(2)).toEqual(of(1));
  expect(of(1).script).not.toMatch(/hunter2|PRIVATE KEY/);
});
