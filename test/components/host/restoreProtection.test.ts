import { describe, expect, test } from "vitest";
import { needsProtection } from "../../../components/host/restoreProtection";
import type { LogEvent } from "../../../core/eventLog/events";

const server = { id: "52", name: "pillar-anvil-prod", plan: "cpx32", location: "fsn1", isProtected: false };
const kept = { kind: "keep", server, found: { servers: [server] }, isHalfMade: false } as const;
const released = (details: object): LogEvent[] => [
  {
    at: "2026-11-21T10:00:00Z",
    stack: "prod",
    pillar: "Anvil",
    event: "released",
    details: { evidence: [], serverId: "52", ...details },
  },
];

describe("the provider's protection of a server", () => {
  test("is restored for a server that the stack made", () => {
    expect(needsProtection(kept, true, [], "prod")).toBe(true);
  });

  test("is restored for an adopted server only if this stack's destroy lifted it", () => {
    const wasProtected = true;
    expect(needsProtection(kept, false, [], "prod")).toBe(false);
    expect(needsProtection(kept, false, released({}), "prod")).toBe(false);
    expect(needsProtection(kept, false, released({ wasProtected }), "prod")).toBe(true);
    expect(needsProtection(kept, false, released({ wasProtected, serverId: "51" }), "prod")).toBe(false);
    expect(needsProtection(kept, false, released({ wasProtected }), "prod-2")).toBe(false);
  });

  test("is left alone if it is on, if the provider has none, and if the server is half made", () => {
    expect(needsProtection({ ...kept, server: { ...server, isProtected: true } }, true, [], "prod")).toBe(false);
    expect(needsProtection({ ...kept, server: { ...server, isProtected: undefined } }, true, [], "prod")).toBe(false);
    expect(needsProtection({ ...kept, isHalfMade: true }, true, [], "prod")).toBe(false);
  });
});
