import type { OrchestratorConfig } from "./stateDir";

export type Level = "INFO" | "DEBUG" | "WARN" | "ERROR";

/** Writes a line: where in its sources, and the text. */
export type Log = (level: Level, place: string, text: string) => void;

/** A line as its logger writes it. */
export function logLine(level: Level, place: string, text: string): string {
  const line = `${new Date().toISOString()}\t${level}\t${place}\t${text}`;
  return level === "WARN" || level === "ERROR" ? `${line}\n${stack(place)}` : line;
}

/** What its logger puts behind a warning and all above it. */
const stack = (place: string) => `orchestrator/app.(*Manager).Start.func1.1\n\torchestrator/${place}`;

/** What it prints of its configuration at each start, the pass phrase in it, which ends up in the journal: place and text. */
export function configLines(config: OrchestratorConfig) {
  return [
    ["app/config.go:30", `Using the following orchestrator config: \n${goJson(config)}`],
    ["app/config.go:32", `using orchestrator config${goValues(config)}`],
  ] as const;
}

/** A value as Go's MarshalIndent writes it, which escapes what HTML would read. */
function goJson(value: unknown): string {
  const escaped = { "&": "\\u0026", "<": "\\u003c", ">": "\\u003e" } as const;
  return JSON.stringify(value, undefined, 4).replaceAll(/[&<>]/g, (sign) => escaped[sign as keyof typeof escaped]);
}

/** A value as Go's %v prints it: a structure's values without their names, text as it is. */
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

/** Of a healthy signer, and yet they read like trouble: level, place, text. */
export const harmlessLines = [
  ["ERROR", "network/evm.go:371", "abi: cannot marshal in to go slice: offset 32 would go over slice boundary (len=0)"],
  ["DEBUG", "network/znn.go:265", "error: event already exists, set it as sent locally"],
] as const;

/** What it says at once, to standard output. */
export const firstLines = (version: string, commit: string) => [
  ...["Starting orchestrator.", "current time is 22009-11-11 118:11:43", `version: ${version}`],
  ...[`git-commit-hash: ${commit}`, "orchestrator will use at most 2 cpu-cores"],
];
