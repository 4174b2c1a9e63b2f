import { formatKeyName } from "../../../core/cloud/cloud.ts";
import { createDigitaloceanTag } from "../../../core/cloud/digitalocean.ts";
import { createHetznerLabels } from "../../../core/cloud/hetzner.ts";
import { createKeyPair } from "../../../providers/hostKey.ts";
import { ask, isOwn, keys, type Operator, owner, paths, type World } from "./world.ts";

/** Other events of an operator's stack, and acts at the provider's console. */
export const events = {
  refresh: async ({ cloud: { account } }, { state }) => {
    if (state.server && !account.servers.has(Number(state.server.id))) state.server = undefined;
    if (state.firewall && !account.firewalls.has(Number(state.firewall))) state.firewall = undefined;
    if (state.sshKey && !account.keys.has(Number(state.sshKey.id))) state.sshKey = undefined;
    if (state.tag && !account.tags.has(state.tag)) state.tag = undefined;
  },
  "lose state": async (_world, by) => void Object.assign(by, { state: {}, life: by.life + 1, serverId: undefined }),
  "lose laptop": async (_world, by) => {
    Object.assign(by, { state: {}, life: by.life + 1, serverId: undefined, hasReached: false });
    by.record = { attempts: [] };
  },
  "lose record": async (_world, by) => void Object.assign(by, { record: { attempts: [] } }),
  "change key": async (_world, by) => void Object.assign(by, { key: (by.key + 1) % keys.length }),
  "a person orders": async (world) => {
    const path = paths[world.provider];
    const body =
      world.provider === "hetzner"
        ? {
            ...{ name: "mine", server_type: "cx33", location: "fsn1", image: "ubuntu-22.04" },
            labels: createHetznerLabels(owner),
          }
        : {
            ...{ name: "mine", size: "s-4vcpu-8gb", region: "fra1", image: "ubuntu-22-04-x64" },
            tags: [createDigitaloceanTag(owner)],
          };
    const made = (await ask(world, "POST", path.servers, body))[path.server];
    if (made) world.truth.set(made.id, { by: "a person", life: 0, isLive: true });
  },
  "a person adds a key": async (world, { key }) => {
    const name = formatKeyName(owner, keys[key]?.publicKey ?? "");
    const body = { name, public_key: createKeyPair().publicKey, labels: createHetznerLabels(owner) };
    await ask(world, "POST", paths[world.provider].keys, body);
  },
  "a person deletes keys": async ({ cloud: { account } }) => account.keys.clear(),
  "a person deletes firewalls": async ({ cloud: { account, machines } }) => {
    account.firewalls.clear();
    for (const machine of machines.values()) machine.rules = undefined;
  },
  "labels go": async ({ cloud: { account }, hidden }, { state }) => {
    const server = account.servers.get(Number(state.server?.id));
    if (!server || hidden.has(server)) return;
    hidden.set(server, server.labels);
    Object.assign(server, { labels: {} });
  },
  "labels come back": async ({ hidden }) => {
    for (const [server, labels] of hidden) Object.assign(server, { labels });
    hidden.clear();
  },
  "deploy by hand": async ({ truth }, { state }) => {
    const own = state.server?.hasFailed ? undefined : truth.get(Number(state.server?.id));
    if (own) Object.assign(own, { isLive: true, registeredAt: Date.now() });
  },
  // As the message about several servers says: what is of this stack's order and no host.
  tidy: async (world, by) => {
    const { servers, machines } = { ...world.cloud.account, machines: world.cloud.machines };
    for (const [id, server] of servers) {
      const isSurplus = isOwn(world, by, id) && by.state.server?.id !== String(id) && !world.truth.get(id)?.isLive;
      if (!isSurplus || !by.last.join("\n").includes(String(id))) continue;
      servers.delete(id);
      machines.delete(server.machine);
    }
  },
  "orders arrive late": async ({ late }) => {
    for (const send of late.splice(0)) await send();
  },
} satisfies Record<string, (world: World, by: Operator) => Promise<void>>;
export type Event = keyof typeof events;

export type Act =
  | {
      readonly do: "up";
      readonly by: Operator["name"];
      readonly dies?: number;
      /** True if a plugin sends its order after the death of its engine. */
      readonly isLate?: boolean;
      readonly fault?: "no room" | "fails" | "refused" | "lost answer";
      /** True if ssh gets through. */
      readonly reaches?: boolean;
      /** An event between the decision to order and the order. */
      readonly meanwhile?: "a person orders" | "orders arrive late";
    }
  | {
      readonly do: "destroy";
      readonly by: Operator["name"];
      readonly dies?: number;
      /** The references' words about the registration; none: no reference is configured. */
      readonly chain: "none" | "answers";
      /** True if an `up` of the retiring stack comes first. */
      readonly retires: boolean;
      /** True if ssh does not get through. */
      readonly isSilent: boolean;
    }
  | { readonly do: Event; readonly by: Operator["name"] };
