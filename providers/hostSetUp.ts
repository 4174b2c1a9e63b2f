import { say } from "../core/util/printable";
import { defineResource, hasChanges } from "./runtime/dynamicResource";

/**
 * Remembers which set-up of a host the other resources belong to. A disk that was set back has none of their work, but
 * the same host key: a new `setUp` lets them work again. delete does nothing.
 */
export class HostSetUp extends defineResource<SetUpInputs, SetUpOutputs>({
  type: "HostSetUp",
  id: () => "host-set-up",
  create: async ({ lost }) => ({ setUp: lost }),
  update: async ({ setUp }, { address, lost }) => {
    if (lost !== undefined) say(`${address}: it carries nothing of this stack's set-up: every step runs on it`);
    return { setUp: lost ?? setUp };
  },
  // A run that finds the host set up leaves `lost` out, which is no reason for an update.
  changes: (olds, news) => hasChanges(olds, news),
  secretInputs: [],
  outputs: { setUp: "plain" },
}) {}

interface SetUpInputs {
  readonly address: string;
  /** A new value in each run that finds nothing of the set-up on the host; otherwise absent. */
  readonly lost?: string | undefined;
}

interface SetUpOutputs {
  readonly setUp?: string | undefined;
}
