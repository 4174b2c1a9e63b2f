import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { onHost } from "../../lab/hosts/onHost.ts";
import type { Lab, LabHost } from "../../lab/lab.ts";
import { typeCommand } from "../../lab/operator/typist.ts";
import { copyProgram } from "../../lab/stack/stack.ts";
import { keepPrinted } from "../../lab/testRun/printed.ts";
import { ensureToolchain } from "../../lab/toolchain/index.ts";

const checkout = join(import.meta.dirname, "../..");
/** So wide that no typed line is broken. */
const size = { columns: 400, rows: 50 };

/** Whole lines to paste, and their questions with the answers. */
export interface Pasted {
  readonly text: string;
  readonly answers?: readonly (readonly [seen: RegExp, reply: string])[];
}

/** Returns the number of commands in pasted lines; one that goes on in the next line ends in `&&`. */
const countCommands = (text: string) => text.split("\n").filter((line) => !line.endsWith("&&")).length;

/** Pastes blocks into one interactive bash, which `argv` starts, as soon as its prompt is there. @returns what it shows */
export async function pasteInto(
  argv: readonly string[],
  blocks: readonly Pasted[],
  { cwd = "/", env = process.env }: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const command = [
    "script",
    "-qefc",
    `stty cols ${size.columns} rows ${size.rows}; exec ${argv.join(" ")}`,
    "/dev/null",
  ];
  // The prompt counts the commands: what is typed ahead could be read by one of them.
  const all: readonly Pasted[] = [{ text: "PS1='[\\#]> '" }, ...blocks, { text: "exit 0" }];
  let done = 0;
  const answers = all.flatMap(({ text, answers: own = [] }, index) => {
    const seen = index === 0 ? /[$#] $/ : new RegExp(`\\[${done + 1}\\]> `);
    done += countCommands(text);
    return [{ seen, reply: `${text}\r` }, ...own.map(([question, reply]) => ({ seen: question, reply }))];
  });
  const typing = {
    cwd,
    env: { ...env, TERM: "xterm" },
    size,
    answers,
    isOrdered: true,
    questionMs: 120_000,
    limitMs: 180_000,
  };
  const { shown } = await typeCommand(command, typing);
  keepPrinted(shown);
  return shown;
}

/**
 * Makes a blank machine ready as README's Install asks: Node and Pulumi, and a user who logs in with a key. git and npm
 * stand for the real ones, which would need the internet: they bring this checkout and its libraries.
 */
export async function equip(lab: Lab, machine: LabHost, user: string): Promise<void> {
  const at = (path: string) => join(machine.root, path);
  const home = `/home/${user}`;
  await onHost(machine, `useradd -m -s /bin/bash ${user}`);
  await copyProgram(join(lab.dir, "clone"));
  await rm(join(lab.dir, "clone/node_modules"));
  await mkdir(at("opt"), { recursive: true });
  await cp(join(lab.dir, "clone"), at("opt/clone"), { recursive: true, dereference: true });
  await execa("cp", ["-a", "--parents", ...(await listLibraries()), at("opt")], { cwd: checkout });
  const standIns = { git: "cp -r /opt/clone pillar-host", npm: "ln -s /opt/node_modules node_modules" };
  for (const [name, does] of Object.entries(standIns))
    await writeFile(at(`usr/local/bin/${name}`), `#!/bin/sh\nexec ${does}\n`, { mode: 0o755 });
  const { pulumi } = await ensureToolchain({ plugins: ["command"] });
  await mkdir(at(`${home}/.pulumi/bin`), { recursive: true });
  await cp(pulumi, at(`${home}/.pulumi/bin/pulumi`));
  // As Pulumi's own installer does.
  await writeFile(at(`${home}/.bashrc`), `\nexport PATH=$PATH:${home}/.pulumi/bin\n`, { flag: "a" });
  await onHost(
    machine,
    `install -d -m 700 ${home}/.ssh && cp /root/.ssh/authorized_keys ${home}/.ssh/ && chown -R ${user}: ${home}`,
  );
}

/** Lists the packages that `npm ci --omit=dev` installs, without those of cloud providers. */
async function listLibraries(): Promise<string[]> {
  const { packages } = JSON.parse(await readFile(join(checkout, "package-lock.json"), "utf8")) as {
    packages: Readonly<Record<string, { dev?: boolean; devOptional?: boolean }>>;
  };
  return Object.entries(packages).flatMap(([path, { dev, devOptional }]) =>
    /^node_modules\/(?!@pulumi\/(hcloud|digitalocean)$)/.test(path) && !dev && !devOptional ? [path] : [],
  );
}
