import type { CopyHost } from "../../../core/chainCopy/inputs";

/** Returns a host of a chain copy, with its node. */
export const side = (address: string): CopyHost => {
  const ssh = { address, port: 22, user: "root", hostKey: `ssh-ed25519 ${address}` };
  return {
    host: { stack: "prod", ssh },
    node: { ssh, via: "ssh", address: "127.0.0.1", port: 35997 },
    service: "go-node",
    dataDir: "/root/.znn",
  };
};
