import { connect } from "node:net";

/** State of a TCP port as this machine sees it. */
export type PortState =
  | "open"
  /** Rejected: nobody listens, or a firewall rejects. */
  | "refused"
  /** No answer, or a firewall answers that the host is unreachable. */
  | "filtered"
  /** No route, or no such name. */
  | "unknown";

/** Timeouts in milliseconds of each try: a busy machine may answer late, a closed port stays silent. */
const timeoutsMs = { open: [5000, 5000], closed: [2000] } as const;

/** Connects to a TCP port and closes the connection. Never throws. */
export async function tryPort(address: string, port: number, wanted: keyof typeof timeoutsMs): Promise<PortState> {
  let seen: PortState = "filtered";
  for (const limit of timeoutsMs[wanted]) if (seen === "filtered") seen = await tryOnce(address, port, limit);
  return seen;
}

function tryOnce(host: string, port: number, timeout: number): Promise<PortState> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (seen: PortState) => {
      socket.destroy();
      resolve(seen);
    };
    socket.setTimeout(timeout, () => end("filtered"));
    socket.on("connect", () => end("open"));
    socket.on("error", (error: NodeJS.ErrnoException) => end(parsePortState(error.code)));
  });
}

/** Returns the state by a connection's error. A firewall may answer EHOSTUNREACH, so that means `filtered`. */
export function parsePortState(code: string | undefined): PortState {
  if (code === "ECONNREFUSED") return "refused";
  return code === "EHOSTUNREACH" || code === "EACCES" || code === "ETIMEDOUT" ? "filtered" : "unknown";
}
