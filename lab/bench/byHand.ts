import { onHost } from "../hosts/onHost.ts";
import type { LabHost } from "../lab.ts";

/**
 * Returns a script that moves the orchestrator by hand on the new host (docs/specification.md, 1.2, steps 4 to 7),
 * without proof or fence. It prints the Unix time of the first good answer.
 */
export function moveByHand(oldAddress: string): string {
  return `set -e
ssh root@${oldAddress} systemctl stop orchestrator
scp -r -q root@${oldAddress}:/root/.orchestrator /root/
systemctl start orchestrator
until curl -s -X POST -H 'content-type: application/json' -d '{"method":"getBuildInfo","params":[]}' http://127.0.0.1:55000 |
  grep -q '"gitCommit":"[0-9a-f]\\{40\\}".*"error":""'; do sleep 0.1; done
date +%s.%N`;
}

/** Lets root of one host log in to another, as `scp -r` between them needs. */
export async function befriend(from: LabHost, to: LabHost): Promise<void> {
  const key = await onHost(
    from,
    "test -e ~/.ssh/id_ed25519 || ssh-keygen -q -t ed25519 -N '' -f ~/.ssh/id_ed25519; cat ~/.ssh/id_ed25519.pub",
  );
  await onHost(to, `echo '${key}' >> ~/.ssh/authorized_keys`);
  await onHost(from, `echo '${to.address} ${to.hostKey}' >> ~/.ssh/known_hosts`);
}
