import { addressFrom } from "../address.ts";
import type { NodeSettingsPatch } from "../chain/settings.ts";
import type { NodeConfig } from "./dataDir.ts";

/** Options of a node double's build: its version, and settings that make the program misbehave. */
export interface NodeBuild {
  readonly version: string;
  readonly settings?: NodeSettingsPatch;
}

declare const NODE_BUILD: NodeBuild | undefined;

/** Set by the bundler. Default: the version that the controller builds. */
export const nodeBuild: NodeBuild =
  typeof NODE_BUILD === "undefined" || NODE_BUILD === undefined ? { version: "v0.0.8" } : NODE_BUILD;

/** Version of the double, as the real node prints it. */
export const nodeVersion = nodeBuild.version;

/** Source commit that the double reports. */
export const nodeCommit = "1baa7c4e057da4f2708a970b4fedf70a8de77fbe";

/**
 * Formats the configuration as Go's %+v does, with the producer's password in clear text. The line ends up in the
 * journal.
 */
export function startupDump(
  dataDir: string,
  config: NodeConfig,
  ports: { rpc: number; ws: number; p2p: number },
): string {
  const { Producer: producer } = config;
  const shown = producer
    ? `&{Address:${producer.Address} Index:${producer.Index} KeyFilePath:${producer.KeyFilePath} Password:${producer.Password}}`
    : "<nil>";
  const rpc = `{EnableHTTP:true EnableWS:true HTTPHost:0.0.0.0 HTTPPort:${ports.rpc} WSHost:0.0.0.0 WSPort:${ports.ws} Endpoints:[] HTTPVirtualHosts:[] HTTPCors:[*] WSOrigins:[*]}`;
  const net = `{ListenHost:0.0.0.0 ListenPort:${ports.p2p} MinPeers:8 MinConnectedPeers:16 MaxPeers:60 MaxPendingPeers:10 Seeders:[]}`;
  return `Initializing node with config: &{DataPath:${dataDir} WalletPath:${dataDir}/wallet GenesisFile: Name:go-node Producer:${shown} RPC:${rpc} Net:${net} LogLevel:info}`;
}

/** Formats a log line about another producer's momentum. Its address is a decoy. */
export function momentumLine(height: number): string {
  return `t=${height} lvl=info msg="insert momentum" module=chain height=${height} producer=${addressFrom(`decoy ${height % 7}`)}`;
}

/** Log line about the next elected producer. Its address is a decoy. */
export const electionLine = `lvl=info msg="election result" module=consensus next=${addressFrom("decoy election")} Address: ${addressFrom("decoy election")}`;
