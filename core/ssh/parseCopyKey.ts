import { addressWord, copyKey, type Word } from "./foreign";

/**
 * Parses the output of copy_key: a key, then addresses. They go into the other host's authorized_keys, where any other
 * text could extend the key's rights.
 *
 * @param mark comment of the key (core/steps/lib/copyRight.sh)
 * @throws if the output is anything else
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
