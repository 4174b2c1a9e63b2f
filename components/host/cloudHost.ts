import * as pulumi from "@pulumi/pulumi";
import { readOrderRecord, recordFile, writeRecord } from "../../core/cloud/attempts";
import { type Cloud, type Owner, resourceName } from "../../core/cloud/cloud";
import { openToAll } from "../../core/cloud/firewall";
import { type HostPlan, type HostRefusal, planHost } from "../../core/cloud/hostPlan";
import { CloudError } from "../../core/cloud/http";
import type { CloudServer } from "../../core/cloud/power";
import type { StackConfig } from "../../core/config/config";
import type { CloudHostConfig } from "../../core/config/hostSchema";
import { readEvents } from "../../core/eventLog/eventLog";
import { pastEvents } from "../../core/retirement/pastEvents";
import { publicKeyOf, sshTarget } from "../../core/settings/login";
import { backupPlace } from "../../core/settings/orchestratorPlaces";
import { strangerText } from "../../core/ssh/ownServer";
import { fingerprintOf } from "../../core/ssh/publicKey";
import { cloudInit } from "../../core/steps/steps";
import { HostKey } from "../../providers/hostKey";
import { LoginKey } from "../../providers/loginKey";
import type { LastRun } from "../lastRun";
import { loginOf } from "../login";
import { runStep } from "../remote";
import type { ServerMade } from "./cloudParts";
import { cloudProviders } from "./cloudProviders";
import { isOrderedHere, type Making, makeServer, presentAddress } from "./cloudServer";
import { firstLook } from "./firstLook";
import type { Host, HostShown } from "./host";
import { protectAgain } from "./protectAgain";

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
  const protect = config.lifecycle !== "retiring";
  const { hostKey } = wanted;
  if (wanted.importId !== undefined && plan.kind === "keep") {
    await protectAgain(config, wanted, plan);
    const parts = createParts(wanted.token, config.apiEndpoint, plan.found);
    const { id, address, resource } = parts.adopted("adopted-server", plan, { protect });
    const place = { address, ...(hostKey === undefined ? {} : { hostKey }) };
    const contact = firstLook(config, place, finished, { dependsOn: [resource] });
    const access = { ...loginOf(config), address, hostKey: contact.pinned };
    const host = { access, fingerprint: contact.fingerprint, ready: [contact], server: serverOf(config, wanted, id) };
    return { host, shown: { ...shown, ...serverSummary(plan), serverId: id, address } };
  }
  const key = hostKey === undefined ? ownKey(config, cloud, owner, plan) : undefined;
  // Nothing at the provider is touched before it is known whose server is there.
  const parts = createParts(wanted.token, config.apiEndpoint, plan.found, key ? { dependsOn: [key] } : {});
  const made = makeHost({ config, wanted, cloud, owner, plan, parts, protect }, key, finished);
  // After the plugin, which may be setting it too: while one action holds a server, the provider refuses another.
  if (plan.kind === "keep") pulumi.output(made.shown.serverId).apply(() => protectAgain(config, wanted, plan));
  return made;
}

/** The key that this state made for its server; a run that meets a server without having one ends here. */
function ownKey(config: StackConfig, cloud: Cloud, owner: Owner, plan: Exclude<HostPlan, { kind: "gone" }>): HostKey {
  if (plan.kind === "make") return new HostKey("host-key", {});
  const { id, name, address } = plan.server;
  const { begun } = pastEvents(readEvents(backupPlace(config), owner.pillar), owner.stack);
  const recordedKey = begun?.serverId === id ? begun.hostKey : undefined;
  const server = { provider: cloud.provider, id, name, console: cloud.consoleOf(id) };
  return new HostKey("host-key", { stranger: strangerText(server, address, recordedKey) });
}

async function decide(config: StackConfig, wanted: CloudHostConfig, cloud: Cloud, owner: Owner): Promise<HostPlan> {
  const file = recordFile(owner.stack);
  const situation = {
    ...{ cloud, host: wanted, lifecycle: config.lifecycle, ...owner },
    ...{ publicKey: publicKeyOf(config), record: readOrderRecord(file), now: Date.now() },
  };
  const decided = await planHost(situation).catch((error: unknown): HostRefusal => {
    if (!(error instanceof CloudError)) throw error;
    return { faults: error.message.split("\n") };
  });
  const { record } = situation;
  if ("faults" in decided) {
    if (decided.isExhausted) writeRecord(file, { attempts: [], shown: record.shown });
    throw new pulumi.RunError(
      `The host of stack ${owner.stack} cannot be had from ${cloud.provider}; nothing was changed:\n` +
        decided.faults.map((line) => `  ${line}`).join("\n"),
    );
  }
  for (const line of decided.lines) pulumi.log.info(line);
  for (const line of [...decided.warnings, ...openToAll(wanted.sshFrom)]) pulumi.log.warn(line);
  const { plan } = decided;
  // Kept from the first preview on: what an order may cost follows from it.
  if (plan.kind === "make" && plan.shown !== record.shown) writeRecord(file, { ...record, shown: plan.shown });
  return plan;
}

function makeHost(making: Making, key: HostKey | undefined, finished: boolean): CloudHost {
  const { config, wanted, cloud, owner, plan } = making;
  const made = makeServer(making, key);
  const address = presentAddress(making, made);
  const hostKey = key?.publicKey ?? pulumi.output(wanted.hostKey ?? "");
  const login = loginKey(making, made, address, hostKey);
  const isOrdered = key && login ? login.isOrdered : pulumi.output(false);
  const server = pulumi.all([made.id, isOrdered, address]).apply(([id, ordered]) => ({
    ...{ provider: cloud.provider, id, name: resourceName(owner), console: cloud.consoleOf(id) },
    ...{ sshFrom: wanted.sshFrom, startTimeout: wanted.startTimeout, isOrdered: ordered },
  }));
  const access = { ...loginOf(config), address, hostKey };
  const fingerprint = hostKey.apply(fingerprintOf);
  const shown = { provider: wanted.provider, ...serverSummary(plan), serverId: made.id, address, fingerprint };
  const contact = firstLook(config, { address, hostKey, server }, finished, {
    dependsOn: [...(login ? [login] : []), made.resource],
  });
  // From here on it is no server any more that can be thrown away.
  if (config.lifecycle === "active" && !pulumi.runtime.isDryRun())
    contact.pinned.apply(() => writeRecord(recordFile(owner.stack), { attempts: [] }));
  const ready =
    config.lifecycle === "active" ? runStep("host-cloud-init", cloudInit(), access, { dependsOn: [contact] }) : contact;
  const guarded = serverOf(config, wanted, made.id);
  return { host: { access, fingerprint, ready: [ready], server: guarded, isOrdered }, shown };
}

function loginKey(
  making: Making,
  made: ServerMade,
  address: pulumi.Output<string>,
  hostKey: pulumi.Output<string>,
): LoginKey | undefined {
  const { config } = making;
  const publicKey = publicKeyOf(config);
  if (publicKey === undefined) return undefined;
  const target = pulumi.all([address, hostKey]).apply(([at, key]) => sshTarget(config, at, key));
  const isOrder = isOrderedHere(making);
  return new LoginKey("login-key", { target, publicKey, serverId: made.id, isOrder }, { dependsOn: [made.resource] });
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

function serverSummary(plan: Exclude<HostPlan, { kind: "gone" }>) {
  const { plan: name, location, monthly, currency } = plan.kind === "make" ? plan.offer : plan.server;
  return { plan: name, location, ...(monthly === undefined ? {} : { monthly: `${monthly.toFixed(2)} ${currency}` }) };
}
