import { expect, test } from "vitest";
import { hasSyncProof, parseState } from "../../../cli/pulumi/stackState.ts";
import { formatDynamicType, formatOldType } from "../../../core/util/resourceTypes.ts";

const gate = "pulumi-nodejs:sync:Gate";
const startedAt = "2026-11-21T10:00:00.000Z";
/** Parses a state that has resources with these types and outputs, and pending operations. */
const parse = (resources: Readonly<Record<string, object | undefined>>, pending_operations?: readonly object[]) => {
  const listed = Object.entries(resources).map(([type, outputs]) => ({ urn: "", type, outputs }));
  return parseState(JSON.stringify({ version: 3, deployment: { resources: listed, pending_operations } }));
};
const withOutputs = (outputs: object) => parse({ "pulumi:pulumi:Stack": { __run: outputs } });

test("a stack's state is empty before the first run", () => {
  const empty = JSON.stringify({ version: 3, deployment: { manifest: {} } });
  expect(parseState(empty)).toEqual({ isBegun: false, pending: [], last: { finished: false } });
  expect(withOutputs({}).isBegun).toBe(false);
});

test("a stack's state has the recorded host key and the times of the wait", () => {
  const contact = { address: "203.0.113.7", port: 22, pinned: "ssh-ed25519 AAAA" };
  const wait = { target: { sealed: true }, startedAt, startHeight: 5 };
  expect(parse({ "pulumi-nodejs:host:Contact": contact, [gate]: wait })).toEqual({
    isBegun: true,
    recordedKey: { address: "203.0.113.7", hostKey: "ssh-ed25519 AAAA" },
    wait: { startedAt, startHeight: 5 },
    pending: [],
    last: { finished: false },
  });
});

test("a stack's state says whether the last run ended as awaiting: its outputs are unknown", () => {
  expect(withOutputs({ nextStep: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" }).last.isAwaiting).toBe(true);
  for (const outputs of [{ nextStep: ["wait"] }, {}]) expect(withOutputs(outputs).last.isAwaiting).toBeUndefined();
});

test("a stack's state has the guards' facts, and the earlier registered address", () => {
  const guardMemory = { createdAt: startedAt, isReached: true, isOwnWork: true };
  const [first, last] = [formatDynamicType("RetirementGuard"), formatOldType("RetirementGuard")];
  const outputs = { registration: { state: "earlier", earlier: "z1qold" } };
  const guards = {
    [first]: { ...guardMemory, isOwnServer: true },
    [last]: { ...guardMemory, knownProducer: "z1qown" },
  };
  const state = parse({ "pulumi:pulumi:Stack": { __run: outputs }, ...guards });
  expect(state).toMatchObject({ guardMemory, guardedProducer: "z1qown", isOwnServer: true, last: outputs });
});

test("a stack's state has the host once a run has output address and key", () => {
  const host = { address: "203.0.113.7", hostKey: "ssh-ed25519 AAAA" };
  expect(withOutputs({ host }).last).toMatchObject(host);
  expect(withOutputs({ host: { address: host.address } }).last.hostKey).toBeUndefined();
});

const host = { address: "203.0.113.7", hostKey: "ssh-ed25519 AAAA" };
const finished = { nextStep: ["wait"], host };
const proof = { startedAt, syncedAt: startedAt };
test.each([
  ["the host that the last run proved", finished, proof, host, true],
  ["another address", finished, proof, { ...host, address: "203.0.113.8" }, false],
  ["a reinstalled host", finished, proof, { ...host, hostKey: "ssh-ed25519 BBBB" }, false],
  ["a wait without a proof", finished, { startedAt }, host, false],
  ["a run that did not finish, perhaps with another host's proof", { host, nextStep: "04da6b54" }, proof, host, false],
  ["a run without a host", { nextStep: ["wait"] }, proof, host, false],
])("a stack's state has a proof of sync or none: %s", (_what, outputs, wait, now, isProved) => {
  expect(hasSyncProof(parse({ "pulumi:pulumi:Stack": { __run: outputs }, [gate]: wait }), now)).toBe(isProved);
});

test("a stack's state names the interrupted operations", () => {
  const resource = { type: gate, urn: `urn:pulumi:prod::pillar-host::${gate}::node-sync` };
  const pending = [{ operation: "creating", type: gate, name: "node-sync" }];
  expect(parse({}, [{ type: "creating", resource }])).toEqual({ isBegun: true, pending, last: { finished: false } });
});

test("tells a creation that a later run repeated from one that is cut off", () => {
  const pending = (urn: string, type: string) => ({ type, resource: { urn, type: gate } });
  const resources = [{ urn: "urn::node-sync", type: gate, outputs: {} }];
  const operations = [pending("urn::node-sync", "creating"), pending("urn::other", "creating")];
  const deployment = { resources, pending_operations: [...operations, pending("urn::node-sync", "updating")] };
  const state = parseState(JSON.stringify({ deployment }));
  expect(state.pending.map(({ isRepeated }) => isRepeated)).toEqual([true, undefined, undefined]);
});
