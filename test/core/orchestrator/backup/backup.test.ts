import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect } from "vitest";
import { readArchive } from "../../../../core/orchestrator/backup/archive.ts";
import {
  type BackupRef,
  type BackupSource,
  computeArchiveLimit,
  isBackupKept,
  takeBackup,
} from "../../../../core/orchestrator/backup/backup.ts";
import { decryptBackup, openIdentity, prove, seal } from "../../../../core/orchestrator/backup/vault.ts";
import { createDirectoryStore } from "../../../../core/store/directoryStore.ts";
import { resolveOwnIdentityPath } from "../../../../core/store/storeDirectory.ts";
import { moveNamed } from "../../../moveNamed.ts";
import { movesIn } from "../../../recordIn.ts";
import { test as base, type LocalRoot } from "../localRoot.ts";

const passPhrase = "s3cret-pass-phrase";
const generatedAt = new Date("2026-11-01T12:34:56Z");
const odd = ["-rf", "two\nlines", `it's "quoted" $HOME`, "ünïcode-日本", `${"long".repeat(50)}`];
const share = "tss/localstate-ab.json";

function openStage(root: LocalRoot) {
  const signer = join(root.scratch, "host/root/.orchestrator");
  for (const part of ["tss", "logs", "events"]) fs.mkdirSync(join(signer, part), { recursive: true, mode: 0o700 });
  fs.writeFileSync(join(signer, "config.json"), JSON.stringify({ ProducerKeyFilePassphrase: passPhrase }));
  fs.writeFileSync(join(signer, share), `{"share": "${passPhrase}"}`, { mode: 0o600 });
  fs.utimesSync(join(signer, share), generatedAt, generatedAt);
  fs.writeFileSync(join(signer, "logs/today.log"), "started\n");
  for (const name of odd) fs.writeFileSync(join(signer, name), name);
  fs.symlinkSync("config.json", join(signer, "link"));
  fs.linkSync(join(signer, "config.json"), join(signer, "hard"));
  fs.writeFileSync(join(signer, "events/sparse"), "");
  fs.truncateSync(join(signer, "events/sparse"), 500_000);
  const said: string[] = [];
  const what: BackupSource = {
    label: "first",
    files: { base: join(root.scratch, "host"), paths: ["root/.orchestrator"] },
    changing: ["root/.orchestrator/logs"],
    isJson: (path) => path.endsWith(".json"),
  };
  const move = moveNamed("pillar-host/prod/Anvil/1");
  const ref: BackupRef = { directory: join(root.scratch, "mine/backups/Anvil"), move };
  const deps = {
    now: () => Date.parse("2026-11-21T18:00:00.123Z"),
    ticks: () => 0,
    sleep: async () => undefined,
    say: (line: string) => void said.push(line),
  };
  return { root, what, ref, deps, said };
}
type Stage = ReturnType<typeof openStage>;
const test = base.extend("stage", ({ root }) => openStage(root));

const take = ({ root, what, ref, deps }: Stage) => takeBackup(root, what, ref, deps);
const host = ({ root }: Stage, name: string) => join(root.scratch, "host/root/.orchestrator", name);
const mine = ({ ref }: Stage) => fs.readdirSync(ref.directory).sort();
const inPlace = ({ ref }: Stage, name: string) => join(ref.directory, name);
/** Runs something whenever one of these functions of the host streams. */
const during = (stage: Stage, names: RegExp, act: () => void): Stage => ({
  ...stage,
  root: {
    ...stage.root,
    stream: async (name, variables) => {
      if (names.test(name)) act();
      return stage.root.stream(name, variables);
    },
  },
});
/** Returns the program's own key, as made for the first backup. */
const ownKey = ({ ref, deps }: Stage) => openIdentity(ref.directory, undefined, deps.now);
const open = async (stage: Stage, file: string) => {
  const { secret } = await ownKey(stage);
  return { secret, ...(await readArchive(await decryptBackup(fs.createReadStream(file), secret), () => true)) };
};

describe("a backup", () => {
  test("is stored encrypted in the operator's directory, with its manifest and an event", async ({ stage }) => {
    const backup = await take(stage);
    const { directory } = stage.ref;
    const name = "pillar-host-prod-Anvil-1-first-2026-11-21T18-00-00-123Z";
    expect(mine(stage)).toEqual([`${name}.manifest.json`, `${name}.tar.age`, "record.jsonl"]);
    expect(fs.statSync(directory).mode & 0o777).toBe(0o700);
    const sealed = fs.readFileSync(backup.file);
    expect(sealed.subarray(0, 21).toString()).toBe("age-encryption.org/v1");
    expect(backup).toEqual({
      file: join(directory, `${name}.tar.age`),
      manifestFile: join(directory, `${name}.manifest.json`),
      identityFile: resolveOwnIdentityPath(directory),
      sealedBytes: sealed.length,
      provedAt: "2026-11-21T18:00:00.123Z",
      sha256: createHash("sha256").update(sealed).digest("hex"),
      files: 10,
      bytes: expect.any(Number),
      keyShare: { files: [`root/.orchestrator/${share}`], generatedAt: generatedAt.toISOString() },
    });
    expect(JSON.parse(fs.readFileSync(backup.manifestFile, "utf8")).entries).toContainEqual({
      path: `root/.orchestrator/${share}`,
      kind: "file",
      mode: "600",
      size: 31,
      owner: `${process.getuid?.()}:${process.getgid?.()}`,
      sha256: createHash("sha256").update(`{"share": "${passPhrase}"}`).digest("hex"),
    });
    expect(movesIn(directory)).toMatchObject([{ event: "backup", details: { label: "first", file: backup.file } }]);
    for (const file of mine(stage)) {
      expect(fs.statSync(join(directory, file)).mode & 0o777).toBe(0o600);
      expect(fs.readFileSync(join(directory, file)).includes(passPhrase)).toBe(false);
    }
    expect(stage.said.join()).not.toContain(passPhrase);
  });

  test("decrypts to every file as it was, whatever its name", async ({ stage }) => {
    const { kept, manifest } = await open(stage, (await take(stage)).file);
    for (const name of odd) expect(kept.get(`root/.orchestrator/${name}`)?.text).toBe(name);
    expect(manifest.get("root/.orchestrator/events/sparse")?.size).toBe(500_000);
    expect(manifest.get("root/.orchestrator/link")?.target).toBe("config.json");
    expect(kept.get("root/.orchestrator/hard")?.text).toContain(passPhrase);
  });

  test("ends if a host sends more than growing files need, and is not written over a file", async ({ stage }) => {
    const entry = { path: "a", kind: "file", mode: "600", owner: "0:0", size: 1001, sha256: "a" } as const;
    expect(computeArchiveLimit(new Map([["a", entry]]))).toBe(2 * 1001 + 4096 + 256 * 1024 * 1024);
    fs.mkdirSync(stage.ref.directory, { recursive: true });
    const { recipient } = await ownKey(stage);
    const file = inPlace(stage, "part");
    const sealFrom = (source: Readable, limitBytes: number) =>
      seal(source, file, recipient, { keep: () => false, limitBytes });
    const tooLarge = "the archive is larger than the files that were listed: more than 100000 bytes";
    const endless = await stage.root.stream("orchestrator_archive", { ...stage.what.files });
    await expect(sealFrom(endless.stdout, 100_000)).rejects.toThrow(tooLarge);
    await expect(sealFrom(Readable.from([Buffer.alloc(200_000)]), 100_000)).rejects.toThrow();
    fs.writeFileSync(file, "another run's");
    const { stdout, done } = await stage.root.stream("orchestrator_archive", { ...stage.what.files });
    await expect(sealFrom(stdout, 10_000_000)).rejects.toThrow("EEXIST");
    expect([endless.stdout.destroyed, stdout.destroyed]).toEqual([true, true]);
    // Its directory can be removed once it has ended.
    await done.catch(() => undefined);
    expect(fs.readFileSync(file, "utf8")).toBe("another run's");
  });

  test("removes old files of killed runs, and keeps those of running ones", async ({ stage }) => {
    fs.mkdirSync(stage.ref.directory, { recursive: true });
    for (const name of ["a.1.part", "b.2.part"]) fs.writeFileSync(inPlace(stage, name), "");
    fs.utimesSync(inPlace(stage, "a.1.part"), 0, 0);
    await take(stage);
    expect(mine(stage).filter((name) => name.endsWith(".part"))).toEqual(["b.2.part"]);
  });

  test("is never overwritten, and the next one has the same key, announced once", async ({ stage }) => {
    const first = await take(stage);
    const before = fs.readFileSync(first.file);
    const second = await take({ ...stage, deps: { ...stage.deps, now: () => Date.parse("2026-11-21T19:00:00Z") } });
    expect(second.file).not.toBe(first.file);
    expect(stage.said.filter((line) => line.includes("made a key"))).toEqual([
      `backup: made a key that opens the backups: ${resolveOwnIdentityPath(stage.ref.directory)}`,
    ]);
    expect(fs.statSync(second.identityFile).mode & 0o777).toBe(0o600);
    await expect(take(stage)).rejects.toThrow("exists already; nothing was overwritten");
    expect(fs.readFileSync(first.file)).toEqual(before);
  });

  test("warns once if its key lies in a git checkout", async ({ stage }) => {
    fs.mkdirSync(join(stage.root.scratch, "mine/.git"), { recursive: true });
    await take(stage);
    await take({ ...stage, deps: { ...stage.deps, now: () => Date.parse("2026-11-21T19:00:00Z") } });
    expect(stage.said.filter((line) => line.includes("WARNING"))).toEqual([
      `backup: WARNING: the key lies in the git checkout ${join(stage.root.scratch, "mine")}: never commit it`,
    ]);
  });

  test("is sealed with the configured key, which is only read", async ({ stage }) => {
    const own = await openIdentity(join(stage.root.scratch, "other"), undefined, stage.deps.now);
    const text = fs.readFileSync(own.file, "utf8");
    const backup = await take({ ...stage, ref: { ...stage.ref, identityFile: own.file } });
    expect([backup.identityFile, fs.readFileSync(own.file, "utf8")]).toEqual([own.file, text]);
    expect((await readArchive(await decryptBackup(fs.createReadStream(backup.file), own.secret))).manifest.size).toBe(
      15,
    );
    for (const name of mine(stage)) expect(fs.readFileSync(inPlace(stage, name)).includes(own.secret)).toBe(false);
  });

  test("counts while both of its files are there, whole", async ({ stage }) => {
    const backup = await take(stage);
    const store = createDirectoryStore(stage.ref.directory);
    expect(await isBackupKept(store, backup)).toBe(true);
    expect(await isBackupKept(store, { ...backup, manifestFile: "/nowhere" })).toBe(false);
    fs.chmodSync(backup.file, 0o600);
    fs.truncateSync(backup.file, 10);
    expect(await isBackupKept(store, backup)).toBe(false);
  });
});

describe("files that change during a backup", () => {
  const isRetaken = (line: string) => line.includes("taking it again");
  test.for([
    ["while it is copied", /archive/, [1, 2]],
    ["after it was copied", /manifest/, [2]],
  ] as const)("a config.json that is rewritten %s is copied again", async ([, names, times], { stage }) => {
    let count = 0;
    const rewrite = () => {
      count += 1;
      if (times.some((each) => each === count)) fs.writeFileSync(host(stage, "config.json"), `{"n": ${count}}`);
    };
    await take(during(stage, names, rewrite));
    expect(stage.said.filter(isRetaken)).toHaveLength(times.length);
    expect(mine(stage).filter((name) => name.endsWith(".age"))).toHaveLength(1);
  });

  test("a file that never stays the same ends in an error without a backup", async ({ stage }) => {
    let rewrites = 0;
    const rewriting = during(stage, /./, () => fs.writeFileSync(host(stage, share), `{"n": ${rewrites++}}`));
    const error = String(await take(rewriting).catch((thrown: Error) => thrown));
    expect(error).toContain("no consistent backup of ");
    expect(error).toContain(`found: root/.orchestrator/${share}: `);
    expect(mine(stage)).toEqual([]);
  });

  test("logs are allowed to change", async ({ stage }) => {
    await take(during(stage, /./, () => fs.writeFileSync(host(stage, "logs/today.log"), `${Math.random()}`)));
    expect(stage.said.filter(isRetaken)).toEqual([]);
  });

  test("half a config.json ends in an error that shows none of it", async ({ stage }) => {
    fs.writeFileSync(host(stage, "config.json"), `{"ProducerKeyFilePassphrase": "${passPhrase}`);
    const error = String(await take(stage).catch((thrown: Error) => thrown));
    expect(error).toContain("root/.orchestrator/config.json: not whole JSON");
    expect(`${error}${stage.said}`).not.toContain(passPhrase);
  });
});

describe("faults of a backup", () => {
  test("a damaged backup is noticed, wherever it is damaged, and so is another list", async ({ stage }) => {
    const { file } = await take(stage);
    const { secret, manifest } = await open(stage, file);
    const whole = fs.readFileSync(file);
    const damaged = [5, 150, 100_000, whole.length - 1].map((at) => {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      return bytes;
    });
    const short = [0, 100, 70_000, whole.length - 16].map((length) => whole.subarray(0, length));
    for (const bytes of [...damaged, ...short]) {
      fs.writeFileSync(`${file}.bad`, bytes);
      await expect(prove(`${file}.bad`, secret, manifest)).rejects.toThrow(
        /could not be proved: .*\n {2}found: it does not decrypt to a whole archive/,
      );
    }
    const [first] = manifest.values();
    if (!first) expect.unreachable();
    const more = new Map([...manifest, ["more", { ...first, path: "more" }]]);
    await expect(prove(file, secret, more)).rejects.toThrow("found: more: missing");
  });

  test("reports a directory that can't be made, and a host whose archive breaks off", async ({ stage }) => {
    const directory = "/dev/full/none";
    await expect(take({ ...stage, ref: { ...stage.ref, directory } })).rejects.toThrow(
      "the backup could not be written on this machine: /dev/full/none\n  found: ENOTDIR",
    );
    const cut = during(stage, /archive/, () => {
      stage.root.before = "tar() { printf half; return 2; }";
    });
    await expect(take(cut)).rejects.toThrow("local: tar ended with 2");
    expect(mine(stage)).toEqual([]);
  });

  test.for([
    ["a missing file", undefined, "found: it does not exist on this machine"],
    ["an encrypted file", "age-encryption.org/v1\n", "found: no whole line AGE-SECRET-KEY-1…"],
    ["a damaged key", "AGE-SECRET-KEY-1QQQ\n", "found: no whole line AGE-SECRET-KEY-1…"],
  ] as const)("refuses %s as the identity", async ([, text, found], { stage }) => {
    const file = join(stage.root.scratch, "identity");
    if (text !== undefined) fs.writeFileSync(file, text);
    await expect(openIdentity(stage.root.scratch, file, () => Date.now())).rejects.toThrow(found);
  });
});
