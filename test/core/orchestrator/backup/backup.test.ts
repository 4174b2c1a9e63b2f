import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  createReadStream,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { test as base, describe, expect } from "vitest";
import type { MoveId } from "../../../../core/eventLog/moveId";
import { readArchive } from "../../../../core/orchestrator/backup/archive";
import {
  type BackupDeps,
  type BackupSource,
  computeArchiveLimit,
  takeBackup,
} from "../../../../core/orchestrator/backup/backup";
import { isBackupKept } from "../../../../core/orchestrator/backup/backupPlace";
import { createManifest } from "../../../../core/orchestrator/backup/manifest";
import { decryptBackup, openIdentity, prove, seal } from "../../../../core/orchestrator/backup/vault";
import { createDirectoryStore } from "../../../../core/store/directoryStore";
import { resolveOwnIdentityPath } from "../../../../core/store/recordsDirectory";
import { moveNamed } from "../../../moveNamed";
import { movesIn } from "../../../recordIn";
import { type LocalRoot, localRoot } from "../localRoot";

const passPhrase = "s3cret-pass-phrase";
const generatedAt = new Date("2026-11-01T12:34:56Z");
const odd = ["-rf", "two\nlines", `it's "quoted" $HOME`, "ünïcode-日本", `${"long".repeat(50)}`];

interface Stage {
  readonly root: LocalRoot;
  readonly what: BackupSource;
  readonly settings: { directory: string; move: MoveId; identityFile?: string };
  readonly deps: BackupDeps;
  readonly said: string[];
}

const test = base.extend<{ stage: Stage }>({
  stage: async ({ task: _task }, provide) => {
    const root = localRoot();
    const signer = join(root.scratch, "host/root/.orchestrator");
    for (const part of ["tss", "logs", "events"]) mkdirSync(join(signer, part), { recursive: true, mode: 0o700 });
    writeFileSync(join(signer, "config.json"), JSON.stringify({ ProducerKeyFilePassphrase: passPhrase }), {
      mode: 0o600,
    });
    writeFileSync(join(signer, "tss/localstate-ab.json"), `{"share": "${passPhrase}"}`, { mode: 0o600 });
    utimesSync(join(signer, "tss/localstate-ab.json"), generatedAt, generatedAt);
    writeFileSync(join(signer, "logs/today.log"), "started\n");
    for (const name of odd) writeFileSync(join(signer, name), name);
    symlinkSync("config.json", join(signer, "link"));
    linkSync(join(signer, "config.json"), join(signer, "hard"));
    writeFileSync(join(signer, "events/sparse"), "");
    truncateSync(join(signer, "events/sparse"), 500_000);
    const said: string[] = [];
    await provide({
      root,
      what: {
        label: "first",
        place: { base: join(root.scratch, "host"), paths: ["root/.orchestrator"] },
        changing: ["root/.orchestrator/logs"],
        isJson: (path) => path.endsWith(".json"),
      },
      settings: { directory: join(root.scratch, "mine/backups/Anvil"), move: moveNamed("pillar-host/prod/Anvil/1") },
      deps: {
        now: () => Date.parse("2026-11-21T18:00:00.123Z"),
        sleep: async () => undefined,
        say: (line) => said.push(line),
      },
      said,
    });
    root.close();
  },
});

const take = ({ root, what, settings, deps }: Stage) =>
  takeBackup(root, what, { ...settings, store: createDirectoryStore(settings.directory) }, deps);
const host = ({ root }: Stage, name: string) => join(root.scratch, "host/root/.orchestrator", name);
const mine = ({ settings }: Stage) => readdirSync(settings.directory).sort();

/** Expects no secret in the operator's files and in the output. */
function expectNoSecret(stage: Stage, ...more: string[]): void {
  const files = readdirSync(stage.settings.directory).map((name) => readFileSync(join(stage.settings.directory, name)));
  for (const text of [...files, ...stage.said, ...more]) expect(text.includes(passPhrase)).toBe(false);
}

describe("a backup", () => {
  test("is stored encrypted in the operator's directory, with its manifest and an event", async ({ stage }) => {
    const backup = await take(stage);
    const { directory } = stage.settings;
    const name = "pillar-host-prod-Anvil-1-first-2026-11-21T18-00-00-123Z";
    expect(mine(stage)).toEqual([`${name}.manifest.json`, `${name}.tar.age`, "record.jsonl"]);
    for (const file of mine(stage)) expect(statSync(join(directory, file)).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    const sealed = readFileSync(backup.file);
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
      keyShare: { files: ["root/.orchestrator/tss/localstate-ab.json"], generatedAt: generatedAt.toISOString() },
    });
    const manifest = JSON.parse(readFileSync(backup.manifestFile, "utf8"));
    expect(manifest.entries).toContainEqual({
      path: "root/.orchestrator/tss/localstate-ab.json",
      kind: "file",
      mode: "600",
      size: 31,
      owner: `${process.getuid?.()}:${process.getgid?.()}`,
      sha256: createHash("sha256").update(`{"share": "${passPhrase}"}`).digest("hex"),
    });
    expect(movesIn(directory)).toMatchObject([{ event: "backup", details: { label: "first", file: backup.file } }]);
    expect(await isBackupKept(createDirectoryStore(directory), backup)).toBe(true);
    expectNoSecret(stage);
  });

  test("decrypts to every file as it was, whatever its name", async ({ stage }) => {
    const backup = await take(stage);
    const { secret } = await openIdentity(stage.settings.directory, undefined, stage.deps.now);
    const archive = await readArchive(() => true);
    await pipeline(await decryptBackup(createReadStream(backup.file), secret), archive.input);
    for (const name of odd) expect(archive.kept.get(`root/.orchestrator/${name}`)).toBe(name);
    expect(archive.manifest().get("root/.orchestrator/events/sparse")?.size).toBe(500_000);
    expect(archive.manifest().get("root/.orchestrator/link")?.target).toBe("config.json");
    expect(archive.kept.get("root/.orchestrator/hard")).toContain(passPhrase);
  });

  test("ends if a host sends without an end", async ({ stage }) => {
    const { directory } = stage.settings;
    mkdirSync(directory, { recursive: true });
    const { recipient } = await openIdentity(directory, undefined, stage.deps.now);
    const { stdout } = await stage.root.stream("signer_archive", { ...stage.what.place });
    const sealing = seal({
      source: stdout,
      file: join(directory, "part"),
      recipient,
      keep: () => false,
      limitBytes: 100_000,
    });
    await expect(sealing).rejects.toThrow(
      "the archive is larger than the files that were listed: more than 100000 bytes",
    );
    expect(stdout.destroyed).toBe(true);
  });

  test("ends if a host sends too much before anything is written", async ({ stage }) => {
    const { directory } = stage.settings;
    mkdirSync(directory, { recursive: true });
    const { recipient } = await openIdentity(directory, undefined, stage.deps.now);
    const source = Readable.from([Buffer.alloc(200_000)]);
    await expect(
      seal({ source, file: join(directory, "part"), recipient, keep: () => false, limitBytes: 100_000 }),
    ).rejects.toThrow("the archive is larger than the files that were listed: more than 100000 bytes");
  });

  test("is not written over a file, which is an error like others", async ({ stage }) => {
    const { directory } = stage.settings;
    mkdirSync(directory, { recursive: true });
    const { recipient } = await openIdentity(directory, undefined, stage.deps.now);
    writeFileSync(join(directory, "part"), "another run's");
    const { stdout, done } = await stage.root.stream("signer_archive", { ...stage.what.place });
    await expect(
      seal({ source: stdout, file: join(directory, "part"), recipient, keep: () => false, limitBytes: 10_000_000 }),
    ).rejects.toThrow("EEXIST");
    expect(stdout.destroyed).toBe(true);
    // Its directory can be removed once it has ended.
    await done.catch(() => undefined);
    expect(readFileSync(join(directory, "part"), "utf8")).toBe("another run's");
  });

  test("removes files of killed runs, and keeps those of running ones", async ({ stage }) => {
    const { directory } = stage.settings;
    mkdirSync(directory, { recursive: true });
    const partOf = (pid: number) => join(directory, `pillar-host-prod-Anvil-1-first.${pid}.part`);
    const killed = spawnSync("true").pid;
    for (const pid of [killed, process.pid, process.ppid]) writeFileSync(partOf(pid), `of ${pid}`);
    await take(stage);
    expect(mine(stage).filter((name) => name.endsWith(".part"))).toEqual([basename(partOf(process.ppid))]);
    expect(readFileSync(partOf(process.ppid), "utf8")).toBe(`of ${process.ppid}`);
  });

  test("may be larger than the list, because files grow", () => {
    const entry = { kind: "file", mode: "600", owner: "0:0", sha256: "a" } as const;
    const listed = createManifest([
      { ...entry, path: "a", size: 1000 },
      { ...entry, path: "b", size: 1 },
    ]);
    expect(computeArchiveLimit(listed)).toBe(2 * 1001 + 2 * 4096 + 256 * 1024 * 1024);
  });

  test("is never overwritten, and the next one has the same key, announced once", async ({ stage }) => {
    const first = await take(stage);
    const before = readFileSync(first.file);
    const second = await take({ ...stage, deps: { ...stage.deps, now: () => Date.parse("2026-11-21T19:00:00Z") } });
    expect(second.file).not.toBe(first.file);
    expect(readFileSync(first.file)).toEqual(before);
    expect(stage.said.filter((line) => line.includes("made a key"))).toEqual([
      `backup: made a key that opens the backups: ${resolveOwnIdentityPath(stage.settings.directory)}`,
    ]);
    expect(statSync(second.identityFile).mode & 0o777).toBe(0o600);
    await expect(take(stage)).rejects.toThrow("exists already; nothing was overwritten");
    expect(readFileSync(first.file)).toEqual(before);
  });

  test("names the configured key, which is only read", async ({ stage }) => {
    const own = await openIdentity(join(stage.root.scratch, "other"), undefined, stage.deps.now);
    const text = readFileSync(own.file, "utf8");
    const backup = await take({ ...stage, settings: { ...stage.settings, identityFile: own.file } });
    expect(backup.identityFile).toBe(own.file);
    expect(readFileSync(own.file, "utf8")).toBe(text);
    expect(existsSync(resolveOwnIdentityPath(stage.settings.directory))).toBe(false);
    await prove(backup.file, own.secret, (await readWhole(backup.file, own.secret)).manifest());
    for (const name of mine(stage))
      expect(readFileSync(join(stage.settings.directory, name)).includes(own.secret)).toBe(false);
  });
});

async function readWhole(file: string, secret: string) {
  const archive = await readArchive();
  await pipeline(await decryptBackup(createReadStream(file), secret), archive.input);
  return archive;
}

describe("files that change during a backup", () => {
  test("a config.json that is rewritten is copied again", async ({ stage }) => {
    let rewrites = 0;
    const root: LocalRoot = {
      ...stage.root,
      stream: async (name, variables) => {
        if (name === "signer_archive" && rewrites < 2)
          writeFileSync(host(stage, "config.json"), `{"n": ${rewrites++}}`);
        return stage.root.stream(name, variables);
      },
    };
    await take({ ...stage, root });
    expect(rewrites).toBe(2);
    expect(stage.said.filter((line) => line.includes("taking it again"))).toHaveLength(2);
    expect(mine(stage).filter((name) => name.endsWith(".age"))).toHaveLength(1);
  });

  test("a file that never stays the same ends in an error without a backup", async ({ stage }) => {
    let rewrites = 0;
    const root: LocalRoot = {
      ...stage.root,
      stream: async (name, variables) => {
        writeFileSync(host(stage, "tss/localstate-ab.json"), `{"n": ${rewrites++}}`);
        return stage.root.stream(name, variables);
      },
    };
    const error = await take({ ...stage, root }).catch((thrown: Error) => thrown);
    expect(String(error)).toContain("no consistent backup of ");
    expect(String(error)).toContain("found: root/.orchestrator/tss/localstate-ab.json: ");
    expect(mine(stage)).toEqual([]);
  });

  test("logs are allowed to change", async ({ stage }) => {
    const root: LocalRoot = {
      ...stage.root,
      stream: async (name, variables) => {
        writeFileSync(host(stage, "logs/today.log"), `${Math.random()}`);
        return stage.root.stream(name, variables);
      },
    };
    await take({ ...stage, root });
    expect(stage.said.filter((line) => line.includes("taking it again"))).toEqual([]);
  });

  test("half a config.json ends in an error that shows none of it", async ({ stage }) => {
    writeFileSync(host(stage, "config.json"), `{"ProducerKeyFilePassphrase": "${passPhrase}`);
    const error = await take(stage).catch((thrown: Error) => thrown);
    expect(String(error)).toContain("root/.orchestrator/config.json: not whole JSON");
    expectNoSecret(stage, String(error));
  });
});

describe("faults of a backup", () => {
  test("a damaged backup is noticed, wherever it is damaged", async ({ stage }) => {
    const backup = await take(stage);
    const { secret } = await openIdentity(stage.settings.directory, undefined, stage.deps.now);
    const manifest = (await readWhole(backup.file, secret)).manifest();
    const whole = readFileSync(backup.file);
    for (const at of [5, 150, 100_000, whole.length - 1]) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(`${backup.file}.bad`, bytes);
      await expect(prove(`${backup.file}.bad`, secret, manifest)).rejects.toThrow("the backup could not be proved");
    }
    for (const length of [0, 100, 70_000, whole.length - 16]) {
      writeFileSync(`${backup.file}.bad`, whole.subarray(0, length));
      await expect(prove(`${backup.file}.bad`, secret, manifest)).rejects.toThrow(
        "does not decrypt to a whole archive",
      );
    }
  });

  test("a backup with a missing or additional file is not proved", async ({ stage }) => {
    const backup = await take(stage);
    const { secret } = await openIdentity(stage.settings.directory, undefined, stage.deps.now);
    const manifest = new Map((await readWhole(backup.file, secret)).manifest());
    const [first] = manifest.values();
    if (!first) expect.unreachable();
    manifest.set("more", { ...first, path: "more" });
    await expect(prove(backup.file, secret, manifest)).rejects.toThrow("found: more: missing");
  });

  test("reports a directory that can't be made", async ({ stage }) => {
    const directory = "/dev/full/none";
    await expect(take({ ...stage, settings: { ...stage.settings, directory } })).rejects.toThrow(
      "the backup could not be written on this machine: /dev/full/none\n  found: a file is in the way\n",
    );
  });

  test("reports a host whose archive breaks off, and leaves no file", async ({ stage }) => {
    const root: LocalRoot = {
      ...stage.root,
      stream: async (name, variables) => {
        if (name === "signer_archive") stage.root.before = "tar() { printf half; return 2; }";
        return stage.root.stream(name, variables);
      },
    };
    await expect(take({ ...stage, root })).rejects.toThrow("local: tar ended with 2");
    expect(mine(stage)).toEqual([]);
  });

  test.each([
    ["a missing file", undefined, "found: it does not exist on this machine"],
    ["a file without a key", "hello\n", "found: no line AGE-SECRET-KEY-1…"],
    ["an encrypted file", "age-encryption.org/v1\n", "found: a file that is encrypted itself"],
    ["a damaged key", "AGE-SECRET-KEY-1QQQ\n", "found: a damaged AGE-SECRET-KEY-1… line"],
  ])("refuses %s as the identity", async (_what, text, found) => {
    const root = localRoot();
    const file = join(root.scratch, "identity");
    if (text !== undefined) writeFileSync(file, text);
    await expect(openIdentity(root.scratch, file, () => Date.now())).rejects.toThrow(found);
    root.close();
  });

  test("a missing or truncated backup does not count", async ({ stage }) => {
    const backup = await take(stage);
    chmodSync(backup.file, 0o600);
    truncateSync(backup.file, 10);
    expect(await isBackupKept(createDirectoryStore(stage.settings.directory), backup)).toBe(false);
    expect(await isBackupKept(createDirectoryStore(stage.settings.directory), { ...backup, file: "/nowhere" })).toBe(
      false,
    );
  });
});
