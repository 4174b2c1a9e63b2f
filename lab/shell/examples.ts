import { parseDocument } from "yaml";

/** Settings that stacks in a lab's shell need and an operator's do not. */
export interface LabNetwork {
  readonly releaseUrl: string;
  readonly references: readonly string[];
  readonly epochSeconds: number;
  readonly momentumSeconds: number;
  readonly tickMomentums: number;
  /** Key of the plugin and the URL of the cloud's API, if the new host is ordered there. */
  readonly endpoint?: readonly [key: string, url: string];
}

/**
 * Returns a file of examples/ with the lab's release, clocks and small hosts, so that stacks that `./pillar-host init`
 * makes of it work there.
 */
export function labExample(text: string, network: LabNetwork): string {
  const document = parseDocument(text);
  const set = (path: readonly string[], value: unknown) =>
    document.setIn(["config", ...path], document.createNode(value));
  const { releaseUrl, references, epochSeconds, momentumSeconds, tickMomentums, endpoint } = network;
  document.deleteIn(["config", "pillar-host:node"]);
  if (document.hasIn(["config", "pillar-host:controller"]))
    set(["pillar-host:controller"], { release: { url: releaseUrl } });
  set(["pillar-host:host", "minimums"], { cores: 1, memoryGb: 1, diskGb: 1 });
  set(["pillar-host:sync", "references"], references);
  set(["pillar-host:network"], {
    epoch: `${epochSeconds}s`,
    momentum: `${momentumSeconds}s`,
    tickMomentums,
  });
  if (endpoint) set([endpoint[0]], endpoint[1]);
  return document.toString({ lineWidth: 0 });
}
