import { createHash } from "node:crypto";
import { afterEach, expect, test, vi } from "vitest";
import { findReleasePage, hashDownload, readPublishedHash } from "../../../core/chain/publishedHash.ts";

afterEach(() => vi.unstubAllGlobals());

const directory = "https://github.com/someone/orchestrator/releases/download/v0.0.9a-alphanet";
const url = `${directory}/orchestrator-linux-amd64.zip`;
const [zip, program] = ["ab".repeat(32), "cd".repeat(32)];

/** Serves these files beside the release, each over the network path that its name says. */
function serve(files: Readonly<Record<string, string | number>>, last = (address: string) => address) {
  const requested: string[] = [];
  vi.stubGlobal("fetch", async (address: string) => {
    requested.push(address.slice(directory.length + 1));
    const file = files[requested.at(-1) ?? ""] ?? 404;
    if (file === 0) throw new TypeError("fetch failed", { cause: { code: "ENOTFOUND" } });
    const response = new Response(typeof file === "string" ? file : "page", {
      status: typeof file === "string" ? 200 : file,
    });
    return Object.defineProperty(response, "url", { value: last(address) });
  });
  return requested;
}

test.each([
  ["a line for each file", `${program}  orchestrator-linux-amd64\n${zip}  orchestrator-linux-amd64.zip\n`],
  ["binary mode, upper case, a folder", `${zip.toUpperCase()} *./orchestrator-linux-amd64.zip`],
  ["all in one line", `${program} orchestrator-linux-amd64 ${zip} orchestrator-linux-amd64.zip`],
  ["lines that lost their ends", `${program}  orchestrator-linux-amd64${zip}  orchestrator-linux-amd64.zip`],
])("finds the hash in a checksum file: %s", async (_form, text) => {
  const requested = serve({ "SHA256CHECKSUMS.txt": text });
  expect(await readPublishedHash(url)).toEqual({ sha256: zip, file: `${directory}/SHA256CHECKSUMS.txt` });
  expect(requested).toEqual(["SHA256CHECKSUMS.txt"]);
});

test("asks the next file if one is missing or does not name the release", async () => {
  const others = `${program}  orchestrator-linux-amd64\n${program}  orchestrator-linux-amd64.zip.asc\n`;
  serve({ "SHA256CHECKSUMS.txt": others, SHA256SUMS: `${zip}  orchestrator-linux-amd64.zip` });
  expect((await readPublishedHash(url))?.file).toBe(`${directory}/SHA256SUMS`);
  serve({ "orchestrator-linux-amd64.zip.sha256": `${zip}\n` });
  expect(await readPublishedHash(url)).toEqual({ sha256: zip, file: `${url}.sha256` });
});

test.each([
  ["none of the files exists", {}],
  ["a page is in their place", { "SHA256CHECKSUMS.txt": "<html>not here</html>" }],
  [
    "it names two hashes",
    { "SHA256CHECKSUMS.txt": `${zip} orchestrator-linux-amd64.zip\n${program} orchestrator-linux-amd64.zip` },
  ],
])("knows no published hash if %s", async (_why, files) => {
  serve(files);
  expect(await readPublishedHash(url)).toBeUndefined();
});

test("reads no hash over plain http, and names the address that fails", async () => {
  serve({ "SHA256CHECKSUMS.txt": `${zip} orchestrator-linux-amd64.zip` }, (address) =>
    address.replace("https", "http"),
  );
  await expect(readPublishedHash(url)).rejects.toThrow(
    `a release's hash could not be read from ${directory}/SHA256CHECKSUMS.txt\n  found: it is served over plain http`,
  );
  serve({ "SHA256CHECKSUMS.txt": 503 });
  await expect(readPublishedHash(url)).rejects.toThrow("found: it answers 503");
  serve({ "SHA256CHECKSUMS.txt": 0 });
  await expect(readPublishedHash(url)).rejects.toThrow("found: ENOTFOUND");
});

test("hashes a download, and never the page that says that there is none", async () => {
  serve({ "orchestrator-linux-amd64.zip": "archive" });
  expect(await hashDownload(url)).toBe(createHash("sha256").update("archive").digest("hex"));
  serve({});
  await expect(hashDownload(url)).rejects.toThrow("found: no such file");
  serve({ "orchestrator-linux-amd64.zip": 403 });
  await expect(hashDownload(url)).rejects.toThrow("found: it answers 403");
});

test("knows the page of a release", () => {
  expect(findReleasePage(url)).toBe("https://github.com/someone/orchestrator/releases/tag/v0.0.9a-alphanet");
  expect(findReleasePage("https://example.org/files/orchestrator.zip")).toBe("https://example.org/files/");
});
