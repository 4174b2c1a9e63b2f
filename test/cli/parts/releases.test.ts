import { describe, expect, test } from "vitest";
import {
  type CachedRelease,
  installedRelease,
  parseReleases,
  releaseText,
  stillHolds,
  wantedOf,
  withHash,
  withoutHash,
} from "../../../cli/parts/releases";
import { configOf } from "../../components/exampleConfig";
import { clock } from "./exampleParts";

const [a, b] = ["a".repeat(64), "b".repeat(64)];
const hour = 3_600_000;
const kept = (changes: Partial<CachedRelease> = {}): CachedRelease => ({
  ...{ sha256: a, first: "504b0304", at: clock - hour, validators: { etag: '"x"', length: "5" } },
  ...changes,
});
const text = (...args: Parameters<typeof withHash>) => releaseText(withHash(...args), args[3]);

describe("what the host tells", () => {
  test("is read by program; cut off it counts for nothing", () => {
    const lines = ["controller.wanted=u any", `controller.installed=${a}`, 'controller.etag="x=y"', "end=yes"];
    expect(installedRelease(parseReleases(lines.join("\n")), "controller")).toEqual({
      ...{ wanted: "u any", installed: a, validators: { etag: '"x=y"' } },
    });
    expect(installedRelease(parseReleases(lines.join("\n")), "orchestrator")).toEqual({ validators: {} });
    expect(() => parseReleases(lines.slice(0, 3).join("\n"))).toThrow("was cut off");
  });

  test("is compared with what the configuration names, as the host wrote it down", () => {
    const config = configOf({ controller: { release: { url: "https://r.example/c.zip", sha256: a } } });
    expect(wantedOf(config, "controller")?.marker).toBe(`https://r.example/c.zip ${a}`);
    const versioned = configOf({ controller: { release: { url: "https://r.example/c.zip", version: "v0.0.4" } } });
    expect(wantedOf(versioned, "controller")?.marker).toBe("https://r.example/c.zip any v0.0.4");
    expect(wantedOf(config, "orchestrator")).toBeUndefined();
    expect(withoutHash("controller", { validators: {} }, "u any")?.kind).toBe("notInstalled");
    expect(withoutHash("controller", { installed: a, wanted: "v any", validators: {} }, "u any")?.kind).toBe(
      "toInstall",
    );
    expect(withoutHash("controller", { installed: a, wanted: "u any", validators: {} }, "u any")).toBeUndefined();
  });
});

test.each([
  ["nothing kept", undefined, { etag: '"x"', length: "5" }, false],
  ["the same tag, however old", kept({ at: 0 }), { etag: '"x"', length: "5" }, true],
  ["another tag", kept(), { etag: '"y"', length: "5" }, false],
  ["another length", kept(), { etag: '"x"', length: "6" }, false],
  ["a server that tells no more", kept(), {}, false],
  ["no word, of today", kept({ validators: {} }), {}, true],
  ["no word, of yesterday", kept({ validators: {}, at: clock - 24 * hour }), {}, false],
  ["only a length, of today", kept({ validators: { length: "5" } }), { length: "5" }, true],
  ["only a length, and another", kept({ validators: { length: "5" } }), { length: "6" }, false],
])("a hash stands: %s", (_name, before, now, holds) => {
  expect(stillHolds(before, now, clock)).toBe(holds);
});

describe("what is said", () => {
  test("the same, and how that is known", () => {
    expect(text("controller", a, kept(), clock)).toBe(
      "controller: its address serves what is installed, sha256 aaaaaaaaaaaa… (hashed 1 h 00 min ago, unchanged since by its server's word)",
    );
    expect(text("controller", a, kept({ at: clock }), clock)).toContain("(hashed now, on the host)");
    expect(text("controller", a, kept({ validators: { length: "5" } }), clock)).toContain("(hashed 1 h 00 min ago)");
  });

  test("another one, with both hashes", () => {
    expect(text("controller", b, kept({ at: clock }), clock)).toBe(
      "controller: its address serves ANOTHER release now, sha256 aaaaaaaaaaaa…; installed is sha256 bbbbbbbbbbbb… (hashed now, on the host). Nothing changes by itself",
    );
  });

  test("a page is no release; an orchestrator may be no archive", () => {
    const page = kept({ first: "3c21444f" });
    expect(withHash("controller", b, page, clock).kind).toBe("noArchive");
    expect(withHash("orchestrator", b, page, clock).kind).toBe("another");
  });
});
