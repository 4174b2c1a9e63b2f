import { expect, test } from "vitest";
import { openReferenceChain, redactAddress } from "../../../core/chain/chain";

test.each([
  ["https://node.example:35997", "https://node.example:35997"],
  ["https://node.example/", "https://node.example"],
  ["https://node.example/v1/s3cret", "https://node.example/…"],
  ["https://node.example?key=s3cret", "https://node.example/…"],
  ["https://me:s3cret@node.example/", "https://node.example"],
])("redacts %s as %s", (url, shown) => {
  expect(redactAddress(url)).toBe(shown);
  expect(openReferenceChain(url).name).toBe(`reference ${shown}`);
});
