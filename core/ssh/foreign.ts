import { isIP } from "node:net";
import { ProblemError } from "../util/problem.ts";
import type { Value } from "./shellWords.ts";

declare const isChecked: unique symbol;

/**
 * A text that may be part of a script for a host: the program's own, or another machine's that passed a check below.
 */
type Word = string & { readonly [isChecked]: true };

export type Variables = Readonly<Record<string, Word | number | boolean | readonly (Word | number)[]>>;

/** Marks values as safe in a script: the operator's, this program's, or those of the host that runs it. */
export const markOwn = <T extends Readonly<Record<string, Value>>>(values: T) =>
  values as unknown as { readonly [name in keyof T]: Variables[string] };

function checked(what: string, text: string, isIt: boolean): Word {
  if (isIt) return text as Word;
  throw new ProblemError({
    what: `a host answered with something else than ${what}, and the answer is not used`,
    found: JSON.stringify(text.slice(0, 100)),
    needed: what,
  });
}

/** Accepts an address from another machine. @throws if the text is anything else, as the functions below do */
export const parseAddressWord = (text: string): Word => checked("an IP address", text, isIP(text) !== 0);
export const parseJsonWords = (words: Readonly<Record<string, string>>): Word =>
  checked(
    "letters and digits",
    JSON.stringify(words),
    /^\{("[A-Za-z]+":"[A-Za-z0-9]{0,200}",?)+\}$/.test(JSON.stringify(words)),
  );
export const parseFileName = (text: string): Word =>
  checked("a plain file name", text, /^(?!\.{1,2}$)[A-Za-z0-9_.@+=,][A-Za-z0-9 _.@+=,:-]{0,200}$/.test(text));
export const parseEndpointWord = (text: string): Word =>
  checked("an address and a port", text, /^[A-Za-z0-9.:-]{1,255}:\d{1,5}$/.test(text));
/** Encodes any text: the host decodes it as data, and never runs it. */
export const encodeBase64 = (text: string): Word => Buffer.from(text).toString("base64") as Word;

/**
 * Parses the output of copy_key: an Ed25519 key with the comment `mark` (core/steps/lib/copyAccess.sh), then addresses.
 * Returns the variables of copy_allow, with the host's configured address. Throws if it is anything else: in the other
 * host's authorized_keys, it could extend the key's rights.
 */
export function parseCopyKey(printed: string, address: string, mark = "pillar-host-copy") {
  const [key = "", ...lines] = printed.trim().split("\n");
  const isKey = /^ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI[A-Za-z0-9+/]{43} ([a-z-]+)$/.exec(key)?.[1] === mark;
  try {
    return {
      public_key: checked("an Ed25519 key as ssh-keygen prints it", key, isKey),
      from_addresses: [...lines.join(" ").split(/\s+/).filter(Boolean).map(parseAddressWord), address as Word],
    };
  } catch (error) {
    const what = `${address} gave no key for the copy: nothing was written on the old host`;
    throw new ProblemError({ ...(error as ProblemError).problem, what });
  }
}
