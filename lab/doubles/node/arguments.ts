import { addressForm } from "../address";
import type { ArgumentParser } from "./jsonRpc";

/** Reads an argument as the real node does, with the real one's words on a wrong one. */
export const parseArgument: ArgumentParser = (kind, json) => {
  const value: unknown = JSON.parse(json);
  if (kind === "uint32") {
    if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffffffff) return value;
    const shown = typeof value === "number" ? `number ${json}` : jsonKind(value);
    throw new Error(`json: cannot unmarshal ${shown} into Go value of type uint32`);
  }
  if (typeof value !== "string") {
    const type = kind === "address" ? "types.Address" : "string";
    throw new Error(`json: cannot unmarshal ${jsonKind(value)} into Go value of type ${type}`);
  }
  if (kind === "address" && !addressForm.test(value)) {
    throw new Error(
      value.length < 8 ? `decoding bech32 failed: invalid bech32 string length ${value.length}` : "invalid address",
    );
  }
  return value;
};

function jsonKind(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}
