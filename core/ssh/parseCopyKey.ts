import { addressWord, copyKey, type Word } from "./foreign";

/**
 * Parses the output of copy_key: a key with the comment `mark` (core/steps/lib/copyRight.sh), then addresses. Throws if
 * it is anything else: in the other host's authorized_keys, it could extend the key's rights.
 */
export function parseCopyKey(
  printed: string,
  address: string,
  mark = "pillar-host-copy",
): { readonly key: Word; readonly addresses: readonly Word[] } {
  const [key = "", ...lines] = printed.trim().split("\n");
  try {
    return { key: copyKey(key, mark), addresses: lines.join(" ").split(/\s+/).filter(Boolean).map(addressWord) };
  } catch (error) {
    const [, ...facts] = (error as Error).message.split("\n");
    throw new Error([`${address} gave no key for the copy: nothing was written on the old host`, ...facts].join("\n"));
  }
}
