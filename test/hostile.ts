import fc from "fast-check";
import { expect } from "vitest";
import type { Variables } from "../core/ssh/foreign";

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
export const decoded: readonly string[] = ["config", "retake", "remove"];

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
