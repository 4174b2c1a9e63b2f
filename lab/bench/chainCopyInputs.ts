import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ChainCopyInputs, CopyHost } from "../../core/chainCopy/copyInputs.ts";
import { readChainCopyLibrary } from "../../core/steps/libraries.ts";
import type { Lab, LabHost } from "../lab.ts";

/** Returns the inputs of a copy from one host of a lab to another, as a stack has them, but without an engine. */
export async function copyInputs(
  lab: Lab,
  hosts: { readonly old: LabHost; readonly fresh: LabHost },
  more: Partial<ChainCopyInputs> = {},
): Promise<ChainCopyInputs> {
  const privateKey = await readFile(lab.privateKeyFile, "utf8");
  const side = ({ address, hostKey }: LabHost): CopyHost => {
    const ssh = { address, hostKey, privateKey, port: 22, user: "root" };
    return {
      host: { stack: "copies", ssh },
      node: { ssh, via: "ssh", address: "127.0.0.1", port: 35997 },
      service: "go-node",
      dataDir: "/root/.znn",
    };
  };
  return {
    stack: "copies",
    identity: "pillar-host/copies Anvil",
    old: side(hosts.old),
    new: side(hosts.fresh),
    copy: { address: hosts.old.address, port: 22 },
    limitMbps: 0,
    momentum: 10_000,
    references: [],
    tolerance: 20,
    log: { directory: join(lab.dir, "copies"), stack: "copies", pillar: "Anvil" },
    library: readChainCopyLibrary(),
    begun: undefined,
    again: undefined,
    ...more,
  };
}
