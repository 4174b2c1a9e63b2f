import { chmod, copyFile, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { execa } from "execa";
import type { Lab, LabHost } from "../../../lab/lab";
import { keepPrinted } from "../../../lab/testRun/printed";
import { onHost } from "../fixture";
import { type CodeBlock, codeBlocks } from "../readme";

const document = await readFile(join(import.meta.dirname, "../../../docs/orchestrator.md"), "utf8");
const blocks = codeBlocks(document).filter(({ language }) => language === "sh");

/** The commands of docs/orchestrator.md below a heading. */
export const below = (heading: string) => blocks.filter((each) => each.heading.startsWith(heading));

/** A backup, as `./pillar-host backup STACK --json` tells of it. */
export interface BackupMade {
  readonly file: string;
  readonly identityFile: string;
  readonly keyShare: { readonly files: readonly string[]; readonly generatedAt: string };
  readonly stale: readonly string[];
}

/** What `./pillar-host backup STACK --json` printed, behind what pulumi says. */
export const backupMade = (out: string) => JSON.parse(out.slice(out.indexOf("{"))) as BackupMade;

/** The machine on which docs/orchestrator.md is typed: `age`, `ssh` with the operator's key, and nothing else of the program. */
export class RestoreDesk {
  /** What stands for the variables of the document. */
  given: Readonly<Record<string, string>> = {};

  private constructor(
    private readonly lab: Lab,
    readonly place: string,
  ) {}

  /** @param hosts that ssh knows; the first lends its package of age */
  static async create(lab: Lab, hosts: readonly [LabHost, ...LabHost[]]): Promise<RestoreDesk> {
    const place = join(lab.dir, "safe");
    await mkdir(join(place, "bin"), { recursive: true });
    await onHost(hosts[0], "apt-get update -qq && apt-get install -qqy age > /dev/null 2>&1");
    await copyFile(join(hosts[0].root, "usr/bin/age"), join(place, "bin/age"));
    await writeFile(join(place, "known"), hosts.map(({ address, hostKey }) => `${address} ${hostKey}\n`).join(""));
    await writeFile(
      join(place, "bin/ssh"),
      `#!/bin/sh\nexec /usr/bin/ssh -F none -i '${lab.privateKeyFile}' -o UserKnownHostsFile='${place}/known' "$@"\n`,
    );
    for (const name of ["age", "ssh"]) await chmod(join(place, "bin", name), 0o755);
    return new RestoreDesk(lab, place);
  }

  /** A backup and its key, and nothing of the records where they lay, are on the desk from now on. */
  async take(
    { file, identityFile }: BackupMade,
    {
      old,
      fresh,
      release,
    }: { old: LabHost; fresh: LabHost; release: { readonly url: string; readonly sha256: string } },
  ): Promise<void> {
    const [backup, identity] = [basename(file), basename(identityFile)];
    await rename(file, join(this.place, backup));
    await rename(identityFile, join(this.place, identity));
    this.given = {
      OLD: old.address,
      NEW: fresh.address,
      BACKUP: backup,
      IDENTITY: identity,
      RELEASE: release.url,
      RELEASE_SHA256: release.sha256,
    };
  }

  /** Types a block of the document, in a shell of its own. */
  async typed(block: CodeBlock | undefined): Promise<{ readonly exitCode: number | undefined; readonly out: string }> {
    const variables = Object.entries(this.given).map(([name, value]) => `${name}='${value}'`);
    const [command = "", ...args] = this.lab.atOperator(["bash", "-c", [...variables, block?.text].join("\n")]);
    const env = { PATH: `${join(this.place, "bin")}:${process.env.PATH}` };
    const { exitCode, all } = await execa(command, args, { cwd: this.place, env, all: true, reject: false });
    keepPrinted(all);
    return { exitCode, out: all };
  }
}
