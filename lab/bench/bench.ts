import { mkdir, readFile } from "node:fs/promises";
import { onHost } from "../hosts/onHost.ts";
import { ensurePackagedImage } from "../images/packagedImage.ts";
import type { Lab, LabHost } from "../lab.ts";
import type { Backend } from "../stack/backends.ts";
import { LabStack, type StackFile } from "../stack/stack.ts";
import { step } from "../util/progress.ts";
import { preparation, runPlaybook } from "./ansible.ts";
import type { Asked } from "./arguments.ts";
import { befriend } from "./byHand.ts";

/** The lab of a bench run, and what its measurements share. */
export class Bench {
  private sha256: string | undefined;
  private stood: Promise<{ host: LabHost; stack: LabStack }> | undefined;
  private signers: Promise<{ old: LabHost; fresh: LabHost }> | undefined;
  private hosts = 0;

  constructor(
    readonly lab: Lab,
    readonly rounds: number,
    readonly link: Pick<Asked, "gigabytes" | "mbps">,
  ) {}

  /**
   * Adds hosts that Ansible can work on, too.
   * @param ensureImage image of the hosts; a blank one by default
   */
  async blankHosts(count: number, ensureImage?: () => Promise<string>): Promise<LabHost[]> {
    const hosts: LabHost[] = [];
    for (let i = 0; i < count; i += 1) {
      this.hosts += 1;
      hosts.push(await this.lab.addHost(`host${this.hosts}`, ensureImage));
    }
    await Promise.all(hosts.map((host) => onHost(host, preparation)));
    return hosts;
  }

  /** Returns the old and the new host of a move. Root of the new host may log in to the old one. */
  signerHosts(): Promise<{ old: LabHost; fresh: LabHost }> {
    this.signers ??= step("two hosts for the move of a signer", async () => {
      const old = await this.lab.addHost("old", ensurePackagedImage);
      const fresh = await this.lab.addHost("fresh", ensurePackagedImage);
      await befriend(fresh, old);
      return { old, fresh };
    });
    return this.signers;
  }

  /** Creates a stack of the program under test, configured for a host. */
  async stackFor(host: LabHost, changes: StackFile = {}, backend?: Backend): Promise<LabStack> {
    const [config, secrets] = [await this.configFor(host, changes), await this.secrets()];
    if (backend?.url.startsWith("file://")) await mkdir(backend.url.slice("file://".length), { recursive: true });
    return LabStack.create(this.lab, host.name, config, secrets, {
      hasPassphrase: true,
      ...(backend ? { backend } : {}),
    });
  }

  /** Replaces the configuration of a stack, and keeps its state. */
  async configure(stack: LabStack, host: LabHost, changes: StackFile): Promise<void> {
    await stack.configure(await this.configFor(host, changes), await this.secrets());
  }

  private async secrets(): Promise<Record<string, string>> {
    return { "ssh.privateKey": await readFile(this.lab.privateKeyFile, "utf8") };
  }

  private async configFor(host: LabHost, changes: StackFile): Promise<StackFile> {
    const { address, hostKey } = host;
    return {
      pillar: { name: "Anvil" },
      host: { provider: "existing", address, hostKey, minimums: { cores: 1, diskGb: 5 } },
      controller: { release: { url: this.lab.releaseUrl(), sha256: await this.releaseSha256(host) } },
      ...changes,
      sync: { unverifiedChain: "acknowledged", ...(changes.sync as object | undefined) },
    };
  }

  async playbook(host: LabHost) {
    return runPlaybook(this.lab, host.address, await this.releaseSha256(host));
  }

  /** Returns a host that is stood up once, by the first measurement that asks for it. */
  standing() {
    this.stood ??= step("standing a host up", async () => {
      const [host] = await this.blankHosts(1);
      if (!host) throw new Error("no host");
      const stack = await this.stackFor(host);
      await timeUp(stack);
      return { host, stack };
    });
    return this.stood;
  }

  private async releaseSha256(host: LabHost): Promise<string> {
    const command = `curl -fsSL ${this.lab.releaseUrl()} | sha256sum | cut -d' ' -f1`;
    this.sha256 ??= String((await host.run(command)).stdout).trim();
    return this.sha256;
  }
}

/** Times `pulumi up` without its preview. @throws if it failed */
export async function timeUp(stack: LabStack): Promise<{ seconds: number; output: string }> {
  const started = performance.now();
  const { exitCode, output } = await stack.up();
  const seconds = (performance.now() - started) / 1000;
  if (exitCode !== 0) throw new Error(`pulumi up failed:\n${output.slice(-3000)}`);
  return { seconds, output };
}
