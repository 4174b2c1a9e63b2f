/** An image as the API answers it. */
export interface Image {
  readonly id: number;
  readonly type: "system" | "app";
  readonly status: "available";
  readonly name: string;
  readonly description: string;
  readonly image_size: null;
  readonly disk_size: number;
  readonly created: string;
  readonly created_from: null;
  readonly bound_to: null;
  readonly os_flavor: string;
  readonly os_version: string;
  readonly rapid_deploy: boolean;
  readonly protection: { readonly delete: false };
  readonly deprecated: string | null;
  readonly deprecation: Deprecation | null;
  readonly deleted: null;
  readonly labels: Readonly<Record<string, string>>;
  readonly architecture: "x86" | "arm";
}

/** Since when a thing is announced to go, and when it is gone. */
export interface Deprecation {
  readonly announced: string;
  readonly unavailable_after: string;
}

type Ids = readonly [x86: number, arm: number];

function system(flavor: string, version: string, created: string, [x86, arm]: Ids): Image[] {
  const architectures = [
    { id: x86, architecture: "x86" },
    { id: arm, architecture: "arm" },
  ] as const;
  const title = flavor[0]?.toUpperCase() + flavor.slice(1);
  return architectures.map(({ id, architecture }) => ({
    id,
    type: "system",
    status: "available",
    name: `${flavor}-${version}`,
    description: `${title} ${version}`,
    image_size: null,
    disk_size: 5,
    created,
    created_from: null,
    bound_to: null,
    os_flavor: flavor,
    os_version: version,
    rapid_deploy: architecture === "x86",
    protection: { delete: false },
    deprecated: null,
    deprecation: null,
    deleted: null,
    labels: {},
    architecture,
  }));
}

// Ids of the images that public logs name (debian-11 45557056, debian-12 114690387, ubuntu-22.04 67794396,
// ubuntu-24.04 161547269), the others made up. Whether debian-11, without support since August 2026, is still offered
// could not be found out: here it is, until a test lets it go.
export const images: readonly Image[] = [
  ...system("debian", "11", "2021-08-16T11:12:01Z", [45557056, 103907373]),
  ...system("ubuntu", "22.04", "2022-04-21T13:32:38Z", [67794396, 103908130]),
  ...system("debian", "12", "2023-06-13T06:00:02Z", [114690387, 114690389]),
  ...system("ubuntu", "24.04", "2024-04-25T13:33:44Z", [161547269, 161547270]),
  ...system("debian", "13", "2025-08-11T06:00:00Z", [310557660, 310557664]),
  ...system("ubuntu", "26.04", "2026-04-24T09:00:00Z", [401246711, 401246712]),
  {
    ...(system("ubuntu", "24.04", "2025-01-20T08:00:00Z", [40093247, 105888141])[0] as Image),
    type: "app",
    name: "docker-ce",
    description: "Docker CE",
    disk_size: 20,
    rapid_deploy: true,
  },
];
