import { describe, expect, test } from "vitest";
import { parseState } from "../../../cli/pulumi/stackState";

const urn = (type: string, name: string) => `urn:pulumi:prod::pillar-host::${type}::${name}`;
const gate = "pulumi-nodejs:dynamic/pillar-host:SyncGate";
const exported = (deployment: unknown) => JSON.stringify({ version: 3, deployment });
const pendingOf = (...operations: [operation: string, type: string, name: string][]) =>
  exported({
    resources: [],
    pending_operations: operations.map(([operation, type, name]) => ({
      type: operation,
      resource: { type, urn: urn(type, name) },
    })),
  });

describe("a stack's state", () => {
  test("is empty before the first run", () => {
    expect(parseState(exported({ manifest: {} }))).toEqual({ isBegun: false, pending: [] });
    expect(parseState(exported({ resources: [{ urn: "", type: "pulumi:pulumi:Stack" }] })).isBegun).toBe(false);
  });

  test("has the recorded host key and the times of the wait", () => {
    const contact = "pulumi-nodejs:dynamic/pillar-host:FirstContact";
    const state = parseState(
      exported({
        resources: [
          { urn: "", type: contact, outputs: { address: "203.0.113.7", port: 22, pinned: "ssh-ed25519 AAAA" } },
          {
            urn: "",
            type: gate,
            outputs: { target: { sealed: true }, startedAt: "2026-11-21T10:00:00.000Z", startHeight: 5 },
          },
        ],
      }),
    );
    expect(state).toEqual({
      isBegun: true,
      recordedKey: { address: "203.0.113.7", hostKey: "ssh-ed25519 AAAA" },
      wait: { startedAt: "2026-11-21T10:00:00.000Z", startHeight: 5 },
      pending: [],
    });
  });

  test("says whether the last run waited for the first momentum of a registered address", () => {
    const awaited = (registration: object) => {
      const outputs = { nextStep: ["wait"], registration };
      return parseState(exported({ resources: [{ urn: "", type: "pulumi:pulumi:Stack", outputs }] })).lastRun
        ?.isAwaited;
    };
    expect(awaited({ registered: true, producing: false })).toBe(true);
    expect(awaited({ registered: true, producing: true })).toBeUndefined();
    expect(awaited({ registered: false, producing: false })).toBeUndefined();
  });

  test("says whether the last run ended as awaiting: its outputs are unknown", () => {
    const isAwaiting = (outputs: object) =>
      parseState(exported({ resources: [{ urn: "", type: "pulumi:pulumi:Stack", outputs }] })).isAwaiting;
    expect(isAwaiting({ nextStep: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" })).toBe(true);
    expect(isAwaiting({ nextStep: ["wait"] })).toBeUndefined();
    expect(isAwaiting({})).toBeUndefined();
  });

  test("has the guards' facts, and the earlier registered address", () => {
    const remembered = { since: "2026-11-21T10:00:00.000Z", isReached: true, isOwnWork: true };
    const outputs = { registration: { state: "earlier", earlier: "z1qold" }, remembered };
    const resources = [
      { urn: "", type: "pulumi:pulumi:Stack", outputs },
      { urn: "", type: "pulumi-nodejs:dynamic/pillar-host:RetirementGuard", outputs: { isOwnServer: true } },
    ];
    expect(parseState(exported({ resources }))).toMatchObject({
      remembered,
      isOwnServer: true,
      earlierProducer: "z1qold",
    });
  });

  test("names the interrupted operations", () => {
    expect(parseState(pendingOf(["creating", gate, "node-sync"]))).toEqual({
      isBegun: true,
      pending: [{ operation: "creating", type: gate, name: "node-sync" }],
    });
  });
});
