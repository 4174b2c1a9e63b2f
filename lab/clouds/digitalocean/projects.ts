import { type ApiRequest, notFound, page, type Route } from "./api";
import type { Cloud } from "./cloud";

const CREATED = "2026-01-05T08:00:00Z";

// The one project that every account has, and in which everything lands that names no other.
function projectBody({ account }: Cloud): unknown {
  return {
    id: account.project,
    owner_uuid: account.uuid,
    owner_id: 1_000_001,
    name: "first-project",
    description: "",
    purpose: "Just trying out DigitalOcean",
    environment: "Development",
    is_default: true,
    created_at: CREATED,
    updated_at: CREATED,
  };
}

function requireDefault(cloud: Cloud, { params }: ApiRequest): void {
  if (params.project !== "default" && params.project !== cloud.account.project) throw notFound();
}

export const projectRoutes: readonly Route[] = [
  { method: "GET", path: "/v2/projects", answer: (cloud, request) => page(request, "projects", [projectBody(cloud)]) },
  {
    method: "GET",
    path: "/v2/projects/:project",
    answer: (cloud, request) => {
      requireDefault(cloud, request);
      return { status: 200, body: { project: projectBody(cloud) } };
    },
  },
  {
    method: "GET",
    path: "/v2/projects/:project/resources",
    answer: (cloud, request) => {
      requireDefault(cloud, request);
      const resources = [...cloud.droplets.values()].map(({ id, created_at }) => ({
        urn: `do:droplet:${id}`,
        assigned_at: created_at,
        links: { self: `${request.base}/v2/droplets/${id}` },
        status: "ok",
      }));
      return page(request, "resources", resources);
    },
  },
];
