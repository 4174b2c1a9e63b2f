import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { createDirectoryStore } from "../../../core/store/directoryStore.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";
import { storeContract } from "./contract.ts";

const scratch = scratchDirectory();

storeContract("a directory", () => {
  const directory = path.join(scratch(), "records/Anvil");
  const log = path.join(directory, "record.jsonl");
  return {
    open: () => createDirectoryStore(directory),
    breakOff: () => fs.appendFileSync(log, '{"at":"20'),
    spoil: () => {
      // Permissions are nothing to root.
      fs.rmSync(log);
      fs.mkdirSync(log);
    },
    faults: {
      spoiled: /^the event log could not be (read|written) on this machine: .*\n {2}found: EISDIR/,
      absent: /^ENOENT: /,
    },
  };
});

it("makes a directory's files readable by the user only", async () => {
  const directory = path.join(scratch(), "records");
  await createDirectoryStore(directory).append("one");
  await createDirectoryStore(directory).writeText("orders.json", "{}");
  const files = [directory, ...["record.jsonl", "orders.json"].map((name) => path.join(directory, name))];
  expect(files.map((file) => fs.statSync(file).mode & 0o777)).toEqual([0o700, 0o600, 0o600]);
  // No temporary file is left.
  expect(fs.readdirSync(directory).sort()).toEqual(["orders.json", "record.jsonl"]);
});
