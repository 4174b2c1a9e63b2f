import { readFile } from "node:fs/promises";
import type { NodeTarget } from "../../core/chain/node";
import { stackSchema } from "../../core/config/stackSchema";
import type { GateSettings } from "../../core/sync/waitForSync";
import type { Standing } from "./bench";

/** An additional node double on a host that has the executable. */
export interface ExtraNode {
  readonly name: string;
  readonly target: NodeTarget;
}

/**
 * Starts a node and waits until it answers. `n`, from 0, gives its ports, below those that the kernel uses for outgoing
 * connections. Change its settings at the chain first.
 */
export async function startNode({ host, stack }: Standing, name: string, n: number): Promise<ExtraNode> {
  const [rpc = 0, ws, p2p] = [21_000, 22_000, 23_000].map((port) => port + n);
  const unit = `bench-${name}`;
  const command = `/usr/local/bin/go-node --data /var/tmp/${name} --name ${name} --rpc ${rpc} --ws ${ws} --p2p ${p2p}`;
  const { exitCode, stderr } = await host.run(
    `systemd-run -q --unit=${unit} -p Restart=on-failure -p RestartSec=1 ${command}
for _ in {1..60}; do
  if (: < /dev/tcp/127.0.0.1/${rpc}) 2>/dev/null; then exit 0; fi
  sleep 1
done
systemctl status --no-pager ${unit} >&2
exit 1`,
  );
  if (exitCode !== 0) throw new Error(`the node ${name} does not answer: ${stderr}`);
  const privateKey = await readFile(stack.lab.privateKeyFile, "utf8");
  const ssh = { address: host.address, port: 22, user: "root", hostKey: host.hostKey, privateKey };
  return { name, target: { ssh, via: "ssh", address: "127.0.0.1", port: rpc } };
}

/** Returns the gate's settings of a stack that configures none. */
export function gateSettings(): GateSettings {
  const { confirmations, confirmSeconds, tolerance, deadline, stallMinutes } = stackSchema.shape.sync.parse(undefined);
  return {
    isChainUnverified: true,
    confirmations,
    tolerance,
    deadline,
    check: false,
    stack: "bench",
    service: "go-node",
    confirmSpan: confirmSeconds * 1000,
    stallAfter: stallMinutes * 60_000,
  };
}
