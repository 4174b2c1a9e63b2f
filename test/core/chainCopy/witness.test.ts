import { expect, test } from "vitest";
import { type ChainCopyInputs, createNodeAccess } from "../../../core/chainCopy/copyNodes";
import { closedPort, fakeNode, loginTo, sshHost, synced, use } from "../chain/fakes";

/** Reads the status of one of two nodes on chains with these hashes. test/lab/gate/rightChain.test.ts has more cases. */
async function readStatus(side: "old" | "new", old: string, fresh: string, references: readonly string[]) {
  const start = async (hash: string) => {
    const [host, node] = [await use(sshHost()), await use(fakeNode(synced(100, hash)))];
    return { node: { ssh: loginTo(host), via: "ssh" as const, address: "127.0.0.1", port: node.port } };
  };
  const inputs = { old: await start(old), new: await start(fresh), references, tolerance: 20 };
  return createNodeAccess(inputs as unknown as ChainCopyInputs).readNodeStatus(side);
}

test("an old host whose chain no reference confirms is not synced: the new host's node is no witness", async () => {
  const status = await readStatus("old", "ab", "ab", [`http://127.0.0.2:${await closedPort()}`]);
  expect(status).toMatchObject({ synced: false, reason: "unwitnessed" });
});

test("a new node on another chain than the old host's is not synced", async () => {
  expect(await readStatus("new", "ab", "wrong", [])).toMatchObject({ synced: false, reason: "otherChain" });
  expect(await readStatus("new", "ab", "ab", [])).toMatchObject({ synced: true });
});
