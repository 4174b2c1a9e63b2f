import type { Report } from "./reportTypes";

/** A report for programs (pure). Whatever would command a terminal stands there as its number. */
export function reportJson(report: Report): string {
  const text = JSON.stringify(report, undefined, 2);
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join(""),
  );
}
