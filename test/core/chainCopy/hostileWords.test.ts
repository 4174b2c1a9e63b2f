import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChainCopyDeps, copyChain } from "../../../core/chainCopy/chainCopy";
import type { CopyHosts } from "../../../core/chainCopy/copyHosts";
import { expectNothingOf, hostile, sentText } from "../../hostile";
import { copyInputs } from "./copyInputs";

/** Places of a text of a host or its node. */
const places = [
  ...["height", "files", "bytes", "hash", "path", "arrivedPath", "copyKey", "copyAddress"],
  ...["owner", "database", "load", "lacks", "networkKey", "progress", "free", "error"],
  ...["nodeWhy", "nodeHash", "nodeVersion"],
] as const;
type Place = (typeof places)[number];
const hash = "a".repeat(64);

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "hostile-chain-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Copies a chain between hosts that answer so, of which the new one first has a file too many. */
async function sentIn(answer: (place: Place, usual: string) => string) {
  const sent: string[] = [];
  let time = 0;
  const facts = () =>
    `owner=${answer("owner", "")}\nnom=there\nconsensus=there\ncache=${answer("database", "none")}\nbytes=1000\nfree=9000000000\nstaged=0\nload=${answer("load", "0")}\n${answer("lacks", "lacks.=")}\nnetworkKey=${answer("networkKey", "")}${sent.length}\nend=yes\n`;
  const manifest = (of: "old" | "new") => {
    const extra = of === "new" ? `\n${hash}  nom/${answer("arrivedPath", "more")}` : "";
    return `${answer("hash", hash)}  nom/${answer("path", "CURRENT")}${extra}\n`;
  };
  const answers: Readonly<Record<string, (of: "old" | "new") => string>> = {
    chain_facts: () => facts().replace("lacks.=\n", ""),
    chain_snapshot: () =>
      `height ${answer("height", "7")}\nfiles ${answer("files", "2")}\nbytes ${answer("bytes", "1000")}\nend\n`,
    chain_key: () =>
      `${answer("copyKey", `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"b".repeat(43)} pillar-host-chain-copy`)}\n${answer("copyAddress", "192.0.2.2")}\n`,
    chain_manifest: manifest,
    chain_old_now: () => `free ${answer("free", "9000000000")}\n`,
    chain_swap: () => {
      const text = answer("error", "");
      if (text !== "") throw new Error(text);
      return "";
    },
  };
  const call: CopyHosts["call"] = async (of, name, variables) => {
    sent.push(sentText(`${of} ${name}`, variables));
    return answers[name]?.(of) ?? "";
  };
  const follow: CopyHosts["follow"] = async (of, name, variables, { heard }) => {
    sent.push(sentText(`${of} ${name}`, variables));
    heard(`bytes ${answer("progress", "1000")}`);
  };
  const roots = { old: { address: "192.0.2.1" }, new: { address: "192.0.2.2" } };
  const sides = { call, follow, roots, close: () => undefined } as unknown as CopyHosts;
  const deps: ChainCopyDeps = {
    now: () => time,
    ticks: () => time,
    say: () => undefined,
    sleep: async (milliseconds) => {
      time += milliseconds;
      await new Promise((resolve) => setImmediate(resolve));
    },
    version: async () => answer("nodeVersion", "v0.0.8"),
    readNodeStatus: async ({ ssh }) => ({
      synced: ssh.address === "192.0.2.1",
      known: true,
      why: answer("nodeWhy", "it says so"),
    }),
    readChains: async () => {
      const height = sent.some((text) => text.startsWith("new chain_swap")) ? 9 : 7;
      const own = { newest: { height, hash: answer("nodeHash", "same") }, recent: [] };
      return {
        old: { newest: { height: 20, hash: "x" }, recent: [{ height, hash: answer("nodeHash", "same") }] },
        new: own,
      };
    },
  };
  const failure = await copyChain(copyInputs(directory), deps, sides).then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { sent: sent.join("\n"), failure };
}

test("a chain copy does all its steps if the hosts answer correctly", async () => {
  const { sent, failure } = await sentIn((_place, usual) => usual);
  expect(failure).toBeUndefined();
  for (const name of [
    "old chain_allow",
    "new chain_remove",
    "new chain_copy",
    "old chain_end_old",
    "new chain_end_new",
  ])
    expect(sent).toContain(name);
  expect(sent).toContain("total_bytes\u00011000");
});

test("a chain copy sends no unchecked text of one host to the other", async () => {
  const property = fc.asyncProperty(hostile, fc.constantFrom(...places), async (word, place) => {
    const { sent } = await sentIn((at, usual) => (at === place ? word : usual));
    expectNothingOf(word, sent);
  });
  const examples = places.map((place): [string, Place] => ["#e;$(id>/x)\n", place]);
  await fc.assert(property, { examples, numRuns: 150 });
}, 60_000);

test("sends no number that a script cannot parse", async () => {
  const { sent } = await sentIn((place, usual) => (place === "bytes" ? "9".repeat(400) : usual));
  expect(sent).not.toMatch(/Infinity|e\+|9{20}/);
});
