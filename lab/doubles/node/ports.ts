import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";

/** Port of a node's RPC. It can be opened and closed while the node runs, and it keeps its number. */
export class RpcPort {
  private server: HttpServer | undefined;

  /**
   * @param host default: all addresses
   * @param port 0 picks any free port at the first opening
   */
  constructor(
    private readonly host: string | undefined,
    public port: number,
  ) {}

  get isOpen(): boolean {
    return this.server !== undefined;
  }

  async open(server: HttpServer): Promise<void> {
    await once(server.listen(this.port, this.host), "listening");
    this.server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server === undefined) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/**
 * Opens the port of a node's WebSocket. Answers a handshake as the real node does, but not while the process is frozen
 * (go-zenon, rpc/server/websocket.go:57), and holds the connection. No request comes over it.
 */
export async function listenWebSocket(host: string, port: number, isFrozen: () => boolean): Promise<Server> {
  const server = createHttpServer((_request, response) => response.writeHead(404).end());
  server.on("upgrade", ({ headers }, socket) => {
    const key = `${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash("sha1").update(key).digest("base64");
    const lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
    const answer = () => {
      if (isFrozen()) setTimeout(answer, 50);
      else socket.write([...lines, `Sec-WebSocket-Accept: ${accept}`, "", ""].join("\r\n"));
    };
    socket.on("error", () => socket.destroy()).resume();
    answer();
  });
  await once(server.listen(port, host), "listening");
  return server;
}

/** Opens a port that accepts connections and never answers. */
export async function listenTcp(host: string, port: number): Promise<Server> {
  const server = createServer((socket) => socket.on("error", () => socket.destroy()).resume());
  await once(server.listen(port, host), "listening");
  return server;
}
