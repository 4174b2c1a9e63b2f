import * as pulumi from "@pulumi/pulumi";
import { type Cloud, type Owner, resourceName } from "../../providers/cloud/cloud";
import { CloudError } from "../../providers/cloud/http";
import { HostKey } from "../../providers/hostKey";
import { LoginKey } from "../../providers/loginKey";
import type { CloudServer } from "../../providers/retirement/inputs";
import type { StackConfig } from "../config";
import type { LastRun } from "../lastRun";
import { loginOf, publicKeyOf, sshTarget } from "../login";
import { runStep } from "../remote";
import { cloudInit } from "../scripts/steps";
import { readRecord, recordFile, writeRecord } from "./attempts";
import { cloudProviders } from "./cloudProviders";
import { type Making, makeServer, presentAddress } from "./cloudServer";
import { openToAll } from "./firewall";
import { firstLook } from "./firstLook";
import type { Host, HostShown } from "./host";
import { type HostPlan, planHost, type Refusal } from "./hostPlan";
import type { CloudHostConfig } from "./hostSchema";

/** A stack's host at a cloud provider. */
export interface CloudHost {
  /** Absent where nothing is to be done on it, now or at all. */
  readonly host?: Host;
  readonly shown: HostShown;
}

/**
 * The host at a cloud provider: looks at the provider, decides, then registers what the decision comes to.
 *
 * @throws RunError, before anything is registered, with all that stands in the way
 */
export async function cloudHost(
  config: StackConfig,
  wanted: CloudHostConfig,
  { finished }: LastRun,
): Promise<CloudHost> {
  const owner: Owner = { stack: pulumi.getStack(), pillar: config.pillar.name };
  const { createCloud, createParts } = cloudProviders[wanted.provider];
  const cloud = createCloud({
    token: wanted.token,
    say: (line) => void pulumi.log.info(line),
    ...(config.apiEndpoint === undefined ? {} : { endpoint: config.apiEndpoint }),
  });
  const plan = await decide(config, wanted, cloud, owner);
  const shown = { provider: wanted.provider };
  if (plan.kind === "gone") return { shown };
  const parts = createParts(wanted.token, config.apiEndpoint, plan.found);
  const protect = config.lifecycle !== "retiring";
  if (wanted.importId !== undefined && plan.kind === "keep") {
    const { id, address, resource } = parts.adopted("adopted-server", plan, { protect });
    const contact = firstLook(config, { address }, finished, { dependsOn: [resource] });
    const access = { ...loginOf(config), address, hostKey: contact.pinned };
    const host = { access, fingerprint: contact.fingerprint, ready: [contact], server: serverOf(config, wanted, id) };
    return { host, shown: { ...shown, ...placeOf(plan), serverId: id, address } };
  }
  return makeHost({ config, wanted, cloud, owner, plan, parts, protect }, finished);
}

async function decide(config: StackConfig, wanted: CloudHostConfig, cloud: Cloud, owner: Owner): Promise<HostPlan> {
  const file = recordFile(owner.stack);
  const situation = {
    ...{ cloud, host: wanted, lifecycle: config.lifecycle, ...owner },
    ...{ publicKey: publicKeyOf(config), record: readRecord(file), now: Date.now() },
  };
  const decided = await planHost(situation).catch((error: unknown): Refusal => {
    if (!(error instanceof CloudError)) throw error;
    return { faults: error.message.split("\n") };
  });
  if ("faults" in decided) {
    if (decided.isExhausted) writeRecord(file, { attempts: [] });
    throw new pulumi.RunError(
      `The host of stack ${owner.stack} cannot be had from ${cloud.provider}; nothing was changed:\n` +
        decided.faults.map((line) => `  ${line}`).join("\n"),
    );
  }
  for (const line of decided.lines) pulumi.log.info(line);
  for (const line of [...decided.warnings, ...openToAll(wanted.sshFrom)]) pulumi.log.warn(line);
  return decided.plan;
}

function makeHost(making: Making, finished: boolean): CloudHost {
  const { config, wanted, cloud, owner, plan } = making;
  const key = new HostKey("host-key");
  const made = makeServer(making, key);
  const address = presentAddress(making, made);
  const publicKey = publicKeyOf(config);
  const target = pulumi.all([address, key.publicKey]).apply(([at, hostKey]) => sshTarget(config, at, hostKey));
  const login = publicKey ? [new LoginKey("login-key", { target, publicKey }, { dependsOn: [made.resource] })] : [];
  const server = pulumi.all([made.id, address]).apply(([id]) => ({
    ...{ provider: cloud.provider, id, name: resourceName(owner), console: cloud.consoleOf(id) },
    ...{ sshFrom: wanted.sshFrom, startTimeout: wanted.startTimeout },
  }));
  const access = { ...loginOf(config), address, hostKey: key.publicKey };
  const shown = {
    provider: wanted.provider,
    ...placeOf(plan),
    serverId: made.id,
    address,
    fingerprint: key.fingerprint,
  };
  const contact = firstLook(config, { address, hostKey: key.publicKey, server }, finished, {
    dependsOn: [...login, made.resource],
  });
  const ready =
    config.lifecycle === "active" ? runStep("host-cloud-init", cloudInit(), access, { dependsOn: [contact] }) : contact;
  const guarded = serverOf(config, wanted, made.id);
  return { host: { access, fingerprint: key.fingerprint, ready: [ready], server: guarded }, shown };
}

/** What a guard needs to switch it off. */
function serverOf(
  { apiEndpoint }: StackConfig,
  { provider, token }: CloudHostConfig,
  id: pulumi.Output<string>,
): pulumi.Output<CloudServer> {
  const endpoint = apiEndpoint === undefined ? {} : { endpoint: apiEndpoint };
  return pulumi.secret(id.apply((serverId) => ({ provider, id: serverId, token, ...endpoint })));
}

function placeOf(plan: Exclude<HostPlan, { kind: "gone" }>) {
  const { plan: name, location, monthly, currency } = plan.kind === "make" ? plan.offer : plan.server;
  return { plan: name, location, ...(monthly === undefined ? {} : { monthly: `${monthly.toFixed(2)} ${currency}` }) };
}
