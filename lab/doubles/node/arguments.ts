import { addressForm } from "../address";
import type { ArgumentParser } from "./jsonRpc";

/** Parses an argument like the real node, with the same error messages. */
export const parseArgument: ArgumentParser = (kind, json) => {
  const value: unknown = JSON.parse(json);
  if (kind === "uint32" || kind === "uint64" || kind === "int64") {
    const [least, limit] = kind === "int64" ? [-(2 ** 63), 2 ** 63] : [0, kind === "uint32" ? 2 ** 32 : 2 ** 64];
    if (typeof value === "number" && Number.isInteger(value) && value >= least && value < limit) return value;
    const shown = typeof value === "number" ? `number ${json}` : jsonKind(value);
    throw new Error(`json: cannot unmarshal ${shown} into Go value of type ${kind}`);
  }
  if (typeof value !== "string") {
    throw new Error(`json: cannot unmarshal ${jsonKind(value)} into Go value of type ${goTypes[kind]}`);
  }
  if (kind === "hash") {
    if (value.length !== 64) throw new Error(`error hex hash size ${value.length}`);
    const wrong = /[^0-9a-fA-F]/.exec(value)?.[0];
    if (wrong !== undefined) throw new Error(`encoding/hex: invalid byte: ${goRune(wrong)}`);
    return value.toLowerCase();
  }
  if (kind === "address" && !addressForm.test(value)) {
    throw new Error(
      value.length < 8 ? `decoding bech32 failed: invalid bech32 string length ${value.length}` : "invalid address",
    );
  }
  return value;
};

const goTypes = { address: "types.Address", hash: "types.Hash", string: "string" };

function goRune(character: string): string {
  const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  return `U+${code} '${character}'`;
}

function jsonKind(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}
