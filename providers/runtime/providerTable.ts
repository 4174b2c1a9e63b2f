import type * as pulumi from "@pulumi/pulumi";
import { anyStack } from "../../core/util/commands";
import { printable } from "../../core/util/printable";
import { createProblemError } from "../../core/util/problem";
import { type DynamicType, formatProviderName } from "../../core/util/resourceTypes";
import { ChainCopy } from "../chainCopy";
import { CopyKey } from "../copyKey";
import { FirstContact } from "../firstContact";
import { HostKey } from "../hostKey";
import { HostSetUp } from "../hostSetUp";
import { HourlyRestartOff } from "../hourlyRestartOff";
import { NodeShutdown } from "../nodeShutdown";
import { NodeUpgrade } from "../nodeUpgrade";
import { OrchestratorBackup } from "../orchestratorBackup";
import { OrchestratorMove } from "../orchestratorMove";
import { RetirementGuard } from "../retirementGuard";
import { ServerOrder } from "../serverOrder";
import { SyncGate } from "../syncGate";
import { hideStack } from "./provider";

type WithProvider = { readonly provider: pulumi.dynamic.ResourceProvider };

const classes: Readonly<Record<DynamicType, WithProvider>> = {
  ...{ ChainCopy, CopyKey, FirstContact, HostKey, HostSetUp, HourlyRestartOff, NodeShutdown, NodeUpgrade },
  ...{ OrchestratorBackup, OrchestratorMove, RetirementGuard, ServerOrder, SyncGate },
};

const providers: ReadonlyMap<unknown, pulumi.dynamic.ResourceProvider> = new Map(
  Object.entries(classes).map(([type, { provider }]) => [formatProviderName(type as DynamicType), provider]),
);

/** Returns the provider with this name in the state. @throws for any other value: whoever writes the state wrote it */
export function findProvider(name: unknown): pulumi.dynamic.ResourceProvider {
  const provider = providers.get(name);
  if (provider !== undefined) return provider;
  throw hideStack(
    createProblemError({
      what: "the state has code of another version of this program, or of somebody else: it is not run",
      found: printable(String(name)).slice(0, 100),
      needed:
        "finish the stack with the checkout that made it. Did this one? Then find out who wrote the state (SECURITY.md, Limits)",
      next: `To read the state, which runs nothing: ${anyStack.exportState}`,
    }),
  );
}
