import { isIPv6 } from "node:net";

/** A text of JSON, with what may stand between it and a colon before it. */
const jsonText = /"(?:[^"\\]|\\.)*"/g;

/**
 * Returns an orchestrator's config.json for the host that it comes to: paths are that host's, and node addresses that name
 * the machine which it leaves name the new one. Whatever else is in the file stays as it was written.
 *
 * @param text whole JSON
 * @param addresses of the machine that it leaves
 * @returns the changed addresses too, with nothing else of the file
 */
export function movedConfig(text: string, directory: string, addresses: readonly string[]) {
  JSON.parse(text);
  const paths = new Map([
    ["DataPath", directory],
    ["BaseDir", `${directory}/tss`],
  ]);
  const changed = new Set<string>();
  let key: string | undefined;
  const config = text.replace(jsonText, (token, at: number) => {
    if (/^\s*:/.test(text.slice(at + token.length, at + token.length + 100))) {
      key = JSON.parse(token) as string;
      return token;
    }
    const value = JSON.parse(token) as string;
    const moved = (key === undefined ? undefined : paths.get(key)) ?? hereOf(value, addresses, changed);
    key = undefined;
    return moved === value ? token : JSON.stringify(moved);
  });
  return { config, changed: [...changed] };
}

/** Replaces each of the addresses where it is the host of a URL. */
function hereOf(value: string, addresses: readonly string[], changed: Set<string>): string {
  return addresses.reduce((left, address) => {
    const host = isIPv6(address) ? `[${address}]` : address;
    const [first = "", ...rest] = left.split(`://${host}`);
    return rest.reduce((done, after) => {
      if (!/^([:/]|$)/.test(after)) return `${done}://${host}${after}`;
      changed.add(`${host}${/^:\d+/.exec(after)?.[0] ?? ""}`);
      return `${done}://127.0.0.1${after}`;
    }, first);
  }, value);
}
