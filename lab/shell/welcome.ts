import type { ShellPlace } from "./prepare";

/** Formats the first lines of an operator's shell: its hosts, and README's commands with the lab's addresses. */
export function welcome({ old, fresh, orchestratorRelease }: Omit<ShellPlace, "directory" | "env">): string {
  const isCloud = "provider" in fresh;
  const { url, sha256, version } = orchestratorRelease;
  const release = `--release ${url} --release-sha256 ${sha256} --release-version ${version}`;
  return `
You are an operator now, in a lab of this machine; nothing here reaches a real server.
  ${old}  the host of today: produces for Anvil, and signs for the bridge
  ${isCloud ? `${fresh.provider}  where the new one can be ordered; the API token is in ~/token.txt, ssh comes from ${fresh.sshFrom}` : `${fresh.address}  the new one, blank`}
Pulumi is logged in, your key is ~/.ssh/id_ed25519, no stack is made yet. An epoch takes 30 s here.

README's commands, to be typed:
  1. ./pillar-host init prod-2
     pulumi up -s prod-2
     ./pillar-host status prod-2
     ./pillar-host next prod-2
  2. ./pillar-host adopt prod ${old} --like prod-2
  3. ./pillar-host move prod-2 --from prod ${release} --first-move --no-up
     ./pillar-host check prod-2
     pulumi up -s prod-2
  4. wallet update ADDRESS        the producer address that the run showed: this is the wallet here
     pulumi up -s prod-2
  5. ./pillar-host retire prod --successor prod-2
  6. wallet collect               a minute later
     pulumi destroy -s prod
     ./pillar-host report prod-2
To leave: exit
`;
}
