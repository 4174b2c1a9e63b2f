import fc from "fast-check";
import { expect, test } from "vitest";
import { createCopier } from "../../../core/orchestrator/copyKey";
import type { HostPair } from "../../../core/orchestrator/hostPair";
import type { Journal, Saga, SideName } from "../../../core/orchestrator/journal";
import { createMoveActions, type MoveDeps } from "../../../core/orchestrator/moveActions";
import type { MoveInputs } from "../../../core/orchestrator/moveInputs";
import type { Looks } from "../../../core/orchestrator/sagaLooks";
import { addressWord, endpoint, fileName, hexOrWord, type Variables } from "../../../core/ssh/foreign";
import { assignments, type Value } from "../../../core/ssh/shellWords";
import { moveNamed } from "../../moveNamed";

/** Hostile texts: an old host in another's hands may answer with any of them. */
const hostile = fc
  .tuple(
    fc.constantFrom(
      "#e;$(id>/x)",
      "';id;'",
      '"\\";id',
      "`id`",
      "x\nid\n",
      "../../etc/passwd",
      "-oProxyCommand=id",
      "|e",
      "\u0000id",
    ),
    fc.string({ maxLength: 20 }),
  )
  .map(([evil, more]) => `${evil}${more}`);

const place = (address: string) => ({
  host: { ssh: { address, port: 22, user: "root", hostKey: "" } },
  ...{ service: "orchestrator", directory: "/root/.orchestrator", executable: "orchestrator" },
});

/** Does a part of a move with an old host that answers with this text. @returns all that went to the new host */
async function sentToNew(word: string, direction: Saga["direction"]): Promise<string> {
  const sent: string[] = [];
  const saga: Saga = { move: moveNamed("pillar-host/prod/Anvil/1"), direction };
  const journal = { stage: "fenced", was: { keyStore: `/root/.orchestrator/${word}` } } as unknown as Journal;
  const look = { active: false, masked: true, journal };
  const looks: Looks = { old: look, new: { ...look, journal: undefined } };
  const send = (side: SideName, variables: Variables = {}) => {
    const plain = Object.entries(variables).map(([name, value]) => [
      name,
      /^[A-Za-z0-9+/=]*$/.test(String(value)) ? "" : value,
    ]);
    if (side === "new") sent.push(assignments(Object.fromEntries(plain) as Record<string, Value>));
  };
  const answers: Readonly<Record<string, string>> = {
    signer_addresses: `198.51.100.7 ${word}`,
    signer_read: JSON.stringify({ DataPath: word, Url: `ws://${word}:1/`, ProducerKeyFileName: word, [word]: word }),
    signer_copy_key: `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"A".repeat(43)} pillar-host-copy\n203.0.113.9\n`,
  };
  const call: HostPair["call"] = async (side, name, _saga, variables) => {
    send(side, variables);
    return answers[name] ?? word;
  };
  const root = (side: SideName) => ({
    address: side === "old" ? "198.51.100.7" : "203.0.113.9",
    stream: async (_name: string, variables?: Variables) => {
      send(side, variables);
      return { stdout: { setEncoding: () => ({ on: () => undefined }) }, done: Promise.resolve() };
    },
  });
  const sides = {
    ...{ roots: { old: root("old"), new: root("new") }, call, variables: () => ({}) },
    step: async (...[side, name, of, before, variables]: Parameters<HostPair["step"]>) =>
      call(side, name, of, variables).then(() => before),
  } as unknown as HostPair;
  const inputs = {
    ...{ stack: "prod", copy: { address: "198.51.100.7", port: 22 }, rpcPort: 55000 },
    ...{ old: place("198.51.100.7"), new: place("203.0.113.9") },
  } as unknown as MoveInputs;
  const deps = { say: () => undefined, now: () => 0, ticks: () => 0, sleep: async () => undefined };
  const hands = createMoveActions(inputs, sides, saga, deps as unknown as MoveDeps, () => true);
  await hands.perform("arrive", saga, looks);
  // A word that is refused goes nowhere.
  await createCopier(inputs, sides, () => undefined)
    .run(saga, looks)
    .catch((error: Error) => {
      if (!error.message.includes("a host answered with something else")) throw error;
    });
  return sent.join("");
}

test("no word of the old host is in what goes to the new one, but in base64", async () => {
  await fc.assert(
    fc.asyncProperty(hostile, fc.constantFrom("forward", "back"), async (word, direction) => {
      const sent = await sentToNew(word, direction as Saga["direction"]);
      expect(sent).not.toContain(word);
      expect(sent).not.toContain(JSON.stringify(word).slice(1, -1));
    }),
  );
  expect(await sentToNew("producer.moved-to-x", "forward")).toContain("aside_store='producer.moved-to-x'");
});

test.each([addressWord, fileName, endpoint, hexOrWord])(
  "the gate lets none of them through as a value of its own (%#)",
  (gate) => {
    fc.assert(
      fc.property(hostile, (word) => {
        expect(() => gate(word)).toThrow("a host answered with something else");
      }),
    );
  },
);

test.each([
  [addressWord, ["203.0.113.9", "2001:db8::9"]],
  [fileName, ["producer", "producer.moved-to-203.0.113.9-20260101T000000Z", "a b"]],
  [endpoint, ["node.example:35998", "2001:db8::9:1"]],
  [hexOrWord, ["", "z1qqjnwjjpnue8xmmpanz6csze6tcmtzzdtfsww7", "0"]],
] as const)("and what is one passes (%#)", (gate, words) => {
  for (const word of words) expect(gate(word)).toBe(word);
});
