import type { MachineOrder } from "../machineRoom";

/** The seed of cloud-init's data source NoCloud: file contents by path in the root file system. */
export function seedFiles(order: MachineOrder): Record<string, string> {
  const seed = "var/lib/cloud/seed/nocloud";
  const metaData = {
    "instance-id": `i-${order.id}`,
    "local-hostname": order.name,
    "public-keys": order.sshKeys.map((key) => key.trim()),
  };
  // JSON is YAML too.
  return {
    [`${seed}/user-data`]: order.userData,
    [`${seed}/meta-data`]: `${JSON.stringify(metaData, undefined, 2)}\n`,
  };
}
