import { isIP } from "node:net";

/** As ssh-keygen prints an Ed25519 key: its type, and 51 bytes; its comment is the one that it was given. */
const ed25519 = /^ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI[A-Za-z0-9+/]{43} ([a-z-]+)$/;

/**
 * Reads what copy_key prints (pure): its key, then its addresses. They go into the other host's authorized_keys,
 * where anything else in them could widen what the key may do there.
 *
 * @param mark what the key is called (core/steps/copyRight.sh)
 * @throws where it is anything but that
 */
export function parseCopyKey(
  printed: string,
  address: string,
  mark = "pillar-host-copy",
): { readonly key: string; readonly addresses: string[] } {
  const [key = "", ...lines] = printed.trim().split("\n");
  const addresses = lines.join(" ").split(/\s+/).filter(Boolean);
  const odd = ed25519.exec(key)?.[1] === mark ? addresses.find((each) => isIP(each) === 0) : key;
  if (odd === undefined) return { key, addresses };
  throw new Error(
    [
      `${address} gave no key for the copy: nothing was written on the old host`,
      `  found: ${JSON.stringify(odd.slice(0, 100))}`,
      "  needed: an Ed25519 key as ssh-keygen prints it, then IP addresses, of ssh-keygen and hostname -I there",
    ].join("\n"),
  );
}
