import type { Server as HttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { createRpcServer, type RpcBackend } from "./rpcServer";

/** An orchestrator's ports: its RPC, and the port for the other signers. */
export class Ports {
  private rpc: HttpServer | undefined;
  private p2p: Server | undefined;

  constructor(
    /** 0 picks any free port. */
    private readonly numbers: { rpc: number; p2p: number },
    private readonly backend: RpcBackend,
  ) {}

  /** Returns the RPC's port. If it was configured as 0, it is known once the RPC is open. */
  get rpcPort(): number {
    return this.numbers.rpc;
  }

  async open(): Promise<void> {
    const p2p = createServer((socket) => socket.on("error", () => undefined).resume());
    this.p2p = await listen(p2p, { port: this.numbers.p2p, host: "0.0.0.0" });
    await this.followRpc();
  }

  /** Opens or closes the RPC as the settings require. */
  async followRpc(): Promise<void> {
    if (this.backend.settings().rpcDown) return this.closeRpc();
    if (this.rpc !== undefined) return;
    this.rpc = await listen(createRpcServer(this.backend), { port: this.numbers.rpc });
    this.numbers.rpc = (this.rpc.address() as AddressInfo).port;
  }

  close(): void {
    this.closeRpc();
    this.p2p?.close();
  }

  private closeRpc(): void {
    this.rpc?.close();
    this.rpc?.closeAllConnections();
    this.rpc = undefined;
  }
}

function listen<T extends Server>(server: T, where: { port: number; host?: string }): Promise<T> {
  return new Promise((resolve, reject) => {
    server.once("error", reject).listen(where, () => resolve(server));
  });
}
