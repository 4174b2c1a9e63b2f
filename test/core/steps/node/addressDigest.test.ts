import { createHash } from "node:crypto";
import { expect } from "vitest";
import { addressDigest } from "../../../../core/steps/readingSteps";
import { configOf } from "../../../components/exampleConfig";
import { test } from "../boxed";

const address = "z1qqjnwjjpnue8xmmpanz6csze6tcmtzzdtfsww7";
const digest = createHash("sha256").update(address).digest("hex");
const producer = { Index: 0, KeyFilePath: "producer", Password: "hunter2", Address: address };

test.for<[string, string | undefined, string]>([
  ["the producer's address", JSON.stringify({ Producer: producer }, undefined, 4), `${digest}\n`],
  ["among others", JSON.stringify({ Other: { Address: "z1qother" }, Producer: producer }), `${digest}\n`],
  [
    "a password with braces and quotes",
    JSON.stringify({ Producer: { ...producer, Password: '{}"Address": "z1qx"}' } }),
    `${digest}\n`,
  ],
  ["no producer", JSON.stringify({ Name: "node" }), ""],
  ["no configuration", undefined, ""],
])("shows the digest of the address, and never the address: %s", async ([_what, config, stdout], { box }) => {
  if (config !== undefined) box.write("config.json", config);
  const { script } = addressDigest(configOf({ node: { dataDir: box.dir } }));
  expect(await box.run(box.local(script))).toEqual({ code: 0, stdout, stderr: "" });
});
