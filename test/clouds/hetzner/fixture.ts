import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createHetzner, type Hetzner, type HetznerOptions } from "../../../lab/clouds/hetzner";
import { FakeRoom } from "../fakeRoom";

export const TOKEN = "w".repeat(64);
export const READ_ONLY = "r".repeat(64);
export const PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFGSBtGbUCwrGN7Gq8VzKQVWmBcQTTWqvSAZ8qkzNQVS someone";

/** A Hetzner project on loopback. */
export interface Running extends Hetzner {
  readonly room: FakeRoom;
  readonly url: string;
  close(): Promise<void>;
}

export async function serve(options: Partial<HetznerOptions> = {}): Promise<Running> {
  const room = new FakeRoom();
  const hetzner = createHetzner({ room, tokens: { [TOKEN]: "write", [READ_ONLY]: "read" }, ...options });
  const server: Server = createServer(hetzner.handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { ...hetzner, room, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

/** An answer, as loosely typed as JSON is: its shape is what the tests are about. */
export type Json = ReturnType<typeof JSON.parse>;
