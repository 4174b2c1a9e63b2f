import { rmSync } from "node:fs";
import http from "node:http";

/** Moment of a stopped write: before any of it has arrived, or after all of it, with the answer held back. */
export type GateSide = "before" | "after";

/** A write in an operator's words, and the moment of its stop. */
export interface Stop {
  readonly what: string;
  readonly side: GateSide;
}

/** State of the gate. */
export interface GateTruth {
  /** All stopped writes, oldest first. */
  readonly stops: readonly Stop[];
  /** The write that is stopped now. */
  readonly held?: Stop;
  /** The texts of all lines of the event log that the bucket has taken. */
  readonly lines: readonly string[];
  /** Uploads that were cut in their body. */
  readonly cuts: number;
}

/** `stop`: each kind of write once, every second one before it arrives; `cut`: the connection is lost in the body of each. */
export type GateMode = "pass" | "stop" | "cut";

// The gate is in front of a real bucket server. Its arguments: host, own port, the server's port, and the file of its
// control socket.
const [host = "", port = "", behind = "", control = ""] = process.argv.slice(2);
const stops: Stop[] = [];
const lines: string[] = [];
let mode: GateMode = "pass";
let held: Stop | undefined;
let cuts = 0;

/** Returns what an object of a Pillar's part is; undefined for all else, as the engine's state. */
function whatIs(url: string, body: Buffer): string | undefined {
  const [, kind, name = ""] =
    /^\/state\/pillar-host\/[^/]+\/(log|backups)\/([^?]+)/.exec(decodeURIComponent(url)) ?? [];
  if (kind === "backups") return /(first|last)-.*\.(tar\.age|manifest\.json)$/.exec(name)?.slice(1).join(" ") ?? name;
  if (kind !== "log") return undefined;
  const { event, details } = JSON.parse(body.toString()) as { event: string; details?: { label?: string } };
  return [event, details?.label].filter((word) => word !== undefined).join(" ");
}

/** True if this write is stopped here; it stays so until its client is gone. */
function isStopped(what: string | undefined, side: GateSide): boolean {
  if (what === undefined || mode !== "stop") return false;
  if (held !== undefined) return true;
  if (stops.some((stop) => stop.what === what) || side !== sideOfStop(stops.length)) return false;
  held = { what, side };
  stops.push(held);
  return true;
}

const sideOfStop = (index: number): GateSide => (index % 2 === 0 ? "before" : "after");

const bucket = http.createServer(async (request, response) => {
  const { method = "", url = "", headers } = request;
  const { expect: _, ...rest } = headers;
  const options = { host, port: Number(behind), method, path: url, headers: rest };
  if (method !== "PUT") {
    const onwards = http.request(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onwards.on("error", () => request.socket.destroy());
    return void request.pipe(onwards);
  }
  const body = Buffer.concat(await request.toArray().catch(() => []));
  if (!request.complete) return;
  const what = whatIs(url, body);
  if (what !== undefined && mode === "cut") {
    // The real server loses its client in the middle of the body, as the client its server.
    const onwards = http.request(options).on("error", () => undefined);
    cuts += 1;
    return void onwards.write(body.subarray(0, Math.floor(body.length / 2)), () => {
      onwards.destroy();
      request.socket.destroy();
    });
  }
  if (isStopped(what, "before")) return;
  const onwards = http.request(options, async (answer) => {
    const said = Buffer.concat(await answer.toArray());
    if (answer.statusCode === 200 && url.includes("/log/")) lines.push(body.toString());
    if (isStopped(what, "after")) return;
    response.writeHead(answer.statusCode ?? 502, answer.headers).end(said);
  });
  onwards.on("error", () => request.socket.destroy());
  onwards.end(body);
});

const orders = http.createServer((request, response) => {
  const { url = "" } = request;
  const wanted = url.slice(1);
  // The gate reads the bucket without a signature, because the real server checks none.
  if (url.startsWith("/state"))
    return void http.get({ host, port: Number(behind), path: url }, (answer) => answer.pipe(response));
  if (request.method === "PUT") {
    mode = wanted as GateMode;
    // A waiting request gets no answer.
    if (held !== undefined) bucket.closeAllConnections();
    held = undefined;
  }
  response.end(JSON.stringify({ stops, lines, cuts, ...(held ? { held } : {}) } satisfies GateTruth));
});

bucket.listen(Number(port), host, () => {
  rmSync(control, { force: true });
  orders.listen(control);
});
