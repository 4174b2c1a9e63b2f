import { addressWord, copyKey, type Word } from "./foreign";

/**
 * Reads what copy_key prints: its key, then its addresses. They go into the other host's authorized_keys,
 * where anything else in them could widen what the key may do there.
 *
 * @param mark what the key is called (core/steps/lib/copyRight.sh)
 * @throws where it is anything but that
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
