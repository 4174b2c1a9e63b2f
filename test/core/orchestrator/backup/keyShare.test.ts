import { expect, test } from "vitest";
import { hasSameShare, isKeyShare } from "../../../../core/orchestrator/backup/keyShare";
import type { Entry } from "../../../../core/orchestrator/backup/manifest";

const file = (path: string, sha256: string): Entry => ({
  path,
  kind: "file",
  mode: "600",
  owner: "0:0",
  size: 1,
  sha256,
});

test("finds the key share's files and no others", () => {
  const paths = ["tss/localstate-a.json", "root/.orchestrator/tss/localstate-b.json"];
  expect(paths.filter(isKeyShare)).toEqual(paths);
  const others = [
    "tss/address_book.seed",
    "localstate-a.json",
    "tss/old/localstate-a.json",
    "tss/localstate-a.json.bak",
  ];
  expect(others.filter(isKeyShare)).toEqual([]);
});

test("two backups have the same share if all its files have the same bytes", () => {
  const first = [file("root/.orchestrator/tss/localstate-a.json", "aa"), file("root/.orchestrator/config.json", "1")];
  expect(hasSameShare(first, [file("tss/localstate-a.json", "aa")])).toBe(true);
  expect(hasSameShare(first, [file("tss/localstate-a.json", "bb")])).toBe(false);
  expect(hasSameShare(first, [...first, file("tss/localstate-b.json", "cc")])).toBe(false);
  expect(hasSameShare(first, [])).toBe(false);
});
