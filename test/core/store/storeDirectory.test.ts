import path from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import * as records from "../../../core/store/storeDirectory.ts";

afterEach(() => vi.unstubAllEnvs());

it("keeps event logs below XDG_DATA_HOME, else below the home; ignores a relative XDG_DATA_HOME", () => {
  expect(
    ["/srv/records", "s3://b/p#Anvill", records.formatDefaultStore("Anvill")].map((place) =>
      records.renameStore(place, "Anvil"),
    ),
  ).toEqual(["/srv/records", "s3://b/p#Anvil", records.formatDefaultStore("Anvil")]);
  expect(records.formatDefaultStore("Anvil")).toBe("$XDG_DATA_HOME/pillar-host/records/Anvil");
  vi.stubEnv("XDG_DATA_HOME", "/data");
  expect(records.resolveStoreDirectory(records.formatDefaultStore("Anvil"))).toBe("/data/pillar-host/records/Anvil");
  const identity = records.resolveOwnIdentityPath("/data/pillar-host/records/Anvil");
  expect(identity).toBe("/data/pillar-host/keys/Anvil.age-identity");
  expect(records.resolveStoreDirectory("s3://state#Anvil")).toBe("/data/pillar-host/records/Anvil");
  vi.stubEnv("HOME", "/home/ada");
  for (const given of ["", "data"]) {
    vi.stubEnv("XDG_DATA_HOME", given);
    expect(records.resolveDataDirectory()).toBe("/home/ada/.local/share/pillar-host");
    expect(records.resolveStoreDirectory(records.formatDefaultStore("Anvil"))).toBe(
      "/home/ada/.local/share/pillar-host/records/Anvil",
    );
  }
});

it("uses a configured place as it is, with the key beside it", () => {
  expect(records.resolveStoreDirectory("safe/Anvil")).toBe(path.resolve("safe/Anvil"));
  expect(records.resolveStoreDirectory("/mnt/safe")).toBe("/mnt/safe");
  expect(records.resolveOwnIdentityPath("/mnt/safe/")).toBe("/mnt/safe.age-identity");
});
