import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { buffer, json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { nodeVersion } from "./node/logLines.ts";

const faultsSchema = z.strictObject({
  /** Number of bytes after which the connection ends. The header still promises the whole body. */
  truncate: z.number().int().nonnegative().optional(),
  /** True if a page comes instead of the archive, with status 200. */
  html: z.boolean().optional(),
  slowBytesPerSecond: z.number().positive().optional(),
  /** Status of every answer, without the archive. */
  status: z.number().int().min(200).max(599).optional(),
  /** Status with which the server refuses HEAD requests, as signed URLs do. */
  headStatus: z.number().int().min(400).max(599).optional(),
  /** Status with which the server refuses range requests. A page about the refusal comes with it. */
  partStatus: z.number().int().min(400).max(599).optional(),
  /** True if connections are accepted and never answered. */
  hang: z.boolean().optional(),
  /** Number of seconds by which the Date header is wrong. */
  dateOffsetSeconds: z.number().optional(),
});

/** Faults in the answers for one release, or for `ip`. */
export type Faults = z.infer<typeof faultsSchema>;

const assets = "/assets/";

/** Place of the version in the repository that the controller builds (go-zenon, metadata/version.go). */
const versionPath = "/go-zenon/raw/HEAD/metadata/version.go";

/**
 * Serves archives as /NAME.zip. Also serves /ip, the caller's address, which the controller requests in every run, and the
 * version of the node's source, and /SHA256CHECKSUMS.txt.
 */
export async function serveReleases(options: {
  host: string;
  port: number;
  tls?: { port: number; key: string; cert: string };
  releases: Record<string, Buffer>;
}) {
  const releases = new Map(Object.entries(options.releases));
  const faults = new Map<string, Faults>();
  const listener: RequestListener = (request, response) => {
    answer(releases, faults, request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(400);
      response.end(`${error}\n`);
    });
  };
  const plain = createServer(listener);
  await once(plain.listen(options.port, options.host), "listening");
  const { tls } = options;
  if (tls) await once(createTlsServer(tls, listener).listen(tls.port, options.host), "listening");
  return {
    url: `http://${options.host}:${(plain.address() as AddressInfo).port}`,
    /** Sets the faults of a release. An empty object removes them. */
    setFaults: (name: string, fault: Faults) => void faults.set(name, fault),
    close: () => plain.close().closeAllConnections(),
  };
}

async function answer(
  releases: Map<string, Buffer>,
  faults: Map<string, Faults>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asked = new URL(request.url ?? "/", "http://release").pathname;
  const path = asked.replace(assets, "/");
  if (request.method === "PATCH" && path === "/faults") {
    const given = z.record(z.string(), faultsSchema).parse(await json(request));
    for (const [name, fault] of Object.entries(given)) faults.set(name, fault);
    return void response.writeHead(204).end();
  }
  if (path === versionPath)
    return sendText(
      response,
      200,
      `//go:build !libznn\n\npackage metadata\n\nconst (\n\tVersion = "${nodeVersion}"\n)\n`,
    );
  const isRead = request.method === "GET" || request.method === "HEAD";
  const isFile = path === "/SHA256CHECKSUMS.txt" || path.endsWith(".zip");
  // GitHub answers each download with a redirect to where the file lies.
  if (isRead && isFile && path === asked) {
    response.writeHead(302, { location: assets + path.slice(1), "content-length": 0 }).end();
    return;
  }
  if (path === "/SHA256CHECKSUMS.txt") return sendText(response, 200, listHashes(releases));
  const name = path === "/ip" ? "ip" : /^\/([^/]+)\.zip$/.exec(path)?.[1];
  if (name === undefined) return sendText(response, 404, "not found\n");
  if (request.method === "PUT") {
    releases.set(name, await buffer(request));
    return void response.writeHead(204).end();
  }
  if (!isRead) return sendText(response, 405, "method not allowed\n");
  await serveFile(request, response, faults.get(name) ?? {}, fileOf(name, releases, request));
}

/** Lists the archives' hashes, all in one line as beside the orchestrator's v0.0.9a. */
const listHashes = (releases: Map<string, Buffer>) =>
  [...releases]
    .map(([name, content]) => `${createHash("sha256").update(content).digest("hex")}  ${name}.zip`)
    .join(" ");

function fileOf(name: string, releases: Map<string, Buffer>, request: IncomingMessage) {
  if (name === "ip") {
    const address = (request.socket.remoteAddress ?? "").replace(/^::ffff:/, "");
    return { type: "text/plain", content: Buffer.from(address) };
  }
  const content = releases.get(name);
  return content && { type: "application/zip", content };
}

async function serveFile(
  request: IncomingMessage,
  response: ServerResponse,
  fault: Faults,
  file: ReturnType<typeof fileOf>,
): Promise<void> {
  if (fault.hang) return;
  response.setHeader("date", new Date(Date.now() + (fault.dateOffsetSeconds ?? 0) * 1000).toUTCString());
  if (fault.status !== undefined) return sendText(response, fault.status, `status ${fault.status}\n`);
  const { headStatus, partStatus } = fault;
  if (request.method === "HEAD" && headStatus !== undefined) return sendText(response, headStatus, "no HEAD here\n");
  if (request.headers.range !== undefined && partStatus !== undefined)
    return sendText(response, partStatus, "<html>no parts here</html>\n");
  if (file === undefined) return sendText(response, 404, "not found\n");
  const shown = fault.html ? { type: "text/html; charset=utf-8", content: Buffer.from(page) } : file;
  response.writeHead(200, { "content-type": shown.type, "content-length": shown.content.length });
  if (request.method === "HEAD") return void response.end();
  const sent = shown.content.subarray(0, fault.truncate ?? shown.content.length);
  await writeSlowly(response, sent, fault.slowBytesPerSecond);
  if (sent.length < shown.content.length) response.destroy();
  else response.end();
}

// Sends ten pieces a second and flushes each before the next, so that a cut comes exactly at the requested byte.
async function writeSlowly(response: ServerResponse, content: Buffer, bytesPerSecond: number | undefined) {
  const size = bytesPerSecond === undefined ? content.length : Math.max(1, Math.floor(bytesPerSecond / 10));
  for (let at = 0; at < content.length && !response.destroyed; at += size) {
    await new Promise((resolve) => response.write(content.subarray(at, at + size), resolve));
    if (bytesPerSecond !== undefined) await sleep(100);
  }
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain", "content-length": Buffer.byteLength(text) }).end(text);
}

const page =
  "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in to continue.</body></html>\n";
