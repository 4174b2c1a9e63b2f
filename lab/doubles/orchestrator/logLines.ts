import type { OrchestratorConfig } from "./stateDir";

export type Level = "INFO" | "DEBUG" | "WARN" | "ERROR";

/** Writes a line: where in its sources, and the text. */
export type Log = (level: Level, place: string, text: string) => void;

/** A line as its logger writes it. */
export function logLine(level: Level, place: string, text: string): string {
  return `${new Date().toISOString()}\t${level}\t${place}\t${text}`;
}

/** Its configuration as Go's %+v prints it, the pass phrase in clear: it ends up in the journal. */
export function configDump(config: OrchestratorConfig): string {
  const { Networks: networks, ProducerKeyFileName: name, ProducerKeyFilePassphrase: passphrase } = config;
  const urls = Object.entries(networks).map(([network, { Urls }]) => `${network}:{Urls:[${Urls.join(" ")}]}`);
  return `config: {DataPath:${config.DataPath} GlobalState:${config.GlobalState} Networks:map[${urls.join(" ")}] ProducerKeyFileName:${name} ProducerKeyFilePassphrase:${passphrase} ProducerIndex:${config.ProducerIndex}}`;
}

/** Of a healthy signer, and yet they read like trouble: level, place, text. */
export const harmlessLines = [
  ["WARN", "network/evm.go:112", "websocket: close 1006 (abnormal closure): unexpected EOF, reconnecting"],
  ["ERROR", "go-tss/p2p/communication.go:401", "fail to connect to peer: failed to dial: context deadline exceeded"],
  ["DEBUG", "network/znn.go:265", "error: event already exists, set it as sent locally"],
] as const;
