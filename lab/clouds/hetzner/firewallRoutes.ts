import { z } from "zod";
import { ApiError, notFound, notUnique } from "./apiError";
import { type Cloud, checkLabels, found } from "./cloud";
import { applyFirewalls, type Firewall, firewallJson, serversOf, type Target, targetSchema } from "./firewall";
import { rulesSchema } from "./firewallRules";
import { created, noContent, ok, type Route } from "./http";
import { labelSelector } from "./labelSelector";
import { listing } from "./listing";
import type { Server } from "./server";

const labels = z.record(z.string(), z.string()).optional();
const createSchema = z.object({
  name: z.string().min(1).max(128),
  labels,
  rules: rulesSchema,
  apply_to: z.array(targetSchema).default([]),
});
const updateSchema = z.object({ name: z.string().min(1).max(128).optional(), labels });

export function firewallRoutes(cloud: Cloud): Route[] {
  const { firewalls } = cloud;
  const one = (id: string | undefined) => found(firewalls, id, "firewall");
  const unique = (name: string, except?: number) => {
    if ([...firewalls.values()].some((other) => other.name === name && other.id !== except)) throw notUnique("name");
  };
  return [
    [
      "GET",
      "/firewalls",
      ({ query }) =>
        listing(
          "firewalls",
          [...firewalls.values()].map((each) => firewallJson(cloud, each)),
          query,
        ),
    ],
    ["GET", "/firewalls/:id", ({ params }) => ok({ firewall: firewallJson(cloud, one(params.id)) })],
    [
      "POST",
      "/firewalls",
      ({ body }) => {
        const { apply_to: targets, ...given } = createSchema.parse(body);
        unique(given.name);
        checkTargets(cloud, targets);
        cloud.faults.limit("firewalls", firewalls.size);
        const id = cloud.newId();
        const firewall: Firewall = {
          ...given,
          id,
          created: cloud.clock.stamp(),
          labels: checkLabels(given.labels),
          appliedTo: targets,
        };
        firewalls.set(id, firewall);
        const setRules = given.rules.length > 0 ? [act(cloud, "set_firewall_rules", firewall, [])] : [];
        const applied = targets.length > 0 ? [act(cloud, "apply_firewall", firewall, serversOf(cloud, targets))] : [];
        return created({ firewall: firewallJson(cloud, firewall), actions: [...setRules, ...applied] });
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
        firewall.labels = checkLabels(given.labels ?? firewall.labels);
        return ok({ firewall: firewallJson(cloud, firewall) });
      },
    ],
    [
      "DELETE",
      "/firewalls/:id",
      ({ params }) => {
        const firewall = one(params.id);
        if (firewall.appliedTo.length > 0) {
          throw new ApiError(409, "resource_in_use", `firewall with ID '${firewall.id}' is still in use`);
        }
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
        const servers = serversOf(cloud, firewall.appliedTo);
        const actions = [act(cloud, "set_firewall_rules", firewall, [])];
        if (servers.length > 0) actions.push(act(cloud, "apply_firewall", firewall, servers));
        return created({ actions });
      },
    ],
    [
      "POST",
      "/firewalls/:id/actions/apply_to_resources",
      ({ params, body }) => {
        const firewall = one(params.id);
        const { apply_to: targets } = z.object({ apply_to: z.array(targetSchema).min(1) }).parse(body);
        checkTargets(cloud, targets);
        if (targets.some((target) => firewall.appliedTo.some((has) => same(target, has)))) {
          throw new ApiError(409, "firewall_already_applied", "firewall was already applied on resource");
        }
        firewall.appliedTo = [...firewall.appliedTo, ...targets];
        return created({ actions: [act(cloud, "apply_firewall", firewall, serversOf(cloud, targets))] });
      },
    ],
    [
      "POST",
      "/firewalls/:id/actions/remove_from_resources",
      ({ params, body }) => {
        const firewall = one(params.id);
        const { remove_from: targets } = z.object({ remove_from: z.array(targetSchema).min(1) }).parse(body);
        const servers = serversOf(cloud, targets);
        firewall.appliedTo = firewall.appliedTo.filter((has) => !targets.some((target) => same(target, has)));
        return created({ actions: [act(cloud, "remove_firewall", firewall, servers)] });
      },
    ],
    [
      "GET",
      "/firewalls/:id/actions",
      ({ params, query }) => listing("actions", cloud.actions.list({ id: one(params.id).id, type: "firewall" }), query),
    ],
  ];
}

function act(cloud: Cloud, command: string, firewall: Firewall, servers: readonly Server[]) {
  const about = servers.map(({ id }) => ({ id, type: "server" as const }));
  const work = async () => {
    for (const server of servers) await applyFirewalls(cloud, server);
  };
  return cloud.actions.start(command, [{ id: firewall.id, type: "firewall" }, ...about], { work });
}

function checkTargets(cloud: Cloud, targets: readonly Target[]): void {
  for (const target of targets) {
    if (target.type === "label_selector") labelSelector(target.label_selector.selector);
    else if (!cloud.servers.has(target.server.id)) {
      throw new ApiError(404, "firewall_resource_not_found", notFound("server").message);
    }
  }
}

function same(a: Target, b: Target): boolean {
  if (a.type === "server") return b.type === "server" && a.server.id === b.server.id;
  return b.type === "label_selector" && a.label_selector.selector === b.label_selector.selector;
}
