import type * as pulumi from "@pulumi/pulumi";
import { anyStack } from "../../core/util/commands.ts";
import { printable } from "../../core/util/printable.ts";
import { ProblemError } from "../../core/util/problem.ts";
import { type DynamicType, formatProviderName } from "../../core/util/resourceTypes.ts";
import { ChainCopy } from "../chainCopy.ts";
import { FirstContact } from "../firstContact.ts";
import { HostKey } from "../hostKey.ts";
import { HostSetUp } from "../hostSetUp.ts";
import { HourlyRestartOff } from "../hourlyRestartOff.ts";
import { NodeShutdown } from "../nodeShutdown.ts";
import { NodeUpgrade } from "../nodeUpgrade.ts";
import { OrchestratorBackup } from "../orchestratorBackup.ts";
import { OrchestratorMove } from "../orchestratorMove.ts";
import { RetirementGuard } from "../retirementGuard.ts";
import { ServerOrder } from "../serverOrder.ts";
import { SyncGate } from "../syncGate.ts";
import { hideStack } from "./provider.ts";

type WithProvider = { readonly provider: pulumi.dynamic.ResourceProvider };

const classes: Readonly<Record<DynamicType, WithProvider>> = {
  ...{ ChainCopy, FirstContact, HostKey, HostSetUp, HourlyRestartOff, NodeShutdown, NodeUpgrade },
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
    new ProblemError({
      what: "the state has code of another version of this program, or of somebody else: it is not run",
      found: printable(String(name)).slice(0, 100),
      needed:
        "finish the stack with the checkout that made it. Did this one? Then find out who wrote the state (SECURITY.md, Limits)",
      next: `To read the state, which runs nothing: ${anyStack.exportState}`,
    }),
  );
}
