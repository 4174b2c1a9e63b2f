import { beforeEach, expect, test, vi } from "vitest";
import { gatherAnswers } from "../../../cli/init/gatherAnswers.ts";
import { choosePassphrase } from "../../../cli/init/stackSecrets.ts";
import { fakeNode, sshHost, synced, use } from "../../core/chain/fakes.ts";

/** A question's pattern, and the answer that is typed. */
type Typed = readonly [question: RegExp, answer: string | boolean];

/** The answers that are left, and all that was on the screen: questions, refused answers, and the program's lines. */
const terminal = vi.hoisted(() => ({ typed: [] as Typed[], screen: [] as string[] }));

vi.mock("../../../cli/terminal/prompts.ts", () => {
  const answer = (message: string) => {
    terminal.screen.push(message);
    const [[question, given] = []] = terminal.typed.splice(0, 1);
    if (!question?.test(message)) throw new Error(`asked "${message}", expected ${question}`);
    return given;
  };
  return {
    isTerminal: () => true,
    askConfirmation: async (message: string) => answer(message),
    askSecret: async (message: string) => answer(message),
    askChoice: async (message: string) => answer(message),
    askText: async (message: string, { validate = () => true, default: usual = "" }: TextOptions = {}) => {
      for (;;) {
        const text = String(answer(message)) || usual;
        const verdict = await validate(text);
        if (verdict === true) return text;
        terminal.screen.push(String(verdict));
      }
    },
  };
});

interface TextOptions {
  readonly default?: string;
  readonly validate?: (text: string) => boolean | string | Promise<boolean | string>;
}

beforeEach(() => {
  terminal.typed = [];
  terminal.screen = [];
  vi.spyOn(console, "error").mockImplementation((line) => void terminal.screen.push(String(line)));
});

const screen = () => terminal.screen.join("\n");
const flags = { pillar: "Anvil", provider: "existing", nodeRelease: false, agent: true } as const;

/** Answers the questions in this order. @returns the answers of init */
async function typing(typed: readonly Typed[], more: Parameters<typeof gatherAnswers>[1] = {}) {
  terminal.typed = [...typed];
  const answers = await gatherAnswers("prod-2", { ...flags, ...more });
  expect(terminal.typed).toEqual([]);
  return answers;
}

const present = /the Pillar's present host/;

test("refuses the new host as the present host at that question, by address and by host key", async () => {
  const host = await use(sshHost());
  const other = { reference: [], oldHostKey: "ssh-ed25519 AAAA" };
  const given = { address: "127.0.0.1", port: String(host.port), hostKey: host.hostKey };
  const references: Typed = [/independent nodes' RPCs/, "http://127.0.0.1:1"];

  const byAddress = await typing([[present, "127.0.0.1"], [present, ""], references], { ...given, ...other });
  expect(byAddress).toMatchObject({ oldHost: undefined, references: ["http://127.0.0.1:1"] });
  expect(screen()).toContain("127.0.0.1 is the new host itself; nothing was written\n  needed: give the address of");

  await typing([[present, "localhost"], [present, ""], references], given);
  expect(screen()).toContain("localhost is the new host itself");
  expect(screen()).not.toContain("Is it the same key?");
});

test("refuses the new host as --old-host, without a question", async () => {
  const old = { oldHost: "192.0.2.2", oldHostKey: key };
  await expect(typing([], { ...given, ...old })).rejects.toThrow("192.0.2.2 is the new host itself");
});

/** Starts a node that knows the Pillar Anvil, and no other. */
async function nodeOfAnvil() {
  const pillars = {
    "embedded.pillar.getByName": (name: string) =>
      name === "Anvil" ? { name, producerAddress: "z1qo", withdrawAddress: "z1qw" } : null,
    "embedded.pillar.getAll": { count: 1, list: [{ name: "Anvil" }] },
  };
  return `http://127.0.0.1:${(await use(fakeNode({ ...synced(2752), ...pillars }))).port}`;
}

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const given = { address: "192.0.2.1", hostKey: key };

test("asks for the Pillar's name again if no witness knows it, with the nearest names", async () => {
  const node = await nodeOfAnvil();
  const name = /What is the Pillar's name on chain\?/;
  const typed: Typed[] = [
    [name, "Anvill"],
    [present, ""],
    [/independent nodes' RPCs/, node],
    [name, "anvil"],
    [name, "Anvil"],
  ];
  expect(await typing(typed, { ...given, pillar: undefined })).toMatchObject({ pillar: "Anvil", references: [node] });
  expect(screen()).toContain(
    `no Pillar "Anvill" on the chain of reference ${node} (height 2752):\n  its nearest names: Anvil\n`,
  );
  expect(screen()).toContain(`no Pillar "anvil" on the chain of`);
  expect(screen()).not.toContain("Not asked yet");
});

test("refuses an unknown --pillar, and says if no witness could be asked", async () => {
  const node = await nodeOfAnvil();
  const unknown = typing([], { ...given, pillar: "Anvill", reference: [node] });
  await expect(unknown).rejects.toThrow(
    /^no Pillar "Anvill" on .*; nothing was written\n {2}found: its nearest names: Anvil/,
  );
  await typing([], { ...given, oldHost: "192.0.2.2", oldHostKey: "ssh-ed25519 AAAA" });
  expect(screen()).toContain("Not asked yet: whether Anvil is registered. ./pillar-host check prod-2 asks the chain.");
});

test("asks for another pass phrase if one is too short, or typed differently the second time", async () => {
  const choose = /^Choose a pass phrase:$/;
  const repeat = /^Repeat the pass phrase:$/;
  const phrase = "four random words";
  terminal.typed = [
    [choose, "x"],
    [choose, ""],
    [choose, `${" ".repeat(9)}three`],
    [choose, phrase],
    [repeat, "other"],
  ];
  terminal.typed.push([choose, phrase], [repeat, phrase]);
  expect(await choosePassphrase()).toBe(phrase);
  expect(screen().match(/This one is too short/g)).toHaveLength(3);
});
