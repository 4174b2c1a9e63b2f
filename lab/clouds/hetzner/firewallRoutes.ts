import { z } from "zod";
import { ApiError, created, noContent, ok, type Route } from "../api/http";
import { notFound, notUnique } from "./apiError";
import { type Cloud, found } from "./cloud";
import { firewallJson, inboundRulesOf } from "./firewall";
import { listing } from "./listing";
import { type Firewall, rulesSchema, type Target, targetSchema } from "./resources";

const labels = z.record(z.string(), z.string()).optional();
const name = z.string().min(1).max(128);
const createSchema = z.object({ name, labels, rules: rulesSchema });
const updateSchema = z.object({ name: name.optional(), labels });

export function firewallRoutes(cloud: Cloud): Route[] {
  const { firewalls } = cloud;
  const one = (id: string | undefined) => found(firewalls, id, "firewall");
  const unique = (wanted: string, except?: number) => {
    if ([...firewalls.values()].some((other) => other.name === wanted && other.id !== except)) throw notUnique("name");
  };
  const targetsOf = (body: unknown, key: "apply_to" | "remove_from") => {
    const targets = z.object({ [key]: z.array(targetSchema).min(1) }).parse(body)[key] as Target[];
    for (const { server } of targets) if (!cloud.servers.has(server.id)) throw notFound("server");
    return targets;
  };
  const all = () => [...firewalls.values()].map(firewallJson);
  return [
    ["GET", "/firewalls", ({ query }) => listing("firewalls", all(), query)],
    ["GET", "/firewalls/:id", ({ params }) => ok({ firewall: firewallJson(one(params.id)) })],
    [
      "POST",
      "/firewalls",
      ({ body }) => {
        const given = createSchema.parse(body);
        unique(given.name);
        const firewall: Firewall = { ...given, id: cloud.newId(), labels: given.labels ?? {}, appliedTo: [] };
        firewalls.set(firewall.id, firewall);
        return created({ firewall: firewallJson(firewall), actions: [act(cloud, "set_firewall_rules", firewall, [])] });
      },
    ],
    [
      "PUT",
      "/firewalls/:id",
      ({ params, body }) => {
        const firewall = one(params.id);
        const given = updateSchema.parse(body);
        if (given.name !== undefined) unique(given.name, firewall.id);
        firewall.name = given.name ?? firewall.name;
        firewall.labels = given.labels ?? firewall.labels;
        return ok({ firewall: firewallJson(firewall) });
      },
    ],
    [
      "DELETE",
      "/firewalls/:id",
      ({ params }) => {
        const firewall = one(params.id);
        if (firewall.appliedTo.length > 0)
          throw new ApiError(409, "resource_in_use", `firewall with ID '${firewall.id}' is still in use`);
        firewalls.delete(firewall.id);
        return noContent;
      },
    ],
    [
      "POST",
      "/firewalls/:id/actions/set_rules",
      ({ params, body }) => {
        const firewall = one(params.id);
        firewall.rules = z.object({ rules: rulesSchema }).parse(body).rules;
        return created({ actions: [act(cloud, "set_firewall_rules", firewall, firewall.appliedTo)] });
      },
    ],
    [
      "POST",
      "/firewalls/:id/actions/apply_to_resources",
      ({ params, body }) => {
        const firewall = one(params.id);
        const targets = targetsOf(body, "apply_to");
        firewall.appliedTo = [...firewall.appliedTo, ...targets];
        return created({ actions: [act(cloud, "apply_firewall", firewall, targets)] });
      },
    ],
    [
      "POST",
      "/firewalls/:id/actions/remove_from_resources",
      ({ params, body }) => {
        const firewall = one(params.id);
        const targets = targetsOf(body, "remove_from");
        const isGone = ({ server }: Target) => targets.some((target) => target.server.id === server.id);
        firewall.appliedTo = firewall.appliedTo.filter((target) => !isGone(target));
        return created({ actions: [act(cloud, "remove_firewall", firewall, targets)] });
      },
    ],
  ];
}

/**
 * Starts an action that sets the servers' rules in the machine room. The rules apply even to a server that has not
 * booted.
 */
function act(cloud: Cloud, command: string, firewall: Firewall, targets: readonly Target[]) {
  const about = targets.map(({ server }) => ({ id: server.id, type: "server" as const }));
  const work = async () => {
    for (const { id } of about) {
      const server = cloud.servers.get(id);
      if (server) await cloud.room.setFirewall(server.machine, inboundRulesOf(cloud, server));
    }
  };
  return cloud.actions.start(command, [{ id: firewall.id, type: "firewall" }, ...about], { work });
}
