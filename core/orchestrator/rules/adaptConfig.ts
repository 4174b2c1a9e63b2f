import { isIPv6 } from "node:net";

const jsonString = /"(?:[^"\\]|\\.)*"/g;

/**
 * Rewrites config.json for the host that the orchestrator comes to: sets its paths, and replaces the addresses of the
 * host that the orchestrator leaves with 127.0.0.1. Everything else stays as written. @returns the new text, and the
 * replaced addresses (no other part of the file, which holds secrets)
 */
export function adaptConfig(text: string, directory: string, addresses: readonly string[]) {
  JSON.parse(text);
  const paths = new Map([
    ["DataPath", directory],
    ["BaseDir", `${directory}/tss`],
  ]);
  const changed = new Set<string>();
  let key: string | undefined;
  const config = text.replace(jsonString, (token, at: number) => {
    if (/^\s*:/.test(text.slice(at + token.length, at + token.length + 100))) {
      key = JSON.parse(token) as string;
      return token;
    }
    const value = JSON.parse(token) as string;
    const moved = (key === undefined ? undefined : paths.get(key)) ?? replaceAddresses(value, addresses, changed);
    key = undefined;
    return moved === value ? token : JSON.stringify(moved);
  });
  return { config, changed: [...changed] };
}

function replaceAddresses(value: string, addresses: readonly string[], changed: Set<string>): string {
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
