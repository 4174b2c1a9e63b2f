import { green } from "./colour";
import { readConfig, resync, writeConfig } from "./dataDir";
import { type Machine, print, Quit } from "./machine";
import { isServiceActive, stopService } from "./service";
import { ask } from "./terminal";

/**
 * Stops the node, deletes its synced data, and asks for the network's peers only after that. Exists in v0.0.1 alone.
 */
export async function migrate(machine: Machine): Promise<void> {
  if (isServiceActive(machine)) await stopService(machine);
  resync(machine);
  print(machine, "Preparing to download peers.json");
  const url = ask(machine.terminal, "Please enter the URL to download the initial peers:");
  const peers = await download(machine, url);
  print(machine, `peers.json downloaded ${green("successfully")}`);
  const { Seeders } = JSON.parse(peers) as { Seeders?: string[] };
  if (Seeders === undefined) throw new Error("Malformed peers.json");
  writeConfig(machine, { ...readConfig(machine), Net: { Seeders } });
}

async function download(machine: Machine, url: string): Promise<string> {
  try {
    return await machine.fetch(url);
  } catch (error) {
    print(machine, String(error));
    throw new Quit();
  }
}
