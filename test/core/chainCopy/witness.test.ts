import { expect, test } from "vitest";
import { type ChainCopyInputs, createNodeAccess } from "../../../core/chainCopy/copyNodes";
import { closedPort, fakeNode, loginTo, sshHost, synced, use } from "../chain/fakes";

const nodeOn = (hash: string, address?: string) => use(fakeNode(synced(100, hash), 0, address));

/** Copies between an old and a new host whose nodes are on chains with these hashes, with references on theirs. */
async function copyOf(
  old: string,
  fresh: string,
  references: readonly string[],
  changes: Partial<ChainCopyInputs> = {},
) {
  const target = async (hash: string) => {
    const [host, node] = [await use(sshHost()), await nodeOn(hash)];
    return { node: { ssh: loginTo(host), via: "ssh" as const, address: "127.0.0.1", port: node.port } };
  };
  const inputs = { old: await target(old), new: await target(fresh), references, tolerance: 20, ...changes };
  return inputs as unknown as ChainCopyInputs;
}
const look = (inputs: ChainCopyInputs, side: "old" | "new") => createNodeAccess(inputs).readNodeStatus(side);

test("refuses an old host on another chain than the reference", async () => {
  const { port } = await nodeOn("right", "127.0.0.2");
  const inputs = await copyOf("wrong", "wrong", [`http://127.0.0.2:${port}`]);
  expect(await look(inputs, "old")).toMatchObject({ synced: false, reason: "otherChain" });
});

test("refuses an old host whose chain the reference does not confirm: the new host's node is no witness", async () => {
  const inputs = await copyOf("ab", "ab", [`http://127.0.0.2:${await closedPort()}`]);
  expect(await look(inputs, "old")).toMatchObject({ synced: false, reason: "unwitnessed" });
});

test("accepts an old host that a reference confirms, or any if no reference is configured", async () => {
  const { port } = await nodeOn("ab", "127.0.0.2");
  expect(await look(await copyOf("ab", "x", [`http://127.0.0.2:${port}`]), "old")).toMatchObject({ synced: true });
  expect(await look(await copyOf("ab", "x", []), "old")).toMatchObject({ synced: true });
});

test("copies to a new node that is synced on another chain than the old host's", async () => {
  expect(await look(await copyOf("ab", "wrong", []), "new")).toMatchObject({ synced: false, reason: "otherChain" });
  expect(await look(await copyOf("ab", "ab", []), "new")).toMatchObject({ synced: true });
});
