import { createHash } from "node:crypto";
import { unzipSync } from "fflate";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buildOrchestratorRelease } from "../../lab/doubles/orchestratorRelease";
import { buildRelease, type ServedReleases, serveReleases } from "../../lab/doubles/release";

const sha256 = (data: Buffer) => createHash("sha256").update(data).digest("hex");

describe("a release", () => {
  it("is the same bytes for the same options, and others for others", async () => {
    const options = { menu: "v0.0.4", libraryBytes: 64 } as const;
    const [one, two, other] = [
      await buildRelease(options),
      await buildRelease(options),
      await buildRelease({ ...options, version: "v0.0.5" }),
    ];
    expect(sha256(one)).toBe(sha256(two));
    expect(sha256(one)).not.toBe(sha256(other));
  });

  it("holds the executable controller and its library, and nothing else", async () => {
    const archive = await buildRelease({ menu: "v0.0.1", libraryBytes: 1000 });
    const files = unzipSync(archive);
    expect(Object.keys(files)).toEqual(["node-controller", "libargon2_ffi_plugin.so"]);
    expect(Buffer.from(files["node-controller"] ?? []).toString()).toMatch(/^#!\/usr\/local\/bin\/node\n/);
    expect(files["libargon2_ffi_plugin.so"]?.subarray(0, 4)).toEqual(new Uint8Array([0x7f, 0x45, 0x4c, 0x46]));
    expect(files["libargon2_ffi_plugin.so"]).toHaveLength(1000);
    // Modes are the upper half of the external attributes, 8 bytes before a name in the directory at the end.
    const modes = ["node-controller", "libargon2_ffi_plugin.so"].map(
      (name) => archive.readUInt32LE(archive.lastIndexOf(name) - 8) >>> 16,
    );
    expect(modes).toEqual([0o100755, 0o100644]);
  });
});

describe("an orchestrator's release", () => {
  it("holds the executable only, the same bytes for the same version", async () => {
    const [one, two, other] = await Promise.all(
      ["v0.0.9a", "v0.0.9a", "v0.0.8"].map((version) => buildOrchestratorRelease({ version })),
    );
    const files = unzipSync(one ?? Buffer.alloc(0));
    expect(Object.keys(files)).toEqual(["orchestrator-linux-amd64"]);
    expect(Buffer.from(files["orchestrator-linux-amd64"] ?? []).toString()).toMatch(/^#!\/usr\/local\/bin\/node\n/);
    expect(one).toEqual(two);
    expect(one).not.toEqual(other);
    const plain = await buildOrchestratorRelease({ version: "v0.0.9a", entry: "orchestrator" });
    expect(Object.keys(unzipSync(plain))).toEqual(["orchestrator"]);
  });
});

describe("the release server", () => {
  const archive = Buffer.from("PK\u0003\u0004 an archive of 26 bytes");
  let served: ServedReleases;

  beforeEach(async () => {
    served = await serveReleases({ host: "127.0.0.1", port: 0, releases: { controller: archive } });
  });

  afterEach(() => served.close());

  const get = (path: string, init: RequestInit = {}) => fetch(`${served.url}${path}`, init);
  const fault = (faults: object) =>
    get("/faults", { method: "PATCH", body: JSON.stringify({ controller: faults }) }).then(({ status }) => status);

  it("serves an archive with its length and a date, and HEAD without the body", async () => {
    for (const method of ["GET", "HEAD"]) {
      const response = await get("/controller.zip", { method });
      expect(response.headers.get("content-type")).toBe("application/zip");
      expect(response.headers.get("content-length")).toBe(String(archive.length));
      expect(Math.abs(Date.parse(response.headers.get("date") ?? "") - Date.now())).toBeLessThan(2000);
      expect(Buffer.from(await response.arrayBuffer())).toEqual(method === "GET" ? archive : Buffer.alloc(0));
    }
    expect((await get("/other.zip")).status).toBe(404);
    expect((await get("/controller.zip", { method: "POST" })).status).toBe(405);
  });

  it("tells the caller its address", async () => {
    expect(await (await get("/ip")).text()).toBe("127.0.0.1");
  });

  it("serves another archive at the same address", async () => {
    await get("/controller.zip", { method: "PUT", body: "newer" });
    expect(await (await get("/controller.zip")).text()).toBe("newer");
  });

  it("breaks off a download whose header promised all of it", async () => {
    expect(await fault({ truncate: 10 })).toBe(204);
    const response = await get("/controller.zip");
    expect(response.headers.get("content-length")).toBe(String(archive.length));
    await expect(response.arrayBuffer()).rejects.toThrow("terminated");
    expect(await fault({})).toBe(204);
    expect((await (await get("/controller.zip")).arrayBuffer()).byteLength).toBe(archive.length);
  });

  it("serves a page instead of an archive, with status 200", async () => {
    await fault({ html: true });
    const response = await get("/controller.zip");
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(await response.text()).toMatch(/^<!DOCTYPE html>/);
  });

  it("redirects, fails, and lies about the time", async () => {
    await fault({ redirect: "/ip" });
    expect(await (await get("/controller.zip")).text()).toBe("127.0.0.1");
    await fault({ status: 503 });
    expect((await get("/controller.zip")).status).toBe(503);
    await fault({ dateOffsetSeconds: -3600 });
    const date = (await get("/controller.zip")).headers.get("date") ?? "";
    expect(Math.round((Date.now() - Date.parse(date)) / 60_000)).toBe(60);
  });

  it("is as slow as it is told, or says nothing", async () => {
    await fault({ slowBytesPerSecond: 100 });
    const before = Date.now();
    expect((await (await get("/controller.zip")).arrayBuffer()).byteLength).toBe(archive.length);
    expect(Date.now() - before).toBeGreaterThanOrEqual(190);
    await fault({ hang: true });
    await expect(get("/controller.zip", { signal: AbortSignal.timeout(50) })).rejects.toThrow(/timeout/);
  });

  it("refuses a fault that it does not know", async () => {
    expect(await fault({ truncated: 1 })).toBe(400);
  });
});
