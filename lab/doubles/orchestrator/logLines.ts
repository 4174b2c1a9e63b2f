import type { OrchestratorConfig } from "./stateDir.ts";

type Level = "INFO" | "DEBUG" | "WARN" | "ERROR";

/** Writes a log line with its source location. */
export type Log = (level: Level, place: string, text: string) => void;

/** Formats a line like the real logger. */
export function logLine(level: Level, place: string, text: string): string {
  const line = `${new Date().toISOString()}\t${level}\t${place}\t${text}`;
  return level === "WARN" || level === "ERROR" ? `${line}\n${stack(place)}` : line;
}

/** Formats the stack trace that the logger appends to warnings and errors. */
const stack = (place: string) => `orchestrator/app.(*Manager).Start.func1.1\n\torchestrator/${place}`;

/**
 * Formats the log lines that each start prints about its configuration, as pairs of source location and text. They
 * contain the passphrase and end up in the journal.
 */
export function configLines(config: OrchestratorConfig) {
  return [
    ["app/config.go:30", `Using the following orchestrator config: \n${goJson(config)}`],
    ["app/config.go:32", `using orchestrator config${goValues(config)}`],
  ] as const;
}

/** Formats a value like Go's MarshalIndent, which escapes the characters that HTML would interpret. */
function goJson(value: unknown): string {
  const escaped = { "&": "\\u0026", "<": "\\u003c", ">": "\\u003e" } as const;
  return JSON.stringify(value, undefined, 4).replaceAll(/[&<>]/g, (sign) => escaped[sign as keyof typeof escaped]);
}

/** Formats a value like Go's %v: a structure's values without their names, texts without quotes. */
function goValues(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goValues).join(" ")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  const parts = Object.entries(value).map(([name, part]) => (maps.includes(name) ? goMap(part) : goValues(part)));
  return `{${parts.join(" ")}}`;
}
const maps = ["Networks", "PubKeyWhitelist"];
const goMap = (map: object) =>
  `map[${Object.entries(map)
    .map(([name, value]) => `${name}:${goValues(value)}`)
    .join(" ")}]`;

/** Lines of a healthy orchestrator that look like errors: level, source location, text. */
export const harmlessLines = [
  ["ERROR", "network/evm.go:371", "abi: cannot marshal in to go slice: offset 32 would go over slice boundary (len=0)"],
  ["DEBUG", "network/znn.go:265", "error: event already exists, set it as sent locally"],
] as const;

/** Formats the lines that every start first prints to standard output. */
export const firstLines = (version: string, commit: string) => [
  ...["Starting orchestrator.", "current time is 22009-11-11 118:11:43", `version: ${version}`],
  ...[`git-commit-hash: ${commit}`, "orchestrator will use at most 2 cpu-cores"],
];
