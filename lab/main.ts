import { Command } from "commander";
import { execa } from "execa";
import { addFaultCommand } from "./commands/fault.ts";
import { addShellCommand } from "./commands/shell.ts";
import { ensureBaseImage } from "./images/baseImage.ts";
import { Lab } from "./lab.ts";
import { ensureToolchain } from "./toolchain/index.ts";
import { ensureRequirements } from "./util/requirements.ts";

const program = new Command("npm run lab --")
  .enablePositionalOptions()
  .description("Test hosts on this machine, for people: the demo uses lab `demo`.");
const labOption = ["-l, --lab <name>", "which lab", "demo"] as const;

async function open(name: string): Promise<Lab> {
  if (!Lab.exists(name)) throw new Error(`there is no lab ${name}: make it with npm run lab -- up`);
  return Lab.open(name);
}

program
  .command("up [hosts...]")
  .description("make the lab where it is missing, and boot blank hosts in it (default: host1)")
  .option(...labOption)
  .action(async (hosts: string[], options: { lab: string }) => {
    const lab = Lab.exists(options.lab) ? await Lab.open(options.lab) : await Lab.create(options.lab);
    for (const name of hosts.length > 0 ? hosts : ["host1"]) {
      if (lab.hostNames.includes(name)) console.log(`${name} is there already: ${lab.host(name).address}`);
      else console.log(`${name} is up: ${(await lab.addHost(name)).address} (npm run lab -- ssh ${name})`);
    }
  });

program
  .command("down")
  .description("end all hosts of the lab and remove every trace of them")
  .option(...labOption)
  .option("--all", "every lab on this machine")
  .action(async (options: { lab: string; all?: boolean }) => {
    const names = options.all ? await Lab.list() : [options.lab].filter((name) => Lab.exists(name));
    for (const name of names) {
      await (await Lab.open(name)).down();
      console.log(`lab ${name} is gone`);
    }
    if (names.length === 0) console.log(`there is no lab${options.all ? "" : ` ${options.lab}`}: nothing to do`);
  });

program
  .command("list")
  .description("the labs, their hosts and addresses, and the references' URLs")
  .action(async () => {
    const names = await Lab.list();
    if (names.length === 0) console.log("no labs are up (npm run lab -- up)");
    for (const name of names) {
      const lab = await Lab.open(name);
      for (const host of lab.hostNames) {
        console.log(`${name}  ${host}  ${lab.host(host).address}  ${(await lab.isUp(host)) ? "running" : "down"}`);
      }
      for (const reference of lab.referenceNames) {
        console.log(`${name}  ${reference}  ${lab.referenceUrl(reference)}  reference`);
      }
      if (lab.hostNames.length === 0) console.log(`${name}  (no hosts)`);
    }
  });

program
  .command("ssh <host> [command...]")
  .description("a root shell on a host, or one command")
  .option(...labOption)
  .allowUnknownOption()
  .passThroughOptions()
  .action(async (host: string, command: string[], options: { lab: string }) => {
    const lab = await open(options.lab);
    const [executable = "", ...args] = lab.ssh(host, command);
    const result = await execa(executable, args, { stdio: "inherit", reject: false });
    process.exitCode = result.exitCode ?? 1;
  });

addFaultCommand(program, labOption, open);
program
  .command("reference [names...]")
  .description("start independent nodes, synced, for sync.references (default: ref1 and ref2)")
  .option(...labOption)
  .action(async (names: string[], options: { lab: string }) => {
    const lab = await open(options.lab);
    for (const name of names.length > 0 ? names : ["ref1", "ref2"]) {
      if (lab.referenceNames.includes(name)) console.log(`${name} is there already: ${lab.referenceUrl(name)}`);
      else console.log(`${name} is up: ${await lab.addReference(name)}`);
    }
  });
addShellCommand(program);

program
  .command("prepare")
  .description("get what is expensive into the cache: engine, plugin, base image")
  .action(async () => {
    await ensureRequirements();
    const toolchain = await ensureToolchain();
    await ensureBaseImage();
    console.log(`engine: ${toolchain.pulumi} (${toolchain.source})`);
  });

program.parseAsync().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
