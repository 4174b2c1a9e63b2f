import { ProblemError } from "../../util/problem.ts";
import { moveToLocalhost, parseEndpoint } from "./endpoints.ts";

/** Keys that lead the orchestrator to files, and those above them. */
const usedKeys = ["DataPath", "TssConfig", "BaseDir", "ProducerKeyFileName", "ProducerKeyFilePassphrase"] as const;
/** Folds a key as Go's encoding/json does, which ignores case, also of the Kelvin sign and of the long s. */
const fold = (key: string) => key.normalize("NFKC").toLowerCase();

const jsonString = /"(?:[^"\\]|\\.)*"/g;

/**
 * Rewrites config.json for the host that the orchestrator comes to: sets its paths, and replaces the addresses of the
 * host that the orchestrator leaves with 127.0.0.1. Everything else stays as written. @returns the new text, and each
 * change of an address in words (no other part of the file, which holds secrets) @throws if the orchestrator would
 * read a path from another key than this program
 */
export function adaptConfig(text: string, directory: string, addresses: readonly string[]) {
  JSON.parse(text);
  const paths = new Map([
    ["DataPath", directory],
    ["BaseDir", `${directory}/tss`],
  ]);
  const [changed, seen] = [new Set<string>(), new Set<string>()];
  let key: string | undefined;
  const config = text.replace(jsonString, (token, at: number) => {
    if (/^\s*:/.test(text.slice(at + token.length, at + token.length + 100))) {
      const found = JSON.parse(token) as string;
      const usual = usedKeys.find((each) => fold(each) === fold(found));
      if (usual && (usual !== found || seen.has(found))) throwAmbiguous(found);
      seen.add(found);
      key = found;
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

function throwAmbiguous(key: string): never {
  throw new ProblemError({
    what: "the orchestrator would read its config.json in another way than this program: it was not started",
    found: `the key ${JSON.stringify(key)}, in another spelling or twice`,
    needed: `each of these keys once, as written here: ${usedKeys.join(", ")}`,
    next: "The orchestrator never writes it so: find out who changed that file",
  });
}
