import { describe, expect, test } from "vitest";
import type { Produced } from "../../../core/chain/chainAnswers";
import { findSwitch, isUndone } from "../../../core/registration/findSwitch";
import { chainOf, old, other, ours } from "./chains";

/** Creates a node with a whole chain that gives at most 1024 momentums at once; the lookup has its newest ones. */
function nodeOf(chain: readonly Produced[]) {
  const asked: number[] = [];
  const momentums = async (from: number, count: number) => {
    asked.push(count);
    return chain.filter(({ height }) => height >= from && height < from + Math.min(count, 1024));
  };
  return { asked, find: (earlier?: string) => findSwitch(momentums, chain.slice(-128), ours, earlier) };
}

/** Creates a chain on which every seventh momentum is ours or the old address's. */
const network = (length: number, isOurs: (height: number) => boolean) =>
  chainOf(
    Array.from({ length }, (_, i) => ((i + 1) % 7 === 0 ? (isOurs(i + 1) ? ours : old) : other)),
    { first: 1 },
  );

describe("the switch", () => {
  test.each([
    [3000, 2950],
    [3000, 2870],
    [3000, 1849],
    [3000, 1848],
    [3000, 700],
    [9000, 900],
  ])("is exactly the first momentum of %i, after %i, with the last one before", async (length, after) => {
    const chain = network(length, (height) => height > after);
    const last = chain.findLast(({ producer }) => producer === old);
    const first = chain.find(({ producer }) => producer === ours);
    expect(await nodeOf(chain).find(old)).toEqual({
      height: first?.height,
      at: first?.timestamp,
      before: { producerAddress: old, height: last?.height, at: last?.timestamp },
    });
  });

  test("is none if the earlier address produced last, or neither in the last 1024 momentums", async () => {
    expect(await nodeOf(network(3000, (height) => height < 2990)).find(old)).toBeUndefined();
    const node = nodeOf(network(9000, () => false));
    expect(await node.find("z1qnobody")).toBeUndefined();
    expect(node.asked).toEqual([1024]);
  });

  test("is searched until the chain's begin, or a page without either address", async () => {
    expect(await nodeOf(network(500, () => true)).find(old)).toMatchObject({ height: 7 });
    const late = network(9000, (height) => height > 6000).map((momentum) =>
      momentum.producer === old ? { ...momentum, producer: other } : momentum,
    );
    expect(await nodeOf(late).find(old)).toEqual({ height: 6006, at: late[6005]?.timestamp });
  });

  test("is searched for a day at most, and then marked as possibly earlier; throws without momentums", async () => {
    const node = nodeOf(network(20_000, () => true));
    expect(await node.find(old)).toMatchObject({ orBefore: true });
    expect(node.asked).toHaveLength(8);
    const recent = chainOf([ours], { first: 5000 });
    await expect(findSwitch(async () => [], recent, ours, old)).rejects.toThrow("no momentums from 3976 to 4999");
  });
});

test.each([
  ["stands while momentums carry ours", [old, ours, other, ours], false],
  ["stands while neither produces", [old, ours, other, other], false],
  ["is undone by a later one of the earlier address", [old, ours, old, other], true],
  ["stands again after that", [old, ours, old, ours], false],
])("a recorded switch %s", (_what, producers, undone) => {
  expect(isUndone({ height: 1001, at: 0 }, chainOf(producers), ours, old)).toBe(undone);
});
