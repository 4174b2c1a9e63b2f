import type { ChainCopyInputs, CopyHost } from "../../../core/chainCopy/inputs";

/** Returns a host of a chain copy, with its node. */
const side = (address: string): CopyHost => {
  const ssh = { address, port: 22, user: "root", hostKey: `ssh-ed25519 ${address}` };
  return {
    host: { stack: "prod", ssh },
    node: { ssh, via: "ssh", address: "127.0.0.1", port: 35997 },
    service: "go-node",
    dataDir: "/root/.znn",
  };
};

/** Returns the inputs of a copy, with the event log in a directory. */
export const copyInputs = (directory: string): ChainCopyInputs => ({
  stack: "prod",
  identity: "pillar-host/prod Anvil",
  old: side("192.0.2.1"),
  new: side("192.0.2.2"),
  copy: { address: "192.0.2.1", port: 22 },
  limitMbps: 0,
  momentum: 10_000,
  references: [],
  tolerance: 20,
  record: { directory, stack: "prod", pillar: "Anvil" },
  library: "",
});
