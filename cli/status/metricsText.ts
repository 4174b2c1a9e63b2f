import { type createStatusJson, takeKnown } from "./statusJson.ts";

type StatusJson = Omit<ReturnType<typeof createStatusJson>, "needs">;

/** A stack that was not read has few fields. */
type StackJson = Readonly<{ stack: string; needs: string }> & Partial<StatusJson>;

/** A text becomes a label of the metric's name. Undefined: the metric is left out. */
type Value = number | boolean | string | undefined;

const toBytes = (kib: number | undefined) => kib && kib * 1024;

/** Metrics by their names, which are in operators' panels and alert rules: none changes, and none goes. */
const metrics: readonly (readonly [name: string, help: string, read: (json: StackJson, now: number) => Value])[] = [
  ["look_timestamp_seconds", "Time of this look", (_, now) => Math.round(now / 1000)],
  ["look_success", "1 if this look read the stack", ({ needs }) => needs !== "unseen"],
  ["needs", "1 with what the stack needs: nothing, step, wait, attention or unseen", ({ needs }) => needs],
  // In the JSON `synced` is false, too, of a host that was not read.
  ["synced", "1 if the node is synced", ({ looked, synced }) => (looked ? synced : undefined)],
  ["node_height", "Height of the node in momentums", ({ sync }) => sync?.height],
  ["target_height", "Height in momentums that the node syncs to", ({ sync }) => sync?.target],
  ["sync_ratio", "Share of the target height that the node has", ({ sync }) => sync?.percent && sync.percent / 100],
  ["sync_left_seconds", "Estimated time until the node is synced", ({ sync }) => sync?.secondsLeft],
  ["node_active", "1 if the unit of the node runs", ({ node }) => takeKnown(node)?.active],
  ["node_restarts", "Restarts of the node by systemd", ({ facts }) => facts?.service?.restarts],
  ["node_peers", "Peers of the node", ({ facts }) => facts?.node?.peers],
  ["node_version", "1 with the version of the node", ({ sporks }) => takeKnown(sporks)?.version],
  ["version_gaps", "Required versions that the node is below", ({ versions }) => takeKnown(versions)?.length],
  ["unknown_sporks", "Sporks that the node may not support", ({ sporks }) => takeKnown(sporks)?.unknown.length],
  ["registered", "1 if the Pillar has the address of this host", (json) => takeKnown(json.registration)?.registered],
  ["producing", "1 if momentums carry the address of this host", (json) => takeKnown(json.registration)?.producing],
  [
    "momentums_expected",
    "Momentums that were expected in this epoch",
    ({ momentums }) => takeKnown(momentums)?.expected,
  ],
  [
    "momentums_produced",
    "Momentums that were produced in this epoch",
    ({ momentums }) => takeKnown(momentums)?.produced,
  ],
  ["orchestrator", "1 with the state of the orchestrator", ({ orchestrator }) => takeKnown(orchestrator)?.kind],
  ["orchestrator_wrong", "1 if the orchestrator has a problem", (json) => takeKnown(json.orchestrator)?.isWrong],
  ["ports_wrong", "Ports in the wrong state", ({ ports }) => takeKnown(ports)?.filter(({ isWrong }) => isWrong).length],
  ["destroy_unmet", "Conditions that a destroy still lacks", ({ destroy }) => takeKnown(destroy)?.unmet.length],
  ["locks", "Locks on the state of the stack", ({ pulumi }) => pulumi?.length],
  ["disk_size_bytes", "Size of the disk with the chain", ({ facts }) => toBytes(facts?.disk?.size)],
  ["disk_free_bytes", "Free space of the disk with the chain", ({ facts }) => toBytes(facts?.disk?.free)],
  ["memory_size_bytes", "Memory of the host", ({ facts }) => toBytes(facts?.memory?.total)],
  ["memory_available_bytes", "Available memory of the host", ({ facts }) => toBytes(facts?.memory?.available)],
  ["clock_synchronized", "1 if a service synchronizes the clock of the host", ({ facts }) => facts?.clock?.isKept],
];

/** Formats what `status --all --json` prints for node_exporter's textfile collector. `now`: unix milliseconds. */
export function formatMetrics(stacks: readonly StackJson[], now: number): string {
  const families = metrics.map(([name, help, read]) => {
    const metric = `pillar_host_${name}`;
    const samples = stacks.flatMap((json) => {
      const value = read(json, now);
      if (value === undefined) return [];
      const [number, own] = typeof value === "string" ? [1, { [name]: value }] : [Number(value), {}];
      const labels = Object.entries({ stack: json.stack, pillar: json.pillar ?? "", ...own });
      return `${metric}{${labels.map(formatLabel).join()}} ${number}\n`;
    });
    return samples.length === 0 ? [] : [`# HELP ${metric} ${help}.\n# TYPE ${metric} gauge\n`, ...samples];
  });
  return families.flat().join("");
}

const formatLabel = ([name, value]: readonly [name: string, value: string]) =>
  `${name}="${value.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
