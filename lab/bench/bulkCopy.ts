import { readFile } from "node:fs/promises";
import type { MoveInputs } from "../../core/orchestrator/hosts/moveInputs";
import { orchestratorLibrary } from "../../core/steps/libraries";
import type { LabHost } from "../lab";
import { makeFiles } from "../oldHost/runningOrchestrator";
import { step } from "../util/progress";
import type { Bench } from "./bench";
import { onHost } from "./byHand";
import { runChild } from "./child";
import { inTurns, pair, seconds } from "./compare";
import { ratioOf, type Values } from "./rows";

const directory = "/root/bulk";
const arriving = `${directory}.arriving`;

/**
 * Compares the provider's own bulk copy, run by itself on the operator's machine, from its new key to its last file,
 * with `scp -r` on the new host. In a whole `up`, the backup of a gigabyte would hide it.
 */
export async function compareBulkCopies(bench: Bench): Promise<Values> {
  const { old, fresh } = await bench.signerHosts();
  const files = { count: bench.size(4000, 40), bytes: 250_000 };
  await step(`making ${files.count} files`, async () => {
    await onHost(old, `mkdir ${directory}`);
    await makeFiles(old, directory, files);
  });
  const inputs = inputsOf(old, fresh, await readFile(bench.lab.privateKeyFile, "utf8"));
  const away = () => onHost(fresh, `rm -rf ${arriving} && sync`);
  const isWhole = async () => {
    const found = await onHost(fresh, `find ${arriving} -type f -printf '%s\\n' | sort | uniq -c`);
    if (found.trim() !== `${files.count} ${files.bytes}`) throw new Error(`the copy is not whole: ${found}`);
  };
  const ours = async () => {
    await away();
    const taken = await runChild<{ seconds: number }>(bench.lab, "bulkCopyRun.ts", inputs, 900_000);
    await isWhole();
    return taken;
  };
  const scp = async () => {
    await away();
    const started = performance.now();
    await onHost(fresh, `scp -r -q root@${old.address}:${directory} ${arriving}`);
    const taken = { seconds: (performance.now() - started) / 1000 };
    await isWhole();
    return taken;
  };
  await scp();
  const rounds = await inTurns(bench.rounds, "the bulk copy", (peerFirst) => pair(peerFirst, ours, scp), "scp -r");
  const middle = seconds(rounds);
  return { bulkCopy: ratioOf(rounds), bulkCopyOurs: middle.ours, bulkCopyScp: middle.peer };
}

const move = { project: "bench", stack: "bench", pillar: "bench", attempt: 1 };

function inputsOf(old: LabHost, fresh: LabHost, privateKey: string): MoveInputs {
  const side = ({ address, hostKey }: LabHost) => ({
    host: { stack: "bench", ssh: { address, hostKey, privateKey, port: 22, user: "root" } },
    service: "bench-signer",
    directory,
    executable: "bench-signer",
  });
  return {
    move,
    stack: "bench",
    pillar: "bench",
    rollback: false,
    old: side(old),
    new: side(fresh),
    copy: { address: old.address, port: 22 },
    node: { ...side(fresh).host, via: "ssh", address: "127.0.0.1", port: 35997 },
    // These ports are free: the row before leaves an orchestrator on the new host.
    references: [],
    tolerance: 0,
    isChainUnverified: true,
    rpcPort: 56000,
    p2pPort: 56055,
    noKeyShare: false,
    haltedBridge: false,
    backup: { directory: "/nonexistent", move },
    library: orchestratorLibrary(),
    answerWithin: 0,
    steadyFor: 0,
  };
}
