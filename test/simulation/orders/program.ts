import type * as pulumi from "@pulumi/pulumi";
import type { CloudRun } from "../../../components/host/cloudParts.ts";
import type { Cloud, Owner, SentOrder } from "../../../core/cloud/cloud.ts";
import type * as clouds from "../../../core/cloud/clouds.ts";
import type * as deciding from "../../../core/cloud/decideServer.ts";
import type { KeepDecision, MakeDecision } from "../../../core/cloud/decideServer.ts";
import type { LastRun } from "../../../core/journey/outputs.ts";
import type * as retirement from "../../../core/retirement/decideRetirement.ts";
import type * as memory from "../../../core/retirement/guardMemory.ts";
import type * as surveying from "../../../core/retirement/surveyRetirement.ts";
import { loadMutated, type Mutation } from "../../../lab/simulation/rules.ts";
import type { ResourceTable } from "../../../providers/runtime/provider.ts";

export type HostKeyState = {
  readonly publicKey: string;
  readonly privateKey: string;
  readonly orders: readonly SentOrder[];
};
export type HostKeyInputs = { stranger?: string; otherOrder?: string; seen?: string; run?: string };
export type OrderInputs = {
  readonly orders: readonly SentOrder[];
  readonly isOrder: boolean;
  readonly seen: string | undefined;
  readonly owner: Owner;
};
export type OrderState = OrderInputs & { readonly isOrdered: boolean; readonly orderedAt?: string };

/** The program's functions, some of which no other file of it uses. */
export interface Program {
  readonly createCloud: typeof clouds.createCloud;
  readonly decideServer: typeof deciding.decideServer;
  readonly beforeOrder: (
    run: CloudRun<MakeDecision>,
    sent: readonly SentOrder[],
    sshKeyId: string | undefined,
  ) => Promise<void>;
  readonly findAddress: (run: CloudRun, serverId: string, recorded: string, isOrdered: boolean) => Promise<string>;
  readonly handleOrderError: (run: CloudRun<MakeDecision>) => pulumi.ErrorHookFunction;
  readonly formatStrangers: (run: CloudRun<KeepDecision>, last: LastRun) => Promise<HostKeyInputs>;
  readonly HostKey: { readonly table: ResourceTable<HostKeyInputs, HostKeyState> };
  readonly ServerOrder: { readonly table: ResourceTable<OrderInputs, OrderState> };
  readonly assertNoneLeft: (inputs: OrderInputs, client: Cloud, clock: { sleep(): Promise<void> }) => Promise<void>;
  readonly decideRetirement: typeof retirement.decideRetirement;
  readonly isReached: typeof memory.isReached;
  readonly findRegistrationDoubts: typeof surveying.findRegistrationDoubts;
}

const files = [
  ...[
    "core/cloud/clouds",
    "core/cloud/decideServer",
    "core/retirement/decideRetirement",
    "core/retirement/guardMemory",
  ],
  ...["core/retirement/surveyRetirement", "components/host/cloudServer", "components/host/registerCloudHost"],
  ...["providers/hostKey", "providers/serverOrder"],
];

/** Exports what only its own file uses. */
const openings: readonly Mutation[] = [
  ...["beforeOrder", "findAddress"].map((name) => ({
    file: "components/host/cloudServer.ts",
    from: `async function ${name}(`,
    to: `export async function ${name}(`,
  })),
  {
    file: "components/host/registerCloudHost.ts",
    from: "async function formatStrangers(",
    to: "export async function formatStrangers(",
  },
  {
    file: "providers/runtime/dynamicResource.ts",
    from: "class Resource extends pulumi.CustomResource {",
    to: "class Resource extends pulumi.CustomResource {\n    static readonly table = table;",
  },
];

export const loadProgram = (mistakes: readonly Mutation[] = []) =>
  loadMutated<Program>(files, [...openings, ...mistakes]);
