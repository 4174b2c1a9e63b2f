import { createHash } from "node:crypto";
import type { ChainClient } from "../chain/client.ts";

/** Build of the double, as the RPC reports it. */
export const orchestratorBuild = {
  version: "v0.0.9a",
  gitCommit: createHash("sha1").update("orchestrator v0.0.9a").digest("hex"),
  goVersion: "go1.22.1",
};

/** The parts of the orchestrator that its RPC methods need. */
export interface MethodsBackend {
  chain: ChainClient;
  build(): typeof orchestratorBuild;
  state(): number;
  networks(): string[];
  /** Returns the producer key's address. */
  producer(): string;
  /** Returns for how many milliseconds an answer to getStatus is cached. */
  statusStands(): number;
}

/**
 * Creates the RPC's methods. The returned function gives a method's result, or undefined if there is no such method.
 */
export function createMethods(backend: MethodsBackend): (method: string) => Promise<unknown> | undefined {
  let known: { at: number; status: unknown } | undefined;
  return (method) => {
    if (method === "getBuildInfo") return Promise.resolve(backend.build());
    if (method === "getIdentity") return identity(backend);
    if (method !== "getStatus") return undefined;
    if (known === undefined || Date.now() - known.at > backend.statusStands())
      known = { at: Date.now(), status: status(backend) };
    return Promise.resolve(known.status);
  };
}

/** Returns the peer identity that belongs to a producer key. */
export function peerIdOf(producer: string): string {
  const digest = createHash("sha512").update(`peer ${producer}`).digest();
  const body = Array.from({ length: 44 }, (_, index) => base58[digest.readUInt8(index) % 58]);
  return `12D3KooW${body.join("")}`;
}

/** Returns the address on EVM chains that belongs to a producer key. */
export function evmAddressOf(producer: string): string {
  return `0x${createHash("sha256").update(`evm ${producer}`).digest("hex").slice(0, 40)}`;
}

function status(backend: MethodsBackend) {
  const state = backend.state();
  const network = (chainId: number) => ({
    chainId,
    networkClass: 2,
    contractAddress: `0x${"1".repeat(40)}`,
    contractDeploymentHeight: 900_000,
    estimatedBlockTime: 12,
    confirmationsToFinality: 30,
    latestUpdateHeight: 1_000_502,
    wrapsToSign: 0,
    wrapsHash: "00",
    unwrapsToSign: 0,
    unwrapsHash: "00",
  });
  const peers = Array.from({ length: 11 }, (_, index) => peerIdOf(`peer ${index}`));
  return {
    state,
    stateName: stateNames[state] ?? "unknown",
    frontierMomentum: Math.floor(Date.now() / 1000),
    networks: Object.fromEntries(backend.networks().map((name, index) => [name, network(index + 1)])),
    peersLen: peers.length,
    peers,
  };
}

async function identity(backend: MethodsBackend) {
  const producer = backend.producer();
  const pillars = await backend.chain.pillars().catch(() => []);
  const pillar = pillars.find(({ producerAddress }) => producerAddress === producer);
  return {
    producer,
    pillarName: pillar?.name ?? "notFound",
    tssPeerPubKey: createHash("sha256").update(`tss ${producer}`).digest("base64"),
    tssPeerId: peerIdOf(producer),
    evmAddress: evmAddressOf(producer),
  };
}

const stateNames = ["LiveState", "KeyGenState", "HaltedState", "EmergencyState", "ReSignState"];
const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
