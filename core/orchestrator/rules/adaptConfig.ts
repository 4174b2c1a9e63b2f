import { moveToLocalhost, parseEndpoint } from "./endpoints";

const jsonString = /"(?:[^"\\]|\\.)*"/g;

/**
 * Rewrites config.json for the host that the orchestrator comes to: sets its paths, and replaces the addresses of the
 * host that the orchestrator leaves with 127.0.0.1. Everything else stays as written. @returns the new text, and each
 * change of an address in words (no other part of the file, which holds secrets)
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
    const endpoint = parseEndpoint(value, addresses);
    const path = key === undefined ? undefined : paths.get(key);
    key = undefined;
    if (path !== undefined) return path === value ? token : JSON.stringify(path);
    if (endpoint === undefined || endpoint.old === endpoint.new) return token;
    changed.add(`${endpoint.old} becomes ${endpoint.new}`);
    return JSON.stringify(moveToLocalhost(value));
  });
  return { config, changed: [...changed] };
}
