import { addressFrom } from "../address";
import { green } from "./colour";
import { producerOf, readConfig } from "./dataDir";
import { type Machine, print } from "./machine";
import { daemon, isServiceActive, printServiceStatus } from "./service";

interface ShownPillar {
  name: string;
  producerAddress: string;
  currentStats: { producedMomentums: number };
}

/**
 * Prints the service and the producer, with the password in clear text. The other addresses are decoys: a parser must
 * not take them for the producer's.
 */
export async function status(machine: Machine): Promise<void> {
  printServiceStatus(machine);
  print(machine, `Last momentum by ${addressFrom("decoy status")}`);
  print(machine, `Address: ${addressFrom("decoy without tab")}`);
  const producer = producerOf(readConfig(machine));
  if (producer === undefined) return print(machine, "Producer configuration not found");
  print(machine, "Delegation:");
  print(machine, `\tRewardAddress: ${green(addressFrom("decoy with another label"))}`);
  print(machine, "Producer Node configuration:");
  print(machine, `\tIndex: ${producer.Index}`);
  print(machine, `\tKeyFilePath: ${producer.KeyFilePath}`);
  print(machine, `\tPassword: ${producer.Password}`);
  print(machine, `\tAddress: ${green(producer.Address)}`);
  if (!isServiceActive(machine)) return print(machine, `${daemon} is not running`);
  try {
    print(machine, "Syncing with the network ...");
    print(machine, await pillarLine(machine, producer.Address));
  } catch (error) {
    print(machine, String(error));
  }
}

async function pillarLine(machine: Machine, address: string): Promise<string> {
  const { list } = await machine.rpc<{ list: ShownPillar[] }>("embedded.pillar.getAll", [0, 1000]);
  const momentum = await machine.rpc<{ hash: string; height: number }>("ledger.getFrontierMomentum", []);
  const pillar = list.find((candidate) => candidate.producerAddress === address);
  if (pillar === undefined) {
    const place = `at momentum hash ${momentum.hash} and height ${momentum.height}`;
    return `There is no Pillar registered with ${green(address)} ${place}`;
  }
  const produced = `has produced ${pillar.currentStats.producedMomentums} momentums this epoch`;
  return `The Pillar ${pillar.name} has ${green(address)} configured as the producer address and ${produced}`;
}
