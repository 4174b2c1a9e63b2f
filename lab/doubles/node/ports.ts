import type { Server as HttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";

/** Port of a node's RPC. It can be opened and closed while the node runs, and it keeps its number. */
export class RpcPort {
  private server: HttpServer | undefined;

  /** @param port 0 picks any free port at the first opening */
  constructor(
    private readonly host: string,
    private port: number,
  ) {}

  get url(): string {
    return `http://${this.host}:${this.port}`;
  }

  get isOpen(): boolean {
    return this.server !== undefined;
  }

  async open(server: HttpServer): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(this.port, this.host, resolve);
    });
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

/** Opens a port that accepts connections and never answers. */
export function listenTcp(host: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.on("error", () => socket.destroy()).resume());
    server.once("error", reject).listen(port, host, () => resolve(server));
  });
}
