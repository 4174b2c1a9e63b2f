import crypto from "node:crypto";
import ssh2 from "ssh2";
import { findOrder, type SentOrder } from "../core/cloud/cloud.ts";
import { computeFingerprint } from "../core/ssh/publicKey.ts";
import { defineResource, hasChanges } from "./runtime/dynamicResource.ts";

/**
 * The ed25519 host key of a server that this stack makes, and the numbers of its orders. cloud-init installs the key,
 * and every connection is pinned to it from the first packet (docs/architecture.md, Host keys are pinned). create makes
 * the key once. A run that orders draws a new number: it goes with the order, so that a server is told from others with
 * the same labels. No number is forgotten: a server may appear long after its order, or its labels after they were lost.
 * create and update refuse a server that this state did not order, before anything at the provider changes. delete does
 * nothing.
 */
export class HostKey extends defineResource<HostKeyInputs, HostKeyOutputs>({
  type: "HostKey",
  create: async ({ stranger }) => {
    // An existing server does not have a key that is made now.
    if (stranger !== undefined) throw new Error(stranger);
    return { ...createKeyPair(), orders: [drawOrder()] };
  },
  update: async (olds, { run, otherOrder, seen }) => {
    const { publicKey, privateKey, fingerprint, orders = [] } = olds;
    if (isOther(seen, orders, otherOrder)) throw new Error(otherOrder);
    const isNew = run !== undefined && run !== olds.run;
    // The host has this key: a new one would lock every connection out.
    const pair = publicKey && privateKey && fingerprint ? { publicKey, privateKey, fingerprint } : createKeyPair();
    return { ...pair, orders: isNew ? [...orders, drawOrder()] : orders };
  },
  // A server is a reason to run only if it is another one.
  changes: (olds, news) =>
    hasChanges(olds, news, "stranger", "otherOrder", "seen") || isOther(news.seen, olds.orders, news.otherOrder),
  outputs: { publicKey: "plain", privateKey: "secret", fingerprint: "plain", orders: "plain" },
  // A state that has a key keeps it, whatever server the provider reports.
  options: { ignoreChanges: ["stranger"] },
}) {}

interface HostKeyInputs {
  /** The error for a server that already exists, if this state has no key yet. */
  readonly stranger?: string | undefined;
  /** The error for a server of another order than this state's; absent if the state knows the server itself. */
  readonly otherOrder?: string | undefined;
  /** The number that the existing server carries; empty if it carries none. */
  readonly seen?: string | undefined;
  /** A new value in each run that orders. */
  readonly run?: string | undefined;
}

interface HostKeyOutputs extends Readonly<ReturnType<typeof createKeyPair>> {
  /** The last is that of the newest run that ordered. */
  readonly orders: readonly SentOrder[];
}

const isOther = (seen: string | undefined, orders: readonly SentOrder[] | undefined, otherOrder: string | undefined) =>
  otherOrder !== undefined && findOrder(orders, seen) === undefined;

/** Draws the number of an order, in lower-case hexadecimal digits, which fit every label and tag. */
const drawOrder = (): SentOrder => ({ number: crypto.randomBytes(8).toString("hex"), at: new Date().toISOString() });

/** Creates a key pair: the public key as an authorized_keys line, the private key in OpenSSH's format. */
export function createKeyPair() {
  for (;;) {
    const pair = ssh2.utils.generateKeyPairSync("ed25519");
    // ssh2 occasionally writes a key that it can't parse itself.
    if (ssh2.utils.parseKey(pair.private) instanceof Error) continue;
    const publicKey = pair.public.trim();
    return { publicKey, privateKey: `${pair.private.trim()}\n`, fingerprint: computeFingerprint(publicKey) };
  }
}
