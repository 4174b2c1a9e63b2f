import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { askRelease } from "../../../cli/edit/moveOrchestrator.ts";
import * as prompts from "../../../cli/terminal/prompts.ts";
import * as published from "../../../core/chain/publishedHash.ts";
import { knownRelease } from "../../../core/config/orchestratorSchema.ts";
import { configOf } from "../../components/exampleConfig.ts";

const sha256 = "ab".repeat(32);
const file = "https://example.org/SHA256CHECKSUMS.txt";
const shown: string[] = [];

beforeEach(() => {
  shown.length = 0;
  vi.spyOn(prompts, "isTerminal").mockReturnValue(true);
  vi.spyOn(prompts, "askConfirmation").mockResolvedValue(true);
  vi.spyOn(prompts, "askText").mockImplementation(async (_, options) => options?.default ?? "");
  vi.spyOn(console, "error").mockImplementation((line: string) => void shown.push(line));
  vi.spyOn(published, "readPublishedHash").mockResolvedValue({ sha256, file });
  vi.spyOn(published, "hashDownload").mockResolvedValue("cd".repeat(32));
});
afterEach(() => void vi.restoreAllMocks());

test("shows the known release's published hash, its page and its file, and takes it after a yes", async () => {
  const found = await askRelease(configOf(), {});
  expect(found).toEqual({ release: knownRelease, releaseSha256: sha256, releaseVersion: "v0.0.9a" });
  const page = "https://github.com/HyperCore-Team/orchestrator/releases/tag/v0.0.9a-alphanet";
  for (const each of [knownRelease, sha256, file, page]) expect(shown.join("\n")).toContain(each);
  expect(shown.join("\n")).not.toContain("UNCONFIRMED");
  expect(published.hashDownload).not.toHaveBeenCalled();
});

test("says that the hash of a download is unconfirmed, and asks for another release's version", async () => {
  vi.spyOn(published, "readPublishedHash").mockResolvedValue(undefined);
  const release = "https://example.org/orchestrator.zip";
  const found = await askRelease(configOf(), { release });
  expect(found).toEqual({ release, releaseSha256: "cd".repeat(32), releaseVersion: "v0.0.9a" });
  expect(shown.join("\n")).toMatch(/No checksum file lies beside it[\s\S]*UNCONFIRMED[\s\S]*Compare it/);
});

test("changes nothing after a no, and names the option and the page for another hash", async () => {
  vi.spyOn(prompts, "askConfirmation").mockResolvedValue(false);
  await expect(askRelease(configOf(), {})).rejects.toThrow(
    /^the release was not confirmed: nothing was changed\n {2}needed: give --release-sha256 the hash from https:\S+\/releases\/tag\//,
  );
});

test("asks neither without a terminal nor for a hash that is given or configured", async () => {
  const release = { url: knownRelease, sha256, version: "v0.0.9a" };
  expect(await askRelease(configOf({ orchestrator: { release } }), {})).toEqual({});
  expect(await askRelease(configOf(), { releaseSha256: sha256 })).toEqual({ releaseSha256: sha256 });
  vi.spyOn(prompts, "isTerminal").mockReturnValue(false);
  expect(await askRelease(configOf(), {})).toEqual({});
  expect(published.readPublishedHash).not.toHaveBeenCalled();
});
