import fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { orderRecordName } from "../../../core/store/orders";

const here = process.cwd();
let root: string;
const records = () => path.join(root, "records");
const old = () => path.join(root, "Pulumi.prod.attempts.json");
const file = () => path.join(records(), "orders-prod-Anvil.json");

beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "orders-")));
  process.chdir(root);
});
afterEach(() => {
  process.chdir(here);
  fs.rmSync(root, { recursive: true });
});

it("lies among the records, and makes nothing by itself", () => {
  expect(orderRecordName(records(), { stack: "prod", pillar: "Anvil" })).toBe("orders-prod-Anvil.json");
  expect(fs.readdirSync(root)).toEqual([]);
});

it("is brought there from beside the stack's file, once", () => {
  fs.writeFileSync(old(), "one", { mode: 0o644 });
  orderRecordName(records(), { stack: "prod", pillar: "Anvil" });
  expect([fs.readFileSync(file(), "utf8"), fs.statSync(file()).mode & 0o777]).toEqual(["one", 0o600]);
  expect(fs.existsSync(old())).toBe(false);
});

it("goes on where a run was killed between the copy and the end", () => {
  fs.writeFileSync(old(), "one");
  fs.mkdirSync(records());
  fs.writeFileSync(file(), "one");
  orderRecordName(records(), { stack: "prod", pillar: "Anvil" });
  expect([fs.existsSync(old()), fs.readFileSync(file(), "utf8")]).toEqual([false, "one"]);
});

it("refuses where both are there and say different things, and leaves both", () => {
  fs.writeFileSync(old(), "one");
  fs.mkdirSync(records());
  fs.writeFileSync(file(), "other");
  expect(() => orderRecordName(records(), { stack: "prod", pillar: "Anvil" })).toThrow(
    "two records of the orders of this stack's server say different things; nothing was changed",
  );
  expect([fs.readFileSync(old(), "utf8"), fs.readFileSync(file(), "utf8")]).toEqual(["one", "other"]);
});

it("says of a place that can't be written what is needed, and leaves it", () => {
  fs.writeFileSync(old(), "one");
  fs.writeFileSync(records(), "a file in the way");
  expect(() => orderRecordName(records(), { stack: "prod", pillar: "Anvil" })).toThrow(
    /could not be brought to .*\n {2}found: .*\n {2}needed: room/,
  );
  expect(fs.readFileSync(old(), "utf8")).toBe("one");
});
