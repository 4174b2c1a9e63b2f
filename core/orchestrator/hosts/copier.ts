import path from "node:path";
import { encodeBase64, markOwn, parseCopyKey, parseFileName } from "../../ssh/foreign";
import type { CallError } from "../../ssh/root";
import { takeFirstLine } from "../../util/firstLine";
import type { Acknowledgements } from "../rules/acknowledgements";
import type { HostStates } from "../rules/hostStates";
import { assignRoles, type Saga, type WhichHost } from "../rules/journal";
import type { HostPair } from "./hostPair";
import type { CopyInputs } from "./moveInputs";

/** Time for the largest copy over a slow line. After it, the copy's permission on the old host expires by itself. */
const copyHours = 12;

export function formatStagingPath(inputs: Pick<CopyInputs, "old" | "new">, saga: Saga): string {
  return `${inputs[assignRoles(saga).target].directory}.arriving`;
}

/**
 * Copies between both hosts, with an ssh key for this copy alone. The new host always connects to the old one, also to
 * copy back, because both firewalls allow that direction.
 */
export class Copier {
  private allowed: string | undefined;

  constructor(
    private readonly inputs: CopyInputs & Pick<Acknowledgements, "restoreFrom">,
    private readonly sides: HostPair,
    private readonly say: (line: string) => void,
  ) {}

  /** Creates the key on the new host and authorizes it on the old one; {@link Copier.run} calls this, too. */
  async allow(saga: Saga, states: HostStates): Promise<void> {
    const shared = this.variables(saga, states);
    const what = `${saga.direction} ${shared.aside_store}`;
    if (this.allowed === what) return;
    const { sides } = this;
    const printed = await sides.call({ side: "new", name: "signer_copy_key", saga, variables: shared });
    const { key, addresses } = parseCopyKey(printed, sides.roots.new.address);
    const right = markOwn({
      from_addresses: [...addresses, this.inputs.new.host.ssh.address],
      copy_side: saga.direction === "forward" ? "copy_send" : "copy_receive",
    });
    const variables = { ...shared, public_key: key, ...right };
    await sides.call({ side: "old", name: "signer_copy_allow", saga, variables });
    this.allowed = what;
  }

  /** Copies what differs from the source's directory into the target's staging directory. */
  async run(saga: Saga, states: HostStates, { progress = false } = {}): Promise<void> {
    await this.allow(saga, states);
    const variables = {
      ...this.sides.variables("new", saga),
      ...this.variables(saga, states),
      ...markOwn({
        copy_side: saga.direction === "forward" ? "copy_receive" : "copy_send",
        progress: progress ? "yes" : "",
      }),
    };
    const limit = { limitSeconds: copyHours * 3600 };
    const { stdout, done } = await this.sides.roots.new.stream("signer_copy", variables, limit);
    stdout.setEncoding("utf8").on("data", (piece: string) => {
      for (const line of piece.split("\n")) if (line.trim() !== "") this.say(`copy: ${line}`);
    });
    await done.catch((error: CallError) => {
      if (error.exitCode === 75) throw Object.assign(error, { taken: true });
      throw error.exitCode === undefined ? Object.assign(error, { broken: true }) : error;
    });
  }

  /** Removes files of the staging directory, so that the next copy takes them again. */
  async retake(saga: Saga, paths: readonly string[]): Promise<void> {
    const retake = encodeBase64(paths.map((path) => `./${path}\0`).join(""));
    const variables = { ...markOwn({ receive_into: formatStagingPath(this.inputs, saga) }), retake };
    await this.sides.call({ side: assignRoles(saga).target, name: "signer_copy_retake", saga, variables });
  }

  /** Removes key and permission from both hosts; never throws. @returns problems, a line each */
  async end(saga: Saga, states: HostStates): Promise<string[]> {
    this.allowed = undefined;
    const login = this.inputs.old.host.ssh.user;
    const problems: string[] = [];
    if (!states.old && this.inputs.restoreFrom === undefined)
      problems.push(
        `the old host is unreachable: when it is back, remove the lines with pillar-host-copy from ${login}'s authorized_keys there; nobody has their key any more`,
      );
    const remove = async (side: WhichHost, name: string): Promise<void> => {
      if (!states[side]) return;
      await this.sides.call({ side, name, saga, variables: markOwn({ login_user: login }) }).catch((error: Error) => {
        problems.push(
          `the copy's key could not be removed from the ${side} host: ${takeFirstLine(error.message)}; the next run removes it`,
        );
      });
    };
    await Promise.all([remove("new", "signer_copy_key_away"), remove("old", "signer_copy_forbid")]);
    return problems;
  }

  private variables(saga: Saga, states: HostStates) {
    const { inputs } = this;
    const { address, port } = inputs.copy;
    const journal = states[assignRoles(saga).source]?.journal;
    const store = journal?.stage === "fenced" ? journal.was.keyStore : undefined;
    return markOwn({
      receive_into: formatStagingPath(inputs, saga),
      // Pass only the file's name: the path in the source's journal is not valid on the target.
      aside_store: store === undefined ? "" : parseFileName(path.posix.basename(store)),
      login_user: inputs.old.host.ssh.user,
      copy_address: address,
      copy_port: port,
      copy_hours: copyHours,
      known_as: port === 22 ? address : `[${address}]:${port}`,
    });
  }
}
