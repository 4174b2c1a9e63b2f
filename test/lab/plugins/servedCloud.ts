import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { MachineRoom } from "../../../lab/clouds/machineRoom";
import { type EmptyRoom, emptyRoom } from "../clouds/emptyRoom";

/** JSON as it came: its shape is what the tests are about. */
export type Json = ReturnType<typeof JSON.parse>;

/** A cloud's double on loopback, without machines. */
export type ServedCloud<T> = T & {
  readonly room: EmptyRoom;
  readonly url: string;
  /** Sends a request with the token, and returns the answer's body. */
  ask(method: string, path: string, body?: object): Promise<Json>;
  close(): void;
};

export async function serveCloud<T extends { readonly handler: RequestListener }>(
  token: string,
  create: (room: MachineRoom) => T,
): Promise<ServedCloud<T>> {
  const room = emptyRoom();
  const double = create(room);
  const server = createServer(double.handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    return text === "" ? undefined : JSON.parse(text);
  };
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { ...double, room, url, ask, close };
}
