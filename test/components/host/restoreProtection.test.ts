import { expect, test } from "vitest";
import { needsProtection } from "../../../components/host/registerCloudHost.ts";
import type { LogEvent } from "../../../core/eventLog/events.ts";

const server = { id: "52", name: "pillar-anvil-prod", plan: "cpx32", location: "fsn1", isProtected: false };
const kept = { kind: "keep", server, found: { servers: [server] }, isHalfMade: false } as const;
/** Returns the event log after a destroy lifted a server's protection. */
const lifted = (changes: object, stack = "prod"): LogEvent[] => {
  const details = { evidence: [], serverId: "52", ...changes };
  return [{ at: "2026-11-21T10:00:00Z", stack, pillar: "Anvil", event: "released", details }];
};
const wasProtected = true;

test.each([
  ["restored for a server that the stack made", kept, true, [], true],
  ["left alone if it is on", { ...kept, server: { ...server, isProtected: true } }, true, [], false],
  ["left alone if the provider has none", { ...kept, server: { ...server, isProtected: undefined } }, true, [], false],
  ["left alone if the server is half made", { ...kept, isHalfMade: true }, true, [], false],
  ["left alone for an adopted server", kept, false, [], false],
  ["left alone for an adopted server that had none", kept, false, lifted({}), false],
  ["restored for an adopted server if a destroy lifted it", kept, false, lifted({ wasProtected }), true],
  ["left alone if another server's was lifted", kept, false, lifted({ wasProtected, serverId: "51" }), false],
  ["left alone if another stack lifted it", kept, false, lifted({ wasProtected }, "prod-2"), false],
])("the provider's protection is %s", (_what, plan, isOwn, events, needs) => {
  expect(needsProtection(plan, isOwn, events, "prod")).toBe(needs);
});
