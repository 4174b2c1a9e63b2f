import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { cacheRoot } from "../util/cache.ts";
import { ensureBaseImage, ownRootFileSystem } from "./baseImage.ts";
import { findMirror, sourcesOf } from "./mirror.ts";

/**
 * Runs the apt proxy of the lab's hosts. It runs outside their namespaces, where the machine's Debian mirror is
 * reachable. It listens on a socket file only, so the lab takes no port of this machine (a packaged proxy cannot do
 * that). It fetches only from the machine's own Debian mirror, and from the sources of a person's own root file system. Immutable files (packages, and indices by hash) are
 * cached, each as a whole or not at all.
 * Run with SOCKET as its argument (lab/util/labProgram.ts).
 */
async function main(socket: string): Promise<void> {
  const mirror = await findMirror();
  const own = ownRootFileSystem();
  // The base image is there already, as a directory also if a tar archive was brought.
  const sources = own ? await sourcesOf(await ensureBaseImage()) : [];
  const allowed = [mirror.debian, mirror.security, ...sources.map((uri) => uri.replace(/\/+$/, ""))].map(
    (uri) => new URL(uri),
  );
  const directory = join(cacheRoot(), "apt");
  await mkdir(directory, { recursive: true });
  const server = http.createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(502);
      response.end(`apt proxy: ${error instanceof Error ? error.message : error}\n`);
    });
  });

  async function serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://invalid");
    const known = allowed.some(({ host, pathname }) => url.host === host && url.pathname.startsWith(`${pathname}/`));
    if (request.method !== "GET" || !known) {
      response
        .writeHead(403)
        .end("apt proxy: only GET from this machine's Debian mirror and the image's own sources\n");
      return;
    }
    if (!isImmutable(url.pathname)) return pass(url, request, response);
    const file = join(directory, createHash("sha256").update(url.href).digest("hex"));
    if (!(await stat(file).catch(() => undefined)) && !(await fetchTo(file, url, response))) return;
    response.writeHead(200, { "content-length": (await stat(file)).size });
    await pipeline(createReadStream(file), response);
  }

  server.listen(socket);
}

/** True if the mirror never serves different content under this path. */
export function isImmutable(path: string): boolean {
  return path.includes("/by-hash/") || /\/pool\/.*\.deb$/.test(path);
}

function get(url: URL, headers: http.OutgoingHttpHeaders): Promise<http.IncomingMessage> {
  const client = url.protocol === "https:" ? https : http;
  return new Promise((resolve, reject) => {
    const request = client.get(url, { headers }, resolve);
    request.setTimeout(60_000, () => request.destroy(new Error("the mirror does not answer")));
    request.on("error", reject);
  });
}

async function pass(url: URL, request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const { "if-modified-since": since } = request.headers;
  const answer = await get(url, since ? { "if-modified-since": since } : {});
  const { "content-length": length, "last-modified": modified, location } = answer.headers;
  const kept = Object.entries({ "content-length": length, "last-modified": modified, location });
  response.writeHead(answer.statusCode ?? 502, Object.fromEntries(kept.filter(([, value]) => value !== undefined)));
  await pipeline(answer, response);
}

/** @returns false if the mirror refused; its status has been forwarded then */
async function fetchTo(file: string, url: URL, response: http.ServerResponse): Promise<boolean> {
  const answer = await get(url, {});
  if (answer.statusCode !== 200) {
    answer.resume();
    response.writeHead(answer.statusCode ?? 502).end();
    return false;
  }
  const partial = `${file}.${randomUUID()}`;
  try {
    await pipeline(answer, createWriteStream(partial));
    await rename(partial, file);
  } finally {
    await rm(partial, { force: true });
  }
  return true;
}

const [, started, socket] = process.argv;
if (started === import.meta.filename && socket) void main(socket);
