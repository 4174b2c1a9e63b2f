import fc from "fast-check";
import { Header } from "tar";
import { expect } from "vitest";
import type { Variables } from "../core/ssh/foreign.ts";

/** Hostile texts: a host, node or reference that an attacker controls may answer with any of them. */
export const hostile = fc
  .tuple(
    fc.constantFrom(
      "#e;$(id>/x)",
      "';id;'",
      '"\\";id',
      "`id`",
      "x\nid\n",
      "../../etc/passwd",
      "-oProxyCommand=id",
      "|e",
      "\u0000id",
      "\u001b]0;id\u0007",
      "\u202eid",
    ),
    fc.string({ maxLength: 20 }),
  )
  .map(([evil, more]) => `${evil}${more}`);

/** Variables that a script decodes into a file, and does nothing else with (test/core/steps/decoded.test.ts). */
export const decoded: readonly string[] = ["config", "retake"];

/** Returns all text that a call sends to a host, without base64 that the host only decodes. */
export function sentText(name: string, variables: Variables = {}): string {
  const shown = Object.entries(variables).filter(
    ([variable, value]) => !decoded.includes(variable) || !/^[A-Za-z0-9+/]*=*$/.test(String(value)),
  );
  return [name, ...shown.flatMap(([variable, value]) => [variable, String(value)])].join("\u0001");
}

/** Expects no hostile text: neither all of it in JSON form nor a word of it that is not a plain name. */
export function expectNothingOf(word: string, sent: string): void {
  const parts = word.split(/\s+/).filter((part) => part.length > 3 && !/^[\w.-]*$/.test(part));
  const forms = [word, JSON.stringify(word).slice(1, -1), ...parts];
  expect(forms.filter((form) => sent.includes(form))).toEqual([]);
}

/** Prints the manifest of one empty file, as orchestrator_manifest prints it. */
export function manifestOf(path: string, owner: string): Buffer {
  const hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  return Buffer.from(["f", "600", owner, "0", hash, path, ""].join("\0"));
}

/** Packs one empty file, as orchestrator_archive sends it. */
export function archiveOf(path: string): Buffer {
  const head = Buffer.alloc(512);
  new Header({ path, type: "File", size: 0, mode: 0o600, uid: 0, gid: 0, mtime: new Date(0) }).encode(head);
  return Buffer.concat([head, Buffer.alloc(1024)]);
}
