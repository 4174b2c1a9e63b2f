import { describe, expect, test } from "vitest";
import type { Produced } from "../../../core/chain/chainAnswers";
import { findSwitch, isUndone } from "../../../core/registration/findSwitch";
import { chainOf, old, other, ours } from "./chains";

/** Creates a node with a whole chain that gives at most 1024 momentums at once; the lookup has its newest ones. */
function nodeOf(chain: readonly Produced[], newest = 128) {
  const asked: number[] = [];
  const momentums = async (from: number, count: number) => {
    asked.push(count);
    return chain.filter(({ height }) => height >= from && height < from + Math.min(count, 1024));
  };
  return { asked, find: (earlier?: string) => findSwitch(momentums, chain.slice(-newest), ours, earlier) };
}

/** Creates a chain on which every seventh momentum is ours or the old address's: the switch is after `height`. */
const network = (length: number, isOurs: (height: number) => boolean, first = 1) =>
  chainOf(
    Array.from({ length }, (_, i) => ((first + i) % 7 === 0 ? (isOurs(first + i) ? ours : old) : other)),
    { first },
  );

// The truth, by looking at all of it.
const truth = (chain: readonly Produced[]) => {
  const last = chain.findLast(({ producer }) => producer === old);
  return chain.find(({ height, producer }) => producer === ours && height > (last?.height ?? 0))?.height;
};

describe("the switch", () => {
  test.each([
    [3000, 2999],
    [3000, 2950],
    [3000, 2870],
    [3000, 2400],
    [3000, 1849],
    [3000, 1848],
    [3000, 826],
    [3000, 700],
    [9000, 900],
  ])(
    "is exactly the first momentum of %i, after %i, with the last one of the earlier address",
    async (length, after) => {
      const chain = network(length, (height) => height > after);
      const last = chain.findLast(({ producer }) => producer === old);
      const first = chain.find(({ producer }) => producer === ours);
      const found = await nodeOf(chain).find(old);
      if (first === undefined) return expect(found).toBeUndefined();
      expect(found).toEqual({
        height: truth(chain),
        at: first.timestamp,
        before: { producerAddress: old, height: last?.height, at: last?.timestamp },
      });
    },
  );

  test("is none if the earlier address produced last", async () => {
    expect(await nodeOf(network(3000, (height) => height < 2990)).find(old)).toBeUndefined();
  });

  test("is none if neither address produced in the last 1024 momentums", async () => {
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

  test("is searched for a day at most, and then marked as possibly earlier", async () => {
    const node = nodeOf(network(20_000, () => true));
    expect(await node.find(old)).toMatchObject({ orBefore: true });
    expect(node.asked).toHaveLength(8);
  });

  test("throws if the node returns no momentums", async () => {
    const recent = chainOf([ours], { first: 5000 });
    await expect(findSwitch(async () => [], recent, ours, old)).rejects.toThrow("no momentums from 3976 to 4999");
  });
});

describe("a recorded switch", () => {
  const at = { height: 1001, at: 0 };
  test.each([
    ["stands while momentums carry ours", [old, ours, other, ours], false],
    ["stands while neither produces", [old, ours, other, other], false],
    ["is undone by a later one of the earlier address", [old, ours, old, other], true],
    ["stands again after that", [old, ours, old, ours], false],
  ])("%s", (_what, producers, undone) => {
    expect(isUndone(at, chainOf(producers), ours, old)).toBe(undone);
  });
});
