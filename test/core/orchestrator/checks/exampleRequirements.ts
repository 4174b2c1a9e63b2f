import type { Requirements } from "../../../../core/orchestrator/checks/survey";
import { commandsFor } from "../../../../core/util/commands";
import { moveNamed } from "../../../moveNamed";

const directory = "/root/.orchestrator";
const place = {
  service: "orchestrator",
  directory,
  executable: "orchestrator",
  nodeDirectory: "/root/.znn",
  rpcPort: 55000,
};

/** A move between the hosts `old` and `new`. */
export const wanted: Requirements = {
  stack: "prod",
  run: commandsFor("prod"),
  move: moveNamed("pillar-host/prod/Anvil/1"),
  old: { ...place, address: "old" },
  new: { ...place, address: "new" },
  copyAddress: "old",
  sshPort: 22,
  sshUser: "root",
  hostKey: "ssh-ed25519 KEY",
  noKeyShare: false,
  haltedBridge: false,
  release: { version: "v0.0.9a" },
  backupDirectory: "/b",
  backups: { directory: "/b" },
};
