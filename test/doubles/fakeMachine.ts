import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NodeSettings } from "../../lab/doubles/chain";
import { libraryName } from "../../lab/doubles/controller/controller";
import type { CommandResult, Machine } from "../../lab/doubles/controller/machine";

/** A directory that plays the host: commands are recorded, systemd is two booleans. */
export class FakeMachine implements Machine {
  output = "";
  readonly commands: string[] = [];
  /** What is typed, line by line; without it there is no terminal. */
  answers: string[] | undefined;
  active = false;
  versionStatus = 0;
  aptStatus = 0;
  address: string | undefined = "10.77.0.11";
  settings: Partial<NodeSettings> = {};
  readonly root = mkdtempSync(join(tmpdir(), "controller-"));
  readonly workingDirectory = join(this.root, "work");
  euid = 0;
  user = "root";
  hostName = "host1";
  osVersion = "Debian GNU/Linux 11 (bullseye)";
  shell = "bash";
  nodeExecutable = "#!/usr/local/bin/node\n// the node\n";
  coreCount = 8;
  memory = 16e9;
  /** Called before each pause: the moments at which the real one can be killed. */
  onSleep: () => void = () => undefined;

  constructor() {
    mkdirSync(this.workingDirectory);
    writeFileSync(join(this.workingDirectory, libraryName), "");
  }

  get terminal() {
    return {
      isTty: this.answers !== undefined,
      write: (text: string) => {
        this.output += text;
      },
      readLine: () => {
        const answer = this.answers?.shift();
        if (answer === undefined) throw new Error("nobody is left to answer");
        return answer;
      },
      setEcho: () => undefined,
    };
  }

  run(command: string, args: string[]): CommandResult {
    const line = [command.replace(this.root, ""), ...args].join(" ");
    this.commands.push(line);
    const done = (status: number, stdout = "") => ({ status, stdout, stderr: "" });
    if (line === "systemctl is-active go-node.service") return done(0, this.active ? "active\n" : "inactive\n");
    if (line === "systemctl start go-node.service") this.active = true;
    if (line === "systemctl stop go-node.service") this.active = false;
    if (line.startsWith("systemctl status")) return done(0, "journal: Password:in-the-journal\n");
    if (line === "/usr/local/bin/go-node version") return done(this.versionStatus, "go-node version v0.0.8\n");
    if (command === "apt") return done(this.aptStatus);
    return done(0);
  }

  async sleep(): Promise<void> {
    this.onSleep();
  }

  cores = () => this.coreCount;
  memoryBytes = () => this.memory;
  publicAddress = async () => this.address;
  labSettings = async () => this.settings;

  async fetch(url: string): Promise<string> {
    throw new Error(`cannot fetch '${url}'`);
  }

  async rpc<T>(method: string): Promise<T> {
    const answers: Record<string, unknown> = {
      "embedded.pillar.getAll": { list: this.pillars },
      "ledger.getFrontierMomentum": { hash: "ab12", height: 42 },
    };
    return answers[method] as T;
  }

  pillars: { name: string; producerAddress: string; currentStats: { producedMomentums: number } }[] = [];
}
