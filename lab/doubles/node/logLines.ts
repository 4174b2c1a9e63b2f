import { addressFrom } from "../address";
import type { NodeSettingsPatch } from "../chain/settings";
import type { NodeConfig } from "./dataDir";

/** What a build of the node double is made with: a release of it, and how its program misbehaves. */
export interface NodeBuild {
  readonly version: string;
  readonly settings?: NodeSettingsPatch;
}

declare const NODE_BUILD: NodeBuild | undefined;

/** The bundler's word; without one it is the version that the controller builds. */
export const nodeBuild: NodeBuild =
  typeof NODE_BUILD === "undefined" || NODE_BUILD === undefined ? { version: "v0.0.8" } : NODE_BUILD;

/** The double's version, as the real one prints it. */
export const nodeVersion = nodeBuild.version;

/** Its source commit. */
export const nodeCommit = "1baa7c4e057da4f2708a970b4fedf70a8de77fbe";

/** The configuration as Go's %+v prints it, the producer's password in clear: it ends up in the journal. */
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

/** A log line about somebody else's momentum, with an address that is not ours. */
export function momentumLine(height: number): string {
  return `t=${height} lvl=info msg="insert momentum" module=chain height=${height} producer=${addressFrom(`decoy ${height % 7}`)}`;
}

/** The line with which the node says whose momentum it will produce: again somebody else's address. */
export const electionLine = `lvl=info msg="election result" module=consensus next=${addressFrom("decoy election")} Address: ${addressFrom("decoy election")}`;
