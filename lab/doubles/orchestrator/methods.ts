import { createHash } from "node:crypto";
import type { ChainClient } from "../chain/client";
import { isNewer, type OrchestratorBuild } from "./build";

/** What the methods need of the orchestrator. */
export interface MethodsBackend {
  chain: ChainClient;
  build(): OrchestratorBuild;
  state(): number;
  peers(): number;
  /** The producer key's address. */
  producer(): string;
}

/** Calls a method of the RPC; undefined for one that this build does not have. */
export function callMethod(backend: MethodsBackend, method: string): Promise<unknown> | undefined {
  const newer = isNewer(backend.build().version);
  if (method === "getBuildInfo") return Promise.resolve(backend.build());
  if (method === "getStatus" && newer) return Promise.resolve(status(backend));
  if (method === "getIdentity" && newer) return identity(backend);
  return undefined;
}

/** The peer identity that belongs to a producer key. */
export function peerIdOf(producer: string): string {
  const digest = createHash("sha512").update(`peer ${producer}`).digest();
  const body = Array.from({ length: 44 }, (_, index) => base58[digest.readUInt8(index) % 58]);
  return `12D3KooW${body.join("")}`;
}

/** The address on other chains that belongs to a producer key. */
export function evmAddressOf(producer: string): string {
  return `0x${createHash("sha256").update(`evm ${producer}`).digest("hex").slice(0, 40)}`;
}

function status(backend: MethodsBackend) {
  const state = backend.state();
  return { state, stateName: stateNames[state] ?? "unknown", peersLen: backend.peers() };
}

async function identity(backend: MethodsBackend) {
  const producer = backend.producer();
  const pillars = await backend.chain.pillars().catch(() => []);
  const pillar = pillars.find(({ producerAddress }) => producerAddress === producer);
  return {
    producer,
    pillarName: pillar?.name ?? "notFound",
    tssPeerId: peerIdOf(producer),
    evmAddress: evmAddressOf(producer),
  };
}

const stateNames = ["LiveState", "KeyGenState", "HaltedState", "EmergencyState", "ReSignState"];
const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
