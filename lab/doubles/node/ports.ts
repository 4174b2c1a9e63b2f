import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
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

/** Opens a port that accepts connections and never answers. */
export async function listenTcp(host: string, port: number): Promise<Server> {
  const server = createServer((socket) => socket.on("error", () => socket.destroy()).resume());
  await once(server.listen(port, host), "listening");
  return server;
}
