import { expect, test } from "vitest";
import { createRequirements, surveyBoth } from "../../../../core/orchestrator/checks/survey.ts";
import type { RootHost } from "../../../../core/ssh/root.ts";
import { openStore } from "../../../../core/store/openStore.ts";
import { answerFacts } from "../../host/printedFacts.ts";
import { exampleInputs, exampleRequirements } from "../exampleMove.ts";

const config = { ProducerKeyFileName: "store", Networks: { Ethereum: { Urls: ["wss://eth.example/KEY"] } } };
const facts = ["orchestrator.LoadState=loaded", "orchestrator.ActiveState=inactive", "directory=there"];
const wanted = { ...exampleRequirements, backupDirectory: "/" };
const deps = {
  ticks: () => 0,
  sleep: async () => undefined,
  readNodeSync: async () => ({ synced: true, why: "", known: true }),
  readBridge: async () => ({ known: true, state: 0, key: "", why: "live" }) as const,
};

/** Creates hosts with a test's answers to a function, and usual answers otherwise. */
function hosts(answers: Record<string, (side: string) => Promise<string>>) {
  const usual: Record<string, string> = { orchestrator_read: JSON.stringify(config) };
  const host = (address: string): RootHost => ({
    address,
    hostKey: "ssh-ed25519 KEY",
    call: async (name) =>
      answers[name]?.(address) ?? (name === "host_facts" ? answerFacts(facts) : (usual[name] ?? "")),
    stream: () => Promise.reject(new Error("no stream")),
    forward: () => Promise.reject(new Error("nothing listens")),
    close: () => undefined,
  });
  return { old: host("old"), new: host("new") };
}

test("asks each host which of the old host's nodes it reaches", async () => {
  const roots = hosts({
    orchestrator_reaches: async (side) => (side === "old" ? "eth.example:443\n" : ""),
    orchestrator_has: async () => "yes\n",
  });
  const survey = await surveyBoth(wanted, { roots, ...deps });
  const endpoints = [{ network: "Ethereum", old: "eth.example:443" }];
  const value = { endpoints, reached: ["eth.example:443"], hasKeyStore: true, hasConfig: true };
  expect(survey.old).toMatchObject({ value });
  expect(survey.new).toMatchObject({ value: { reached: [], build: { problem: "it does not run" } } });
});

test.each([
  ["ssh-ed25519 AAAA", "ed25519"],
  ["ssh-rsa AAAA", "rsa"],
  ["ecdsa-sha2-nistp256 AAAA", "ecdsa"],
])("asks the old host for its key of the pinned type alone: %s", async (hostKey, type) => {
  const asked: unknown[] = [];
  const roots = hosts({});
  const { call } = roots.new;
  const fresh: RootHost = {
    ...roots.new,
    call: async (name, variables) => {
      if (name === "orchestrator_scan") asked.push(variables?.key_type);
      return call(name, variables);
    },
  };
  await surveyBoth({ ...wanted, hostKey }, { roots: { ...roots, new: fresh }, ...deps });
  expect(asked).toEqual([type]);
});

test("both hosts hash their variables with the salt of the run, which no other run has", async () => {
  const roots = hosts({});
  const askAll = async () => {
    const asked: unknown[] = [];
    const heard = (root: RootHost): RootHost => ({
      ...root,
      call: async (name, variables) => {
        if (name === "host_facts") asked.push(variables?.salt);
        return root.call(name, variables);
      },
    });
    const { salt } = await createRequirements(exampleInputs(), roots, openStore("/nowhere"));
    await surveyBoth({ ...wanted, salt }, { roots: { old: heard(roots.old), new: heard(roots.new) }, ...deps });
    return asked;
  };
  const [one, other, ...more] = [...(await askAll()), ...(await askAll())];
  expect([one, more]).toEqual([other, [more[0], more[0]]]);
  expect(one).toMatch(/^[0-9a-f]{32}$/);
  expect(one).not.toBe(more[0]);
});
