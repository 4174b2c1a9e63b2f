import { connect } from "node:net";

/** What a TCP port shows to this machine. */
export type PortSeen =
  | "open"
  /** Answered, and not let in: nobody listens, or a firewall says so. */
  | "refused"
  /** No answer, or one of a firewall. */
  | "filtered"
  /** This machine can't tell: no way there, or no such name. */
  | "unknown";

/** A busy machine's answer is waited for; that a closed port stays silent is soon known. */
const tries = { open: [5000, 5000], closed: [2000] } as const;

/** Tries a TCP port and closes the connection again. Never throws. @param wanted how it should be */
export async function tryPort(address: string, port: number, wanted: keyof typeof tries): Promise<PortSeen> {
  let seen: PortSeen = "filtered";
  for (const limit of tries[wanted]) if (seen === "filtered") seen = await tryOnce(address, port, limit);
  return seen;
}

function tryOnce(host: string, port: number, timeout: number): Promise<PortSeen> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (seen: PortSeen) => {
      socket.destroy();
      resolve(seen);
    };
    socket.setTimeout(timeout, () => end("filtered"));
    socket.on("connect", () => end("open"));
    socket.on("error", (error: NodeJS.ErrnoException) => end(portSeenOf(error.code)));
  });
}

/** What an error of a connection tells; a firewall that rejects says that the host can't be reached. */
export function portSeenOf(code: string | undefined): PortSeen {
  if (code === "ECONNREFUSED") return "refused";
  return code === "EHOSTUNREACH" || code === "EACCES" || code === "ETIMEDOUT" ? "filtered" : "unknown";
}
