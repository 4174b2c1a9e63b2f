import { z } from "zod";
import { ApiError, created, noContent, ok, type Route } from "../api/http";
import { notUnique } from "./apiError";
import { type Cloud, found } from "./cloud";
import { firewallJson, inboundRulesOf } from "./firewall";
import { listing } from "./listing";
import { type Firewall, rulesSchema, type Target } from "./resources";

const createSchema = z.object({
  name: z.string().min(1).max(128),
  labels: z.record(z.string(), z.string()).optional(),
  rules: rulesSchema,
});

export function firewallRoutes(cloud: Cloud): Route[] {
  const { firewalls } = cloud;
  const one = (id: string | undefined) => found(firewalls, id, "firewall");
  const all = () => [...firewalls.values()].map(firewallJson);
  return [
    ["GET", "/firewalls", ({ query }) => listing("firewalls", all(), query)],
    ["GET", "/firewalls/:id", ({ params }) => ok({ firewall: firewallJson(one(params.id)) })],
    [
      "POST",
      "/firewalls",
      ({ body }) => {
        const given = createSchema.parse(body);
        if ([...firewalls.values()].some(({ name }) => name === given.name)) throw notUnique("name");
        const firewall: Firewall = { ...given, id: cloud.newId(), labels: given.labels ?? {}, appliedTo: [] };
        firewalls.set(firewall.id, firewall);
        return created({ firewall: firewallJson(firewall), actions: [act(cloud, "set_firewall_rules", firewall, [])] });
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
