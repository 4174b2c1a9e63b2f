import { addressFrom } from "../address.ts";
import { producerOf, readConfig } from "./dataDir.ts";
import { green, print, rpc } from "./machine.ts";
import { daemon, isServiceActive, printServiceStatus } from "./service.ts";

interface ShownPillar {
  name: string;
  producerAddress: string;
  currentStats: { producedMomentums: number };
}

/**
 * Prints the service and the producer, with the password in clear text. The other addresses are decoys: a parser must
 * not take them for the producer's.
 */
export async function status(): Promise<void> {
  printServiceStatus();
  print(`Last momentum by ${addressFrom("decoy status")}`);
  print(`Address: ${addressFrom("decoy without tab")}`);
  const producer = producerOf(readConfig());
  if (producer === undefined) return print("Producer configuration not found");
  print("Delegation:");
  print(`\tRewardAddress: ${green(addressFrom("decoy with another label"))}`);
  print("Producer Node configuration:");
  print(`\tIndex: ${producer.Index}`);
  print(`\tKeyFilePath: ${producer.KeyFilePath}`);
  print(`\tPassword: ${producer.Password}`);
  print(`\tAddress: ${green(producer.Address)}`);
  if (!isServiceActive()) return print(`${daemon} is not running`);
  try {
    print("Syncing with the network ...");
    print(await pillarLine(producer.Address));
  } catch (error) {
    print(String(error));
  }
}

async function pillarLine(address: string): Promise<string> {
  const { list } = await rpc<{ list: ShownPillar[] }>("embedded.pillar.getAll", [0, 1000]);
  const momentum = await rpc<{ hash: string; height: number }>("ledger.getFrontierMomentum", []);
  const pillar = list.find((candidate) => candidate.producerAddress === address);
  if (pillar === undefined) {
    const place = `at momentum hash ${momentum.hash} and height ${momentum.height}`;
    return `There is no Pillar registered with ${green(address)} ${place}`;
  }
  const produced = `has produced ${pillar.currentStats.producedMomentums} momentums this epoch`;
  return `The Pillar ${pillar.name} has ${green(address)} configured as the producer address and ${produced}`;
}
