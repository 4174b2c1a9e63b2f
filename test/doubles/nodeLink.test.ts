import type { AddressInfo, Server } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listenWebSocket } from "../../lab/doubles/node/ports.ts";
import { NodeLink } from "../../lab/doubles/orchestrator/nodeSync.ts";
import { soon } from "../soon.ts";

let server: Server;
let port = 0;
let isFrozen = false;
const sockets: { destroy(): void }[] = [];
const log: string[] = [];
const link = () => new NodeLink((_level, _place, text) => void log.push(text));

beforeEach(async () => {
  server = await listenWebSocket("127.0.0.1", 0, () => isFrozen);
  server.on("connection", (socket) => sockets.push(socket));
  port = (server.address() as AddressInfo).port;
});
afterEach(() => {
  for (const socket of [...sockets.splice(0), { destroy: () => server.close() }]) socket.destroy();
  log.length = 0;
});

test("an orchestrator's connection to its node lasts until the node ends it", async () => {
  const node = link();
  await node.dial([`ws://me:pw@127.0.0.1:${port}/x`]);
  expect([node.isOpen, node.rpcUrl, log]).toEqual([true, `http://127.0.0.1:${port}`, []]);
  for (const socket of sockets) socket.destroy();
  await soon(() => expect(node.isOpen).toBe(false));
});

test("a frozen node lets nobody in until it thaws", async () => {
  isFrozen = true;
  const node = link();
  const dialed = node.dial([`ws://127.0.0.1:${port}`]);
  await soon(() => expect(sockets).toHaveLength(1));
  expect(node.isOpen).toBe(false);
  isFrozen = false;
  await dialed;
  expect(node.isOpen).toBe(true);
  node.close();
});

test("each URL is tried three times at once, and only in the spellings that Go reads", async () => {
  const node = link();
  const refused = `ws://127.0.0.1:1`;
  await expect(node.dial([refused, `ws://0x7f000001:${port}`])).rejects.toThrow("cannot connect to any urls to a znn");
  const lines = [
    `Error when dialing ${refused}, got: dial tcp 127.0.0.1:1: connect: connection refused`,
    `Error when dialing ws://0x7f000001:${port}, got: dial tcp: lookup 0x7f000001: no such host`,
  ];
  expect(log).toEqual([...lines, ...lines, ...lines]);
  await node.dial([refused, `ws://127.0.0.1:${port}`]);
  expect(node.isOpen).toBe(true);
  node.close();
});
