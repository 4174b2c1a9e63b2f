import type { MachineOrder } from "../machineRoom";

/** Returns the seed of cloud-init's NoCloud data source: file contents by path in the root file system. */
export function seedFiles(order: MachineOrder): Record<string, string> {
  const seed = "var/lib/cloud/seed/nocloud";
  const metaData = {
    "instance-id": `i-${order.id}`,
    "local-hostname": order.name,
    "public-keys": order.sshKeys.map((key) => key.trim()),
  };
  // JSON is valid YAML.
  return {
    [`${seed}/user-data`]: order.userData,
    [`${seed}/meta-data`]: `${JSON.stringify(metaData, undefined, 2)}\n`,
  };
}
