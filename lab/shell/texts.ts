import { isMap, parseDocument } from "yaml";
import type { CloudName } from "../clouds/names.ts";

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
  // Stays, without the real network's names: the commented blocks above it would end inside the key before it.
  set(["pillar-host:node"], { rpcPort: 35997 });
  const controller = document.getIn(["config", "pillar-host:controller"]);
  if (isMap(controller)) {
    // The address is replaced in its place: the commented hash stays below it, where init writes one.
    controller.setIn(["release", "url"], releaseUrl);
    controller.items = controller.items.filter(({ key }) => String(key) === "release");
  }
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

/** Settings of an operator's shell. */
export interface ShellPlace {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  /** Address of the present host. */
  readonly old: string;
  /** The new host: its address, or the cloud where it can be ordered. */
  readonly fresh: { readonly address: string } | { readonly provider: CloudName; readonly sshFrom: string };
  /** The orchestrator's release. */
  readonly orchestratorRelease: { readonly url: string; readonly sha256: string; readonly version: string };
}

/** Formats the first lines of an operator's shell: its hosts, and the commands of README and docs/steps.md with the lab's addresses. */
export function welcome({ old, fresh, orchestratorRelease }: Omit<ShellPlace, "directory" | "env">): string {
  const isCloud = "provider" in fresh;
  const { url, version } = orchestratorRelease;
  const release = `--release ${url} --release-version ${version}`;
  return `
You are an operator now, in a lab of this machine; nothing here reaches a real server.
  ${old}  the host of today: produces for Anvil, and signs for the bridge
  ${isCloud ? `${fresh.provider}  where the new one can be ordered; the API token is in ~/token.txt, ssh comes from ${fresh.sshFrom}` : `${fresh.address}  the new one, blank`}
Pulumi is logged in, your key is ~/.ssh/id_ed25519, no stack is made yet. An epoch takes 30 s here.

README's command, which goes through all steps:
  ./pillar-host migrate prod-1 prod-2 ${release}
When it waits for the wallet: Ctrl-Z, wallet update ADDRESS, fg; a minute after the retirement: Ctrl-Z, wallet collect, fg.
Or each step, as in docs/steps.md:
  1. ./pillar-host init prod-2
     pulumi up -s prod-2
     ./pillar-host status prod-2
     ./pillar-host next prod-2
  2. ./pillar-host adopt prod-1 ${old} --like prod-2
  3. ./pillar-host move prod-2 --from prod-1 ${release} --no-up
     ./pillar-host check prod-2
     ./pillar-host move prod-2 --from prod-1
  4. wallet update ADDRESS        the producer address that the run showed: this is the wallet here
     pulumi up -s prod-2
  5. ./pillar-host retire prod-1 --successor prod-2
  6. wallet collect               a minute later
     pulumi destroy -s prod-1
     ./pillar-host report prod-2
To leave: exit
`;
}
