import { expect, test } from "vitest";
import { exportedTwice } from "../../lab/lint/exportedNames.ts";

const files = (...texts: string[]) => texts.map((text, at) => ({ path: `${at}.ts`, text }));

test.each([
  ["a type and a function", ["export interface Look {}", "export function Look() {}"]],
  ["two constants", ["export const patience = 1;", "export const patience = 2, other = 3;"]],
  ["a class and a type", ["export class Look {}", "export type Look = string;"]],
])("finds %s of one name", (_, texts) => {
  const name = texts[0]?.includes("patience") ? "patience" : "Look";
  expect(exportedTwice(files(...texts))).toEqual([{ name, files: ["0.ts", "1.ts"] }]);
});

test.each([
  ["a name that is not exported", ["const a = 1;", "export const a = 2;"]],
  ["overloads in one file", ["export function a(): void;\nexport function a(): void {}"]],
  ["a name that is exported again", ["export const a = 1;", `export { a } from "./0";`]],
])("counts %s once", (_, texts) => {
  expect(exportedTwice(files(...texts))).toEqual([]);
});
