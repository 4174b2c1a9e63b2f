import { say } from "../core/util/printable.ts";
import { defineResource, hasChanges } from "./runtime/dynamicResource.ts";

/**
 * Keeps a text that changes in each run that finds nothing of this stack on its host, whose disk was set back: with it
 * the inputs of all work there change. delete does nothing.
 */
export class HostSetUp extends defineResource<SetUpInputs, { setUp?: string | undefined }>({
  type: "HostSetUp",
  create: async ({ lost }) => ({ setUp: lost }),
  update: async ({ setUp }, { address, lost }) => {
    if (lost) say(`${address}: it carries nothing of this stack's set-up: every step runs on it`);
    return { setUp: lost ?? setUp };
  },
  // A run that finds the set-up leaves `lost` out, which is no reason for an update.
  changes: (olds, news) => hasChanges(olds, news),
  outputs: { setUp: "plain" },
}) {}

type SetUpInputs = { readonly address: string; readonly lost?: string | undefined };
