import fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { dataDirectory, meantPlace, ownIdentityFile, recordsWord } from "../../../core/store/places";
import { recordsAt } from "../../../core/store/records";
import type { Disk } from "../../../core/store/wholeCopy";
import { journeyIn, movesIn } from "../../recordIn";

const here = process.cwd();
let root: string;
let said: string[];

const inCheckout = (...names: string[]) => path.join(root, "checkout", ...names);
const inData = (...names: string[]) => path.join(root, "data/pillar-host", ...names);
const say = (line: string) => void said.push(line);
const take = (disk: Disk = fs) => recordsAt(recordsWord("Anvil"), { disk, say });

const line = (second: number, event: string) =>
  `${JSON.stringify({ version: 1, at: `2026-11-22T10:00:0${second}.000Z`, stack: "prod", pillar: "Anvil", event })}\n`;
const backupLine = (file: string) =>
  `${JSON.stringify({
    ...{ version: 1, at: "2026-11-22T10:00:05.000Z", move: "pillar-host/prod/Anvil/1", event: "backup" },
    details: {
      label: "first",
      file,
      manifestFile: `${file}.json`,
      identityFile: inCheckout("backups/Anvil.age-identity"),
    },
  })}\n`;

/** What an earlier version left. */
const left: Readonly<Record<string, string>> = {
  "backups/Anvil/a.tar.age": "sealed".repeat(1000),
  "backups/Anvil/a.tar.age.json": "{}",
  "backups/Anvil/releases.json": '{"of":"then"}',
  "backups/Anvil/a.part": "half",
  "backups/Anvil.age-identity": "AGE-SECRET-KEY-1NONE\n",
};
const log = () => line(1, "host") + line(2, "synced") + backupLine(inCheckout("backups/Anvil/a.tar.age"));

function leave(files: Readonly<Record<string, string>> = {}): void {
  for (const [name, text] of Object.entries({ ...left, "backups/Anvil/record.jsonl": log(), ...files })) {
    fs.mkdirSync(path.dirname(inCheckout(name)), { recursive: true });
    fs.writeFileSync(inCheckout(name), text, { mode: 0o644 });
  }
}

function put(name: string, text: string): void {
  fs.mkdirSync(path.dirname(inData(name)), { recursive: true });
  fs.writeFileSync(inData(name), text);
}

const refusal = (work: () => unknown = take) => {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return "";
};

function expectTaken(): void {
  expect(fs.readdirSync(inData("records/Anvil")).sort()).toEqual(
    ["a.tar.age", "a.tar.age.json", "record.jsonl", "releases.json"].sort(),
  );
  expect(fs.readFileSync(inData("records/Anvil/record.jsonl"), "utf8")).toBe(log());
  expect(fs.readFileSync(inData("records/Anvil/a.tar.age"), "utf8")).toBe(left["backups/Anvil/a.tar.age"]);
  expect(fs.readFileSync(inData("keys/Anvil.age-identity"), "utf8")).toBe(left["backups/Anvil.age-identity"]);
  expect(fs.readlinkSync(inCheckout("backups/Anvil"))).toBe(inData("records/Anvil"));
  expect(fs.readlinkSync(inCheckout("backups/Anvil.age-identity"))).toBe(inData("keys/Anvil.age-identity"));
}

beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "store-")));
  said = [];
  fs.mkdirSync(inCheckout());
  process.chdir(inCheckout());
  vi.stubEnv("XDG_DATA_HOME", path.join(root, "data"));
});
afterEach(() => {
  process.chdir(here);
  vi.unstubAllEnvs();
  fs.rmSync(root, { recursive: true });
});

describe("the place", () => {
  it("is below XDG_DATA_HOME, else below the home; a relative one counts as none", () => {
    expect(recordsWord("Anvil")).toBe("$XDG_DATA_HOME/pillar-host/records/Anvil");
    expect(take()).toBe(inData("records/Anvil"));
    expect(ownIdentityFile(take())).toBe(inData("keys/Anvil.age-identity"));
    vi.stubEnv("HOME", "/home/ada");
    for (const given of ["", "data"]) {
      vi.stubEnv("XDG_DATA_HOME", given);
      expect(dataDirectory()).toBe("/home/ada/.local/share/pillar-host");
      expect(meantPlace(recordsWord("Anvil"))).toBe("/home/ada/.local/share/pillar-host/records/Anvil");
    }
  });

  it("is the configured one where there is one, which nothing is taken from or to", () => {
    leave();
    expect(recordsAt("backups/Anvil", { disk: fs, say })).toBe(inCheckout("backups/Anvil"));
    expect(recordsAt("/mnt/safe", { disk: fs, say })).toBe("/mnt/safe");
    expect(ownIdentityFile("/mnt/safe/")).toBe("/mnt/safe.age-identity");
    expect([fs.existsSync(inData()), said]).toEqual([false, []]);
  });

  it("makes nothing where there is nothing to take", () => {
    take();
    expect(fs.readdirSync(root)).toEqual(["checkout"]);
  });
});

describe("taking over what lies in the checkout", () => {
  it("brings all of it, for its owner alone, says so once, and keeps the old files aside", () => {
    leave();
    take();
    expectTaken();
    for (const name of fs.readdirSync(inData("records/Anvil")))
      expect(fs.statSync(inData("records/Anvil", name)).mode & 0o777).toBe(0o600);
    expect(fs.statSync(inData("keys/Anvil.age-identity")).mode & 0o777).toBe(0o600);
    for (const each of [".", "records", "records/Anvil", "keys"])
      expect(fs.statSync(inData(each)).mode & 0o777).toBe(0o700);
    expect(fs.readdirSync(inCheckout("backups/Anvil.taken-over"))).toContain("a.part");
    take();
    expect(said).toEqual([
      `The records of Anvil were brought from ${inCheckout("backups/Anvil")} to ${inData("records/Anvil")}; the key of its backups lies in ${inData("keys/Anvil.age-identity")}. Keep copies of both, apart from each other and from this machine.`,
    ]);
  });

  it("closes a data directory that was open to others", () => {
    leave();
    fs.mkdirSync(inData(), { recursive: true, mode: 0o755 });
    take();
    expect(fs.statSync(inData()).mode & 0o777).toBe(0o700);
  });

  it("loses nothing where the checkout is cleaned, and a second checkout sees the same", () => {
    leave();
    take();
    fs.rmSync(inCheckout(), { recursive: true });
    fs.mkdirSync(path.join(root, "second"));
    process.chdir(path.join(root, "second"));
    const directory = take();
    expect(journeyIn(directory, "Anvil").map(({ event }) => event)).toEqual(["host", "synced"]);
    expect(movesIn(directory)).toMatchObject([
      {
        details: {
          ...{ file: inData("records/Anvil/a.tar.age"), manifestFile: inData("records/Anvil/a.tar.age.json") },
          identityFile: inData("keys/Anvil.age-identity"),
        },
      },
    ]);
  });

  it("lets code of the earlier version go on where it was: its lines are of the one record", () => {
    leave();
    take();
    fs.appendFileSync(inCheckout("backups/Anvil/record.jsonl"), line(6, "released"));
    expect(journeyIn(take(), "Anvil").map(({ event }) => event)).toEqual(["host", "synced", "released"]);
    expect(said).toHaveLength(1);
  });

  it("goes on from an older part of the record, and keeps a longer one", () => {
    leave();
    put("records/Anvil/record.jsonl", log().slice(0, 100));
    put("records/Anvil/releases.json", "newer");
    take();
    expect(fs.readFileSync(inData("records/Anvil/record.jsonl"), "utf8")).toBe(log());
    expect(fs.readFileSync(inData("records/Anvil/releases.json"), "utf8")).toBe("newer");
    fs.rmSync(inCheckout("backups"), { recursive: true });
    fs.appendFileSync(inData("records/Anvil/record.jsonl"), line(7, "producing"));
    leave();
    take();
    expect(fs.readFileSync(inData("records/Anvil/record.jsonl"), "utf8")).toBe(log() + line(7, "producing"));
  });

  it.each([
    ["a record", "records/Anvil/record.jsonl", line(1, "host") + line(3, "producing"), "which differ from line 2 on"],
    ["a backup", "records/Anvil/a.tar.age", "another", "a.tar.age are not the same"],
    ["a key", "keys/Anvil.age-identity", "AGE-SECRET-KEY-1OTHER", "Anvil.age-identity are not the same"],
  ])("refuses where %s here contradicts the one there, and changes nothing", (_, name, text, found) => {
    leave();
    put(name, text);
    const before = fs.readdirSync(root, { recursive: true }).sort();
    for (const _again of [1, 2]) {
      const message = refusal();
      expect(message).toContain("the records of Anvil lie in two places on this machine, and contradict each other");
      expect(message).toContain(found);
      expect(message).toContain(
        "pulumi config set --path pillar-host:orchestrator.backup.directory DIRECTORY -s ITS_NAME",
      );
    }
    expect(fs.readFileSync(inData(name), "utf8")).toBe(text);
    const after = fs.readdirSync(root, { recursive: true }).sort();
    const places = ["data/pillar-host/keys", "data/pillar-host/records", "data/pillar-host/records/Anvil"];
    expect(after.filter((each) => !places.includes(String(each)))).toEqual(
      before.filter((each) => !places.includes(String(each))),
    );
    expect(said).toEqual([]);
  });

  it("is not led elsewhere: a link of the operator's, another environment, and a disk that is not there are told", () => {
    fs.mkdirSync(inCheckout("backups"));
    fs.mkdirSync(path.join(root, "safe"));
    fs.symlinkSync(path.join(root, "safe"), inCheckout("backups/Anvil"));
    expect(refusal()).toContain(`pillar-host:orchestrator.backup.directory ${root}/safe -s STACK`);
    fs.rmSync(inCheckout("backups"), { recursive: true });

    leave();
    take();
    vi.stubEnv("XDG_DATA_HOME", path.join(root, "other"));
    expect(refusal()).toContain(`found: ${inData("records/Anvil")} by the checkout, ${root}/other/pillar-host/records`);
    vi.stubEnv("XDG_DATA_HOME", path.join(root, "data"));
    fs.renameSync(inData(), `${inData()}.unmounted`);
    expect(refusal()).toContain(`leads to ${inData("records/Anvil")}, where nothing lies`);
    fs.renameSync(`${inData()}.unmounted`, inData());
    expectTaken();
  });
});

/** A disk that fails at one of its changes, and at all that follow: what a killed process would still do, is not done. */
function failingAt(count: number, code: string, isFinal: boolean) {
  let changes = 0;
  let failed = false;
  const changing = /^(mkdir|write|link|rename|symlink|fsync|rm|chmod)Sync$/;
  const disk = new Proxy(fs, {
    get: (target, name: keyof typeof fs) => {
      const real = target[name] as (...args: unknown[]) => unknown;
      if (typeof name !== "string" || typeof real !== "function") return real;
      return (...args: unknown[]) => {
        const opensNew = name === "openSync" && args[1] !== "r";
        if (failed && isFinal) throw Object.assign(new Error("killed"), { code });
        if (!changing.test(name) && !opensNew) return real.apply(target, args);
        changes += 1;
        if (changes !== count) return real.apply(target, args);
        failed = true;
        // Half of it is done.
        if (name === "writeSync") fs.writeSync(args[0] as number, (args[1] as Buffer).subarray(0, 3));
        throw Object.assign(new Error(`${code}: at ${name}`), { code });
      };
    },
  });
  return { disk: disk as Disk, hasFailed: () => failed };
}

describe("a take-over that fails", () => {
  it("takes no copy for whole that reads back otherwise", () => {
    leave();
    const disk = new Proxy(fs, {
      get: (target, name: keyof typeof fs) =>
        name === "writeSync"
          ? (handle: number, bytes: Buffer) => fs.writeSync(handle, Buffer.alloc(bytes.length))
          : target[name],
    });
    expect(refusal(() => take(disk))).toContain("what was written reads back otherwise");
    expect(fs.readFileSync(inCheckout("backups/Anvil/record.jsonl"), "utf8")).toBe(log());
    expect(fs.readdirSync(inData("records/Anvil"))).toEqual([]);
    take();
    expectTaken();
  });

  it("goes on after a kill before any of its changes, and nothing was away meanwhile", () => {
    let kills = 0;
    for (let at = 1; ; at += 1) {
      leave();
      const { disk, hasFailed } = failingAt(at, "EKILLED", true);
      refusal(() => take(disk));
      if (!hasFailed()) break;
      kills += 1;
      const places = [inCheckout("backups/Anvil"), inCheckout("backups/Anvil.taken-over"), inData("records/Anvil")];
      const whole = places.filter((each) => {
        const file = path.join(each, "record.jsonl");
        return fs.existsSync(file) && fs.readFileSync(file, "utf8") === log();
      });
      expect(whole, `record, killed at ${at}`).not.toEqual([]);
      expect(fs.existsSync(inCheckout("backups/Anvil.age-identity")), `key, killed at ${at}`).toBe(true);
      take();
      expectTaken();
      take();
      expectTaken();
      fs.rmSync(inCheckout("backups"), { recursive: true });
      fs.rmSync(inData(), { recursive: true });
    }
    expect(kills).toBeGreaterThan(30);
  });

  it("goes on after a kill before the link, with what was written until then, where there is no key", () => {
    leave();
    fs.rmSync(inCheckout("backups/Anvil.age-identity"));
    take();
    fs.rmSync(inCheckout("backups/Anvil"));
    fs.appendFileSync(inCheckout("backups/Anvil.taken-over/record.jsonl"), line(6, "released"));
    take();
    expect(fs.readFileSync(inCheckout("backups/Anvil/record.jsonl"), "utf8")).toBe(log() + line(6, "released"));
    expect(fs.readlinkSync(inCheckout("backups/Anvil"))).toBe(inData("records/Anvil"));
  });

  it.each([
    ["ENOSPC", "found: the disk is full"],
    ["EACCES", "found: EACCES"],
  ])("says of %s what is needed, leaves all where it was, and goes on once it is mended", (code, found) => {
    for (const at of [1, 5, 12, 20]) {
      leave();
      const { disk, hasFailed } = failingAt(at, code, false);
      const message = refusal(() => take(disk));
      expect(hasFailed()).toBe(true);
      // An fsync of a directory that fails is not told: not every file system has it.
      if (message !== "") {
        expect(message).toContain(`could not be brought from the program's directory to ${inData("records/Anvil")}`);
        expect(message).toContain(found);
        expect(fs.readFileSync(inCheckout("backups/Anvil/record.jsonl"), "utf8")).toBe(log());
      }
      take();
      expectTaken();
      fs.rmSync(inCheckout("backups"), { recursive: true });
      fs.rmSync(inData(), { recursive: true });
    }
  });
});
