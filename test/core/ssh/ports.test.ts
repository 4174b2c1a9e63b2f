import { type AddressInfo, createServer, type Server } from "node:net";
import { afterEach, expect, test } from "vitest";
import { parsePortState, tryPort } from "../../../core/ssh/portRules";

let server: Server | undefined;
afterEach(() => server?.close());

async function listening(): Promise<number> {
  server = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
  await new Promise((resolve) => server?.once("listening", resolve));
  return (server.address() as AddressInfo).port;
}

test("finds a port that answers open, and a port without a listener refused", async () => {
  const port = await listening();
  expect(await tryPort("127.0.0.1", port, "open")).toBe("open");
  await new Promise((resolve) => server?.close(resolve));
  expect(await tryPort("127.0.0.1", port, "closed")).toBe("refused");
});

test("returns unknown for an unknown name", async () => {
  expect(await tryPort("no-such-host.invalid", 35995, "closed")).toBe("unknown");
});

// A firewall that rejects answers with an ICMP that says so.
test.each([
  ["ECONNREFUSED", "refused"],
  ["EHOSTUNREACH", "filtered"],
  ["EACCES", "filtered"],
  ["ETIMEDOUT", "filtered"],
  ["ENETUNREACH", "unknown"],
  ["ENOTFOUND", "unknown"],
  [undefined, "unknown"],
])("%s: %s", (code, seen) => {
  expect(parsePortState(code)).toBe(seen);
});
