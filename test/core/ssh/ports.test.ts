import { createServer } from "node:net";
import { expect, test } from "vitest";
import { parsePortState, tryPort } from "../../../core/ssh/portRules";
import { listen } from "../chain/fakes";

test("finds a port that answers open, a port without a listener refused, and an unknown name unknown", async () => {
  const { port, close } = await listen(createServer((socket) => socket.end()));
  expect(await tryPort("127.0.0.1", port, "open")).toBe("open");
  await close();
  expect(await tryPort("127.0.0.1", port, "closed")).toBe("refused");
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
