import { expect, test } from "vitest";
import { outputName, parseOutputs, type RunOutputs } from "../../../core/journey/outputs.ts";

const producerAddress = "z1qqjnwjjpnue8xmmpanz6csze6tcmtzzdtfsww7";
const written: RunOutputs = {
  host: { address: "203.0.113.7", hostKey: "ssh-ed25519 AAAA", fingerprint: "SHA256:x", serverId: "52" },
  registration: { state: "earlier", registered: false, producing: false },
  producerAddress,
  orchestrator: { side: "new", address: "203.0.113.7", why: "moved", attempt: 1, rpcPort: 55000 },
  retirement: { nodeOff: true },
  nextStep: ["  pulumi up -s prod"],
};
// The engine stores an output that is still unknown as this text.
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

test("a run's outputs are read as they were written", () => {
  const { host, retirement, nextStep, ...others } = written;
  expect(parseOutputs(written)).toEqual({ finished: true, ...host, ...others, nodeOff: true });
});

test("the engine prints nothing of it", () => {
  expect(outputName).toMatch(/^__/);
});

test.each(["host", "registration", "producerAddress", "orchestrator", "retirement", "nextStep"] as const)(
  "an output that is unknown, or missing, is no fact: %s",
  (name) => {
    const names = { host: "address", retirement: "nodeOff", nextStep: undefined };
    const fact = name in names ? names[name as keyof typeof names] : name;
    for (const value of [unknown, undefined, null]) {
      const last: Readonly<Record<string, unknown>> = {
        ...parseOutputs({ ...written, [name]: value }),
      };
      if (fact) expect(last[fact]).toBeUndefined();
      expect(last.finished).toBe(name !== "nextStep");
      expect(last.isAwaiting).toBe(name === "nextStep" && value === unknown ? true : undefined);
    }
  },
);
