import { encodeBase64, markOwn, parseCopyKey, parseFileName, type Variables } from "../../ssh/foreign.ts";
import { takeFirstLine } from "../../util/printable.ts";
import { ProblemError } from "../../util/problem.ts";
import { settleAll } from "../../util/settleAll.ts";
import {
  compareManifests,
  createManifest,
  formatDifferences,
  type Manifest,
  readManifest,
  sumManifest,
} from "../backup/manifest.ts";
import { assignRoles, formatPlainStore, type HostStates, type Saga, type WhichHost } from "../rules/journal.ts";
import type { HostPair } from "./hostPair.ts";
import type { MoveInputs } from "./moveInputs.ts";

/** Time for the largest copy over a slow line. After it, the copy's permission on the old host expires by itself. */
const copyHours = 12;
const maxCopies = 3;

export function formatStagingPath(inputs: Pick<MoveInputs, WhichHost>, saga: Saga): string {
  return `${inputs[assignRoles(saga).target].directory}.arriving`;
}

/** Returns the manifest with the name that a fenced key store has otherwise, so that it can be compared. */
function restoreKeyStoreName(manifest: Manifest, aside: string | undefined): Manifest {
  if (aside === undefined || !manifest.has(aside)) return manifest;
  const entries = [...manifest.values()].map((entry) => {
    const isAside = entry.path === aside || entry.path.startsWith(`${aside}/`);
    return isAside ? { ...entry, path: `${formatPlainStore(aside)}${entry.path.slice(aside.length)}` } : entry;
  });
  return createManifest(entries);
}

type CopyInputs = Pick<MoveInputs, WhichHost | "copyAddress" | "sshPort" | "restoreFrom">;

/**
 * Copies between both hosts, with an ssh key for this copy alone. The new host always connects to the old one, also to
 * copy back, because both firewalls allow that direction.
 */
export class Copier {
  private readonly inputs: CopyInputs;
  private readonly sides: HostPair;
  private readonly say: (line: string) => void;
  private allowed: string | undefined;
  /** Manifests of a copy of the stopped source; the target's perhaps still being read. */
  copied: { readonly source: Manifest; readonly target: Promise<Manifest> } | undefined;

  constructor(inputs: CopyInputs, sides: HostPair, say: (line: string) => void) {
    this.inputs = inputs;
    this.sides = sides;
    this.say = say;
  }

  /** Creates the key on the new host and authorizes it on the old one; {@link Copier.run} calls this, too. */
  async allow(saga: Saga, states: HostStates): Promise<void> {
    const shared = this.variables(saga, states);
    const what = `${saga.direction} ${shared.aside_store}`;
    if (this.allowed === what) return;
    const { sides } = this;
    const printed = await sides.call({ side: "new", name: "orchestrator_copy_key", variables: shared });
    const right = parseCopyKey(printed, this.inputs.new.host.ssh.address);
    const does = markOwn({ copy_side: saga.direction === "forward" ? "copy_send" : "copy_receive" });
    const variables = { ...shared, ...right, ...does };
    await sides.call({ side: "old", name: "orchestrator_copy_allow", states, variables });
    this.allowed = what;
  }

  /** Copies what differs from the source's directory into the target's staging directory. */
  async run(saga: Saga, states: HostStates, { progress = false } = {}): Promise<void> {
    await this.allow(saga, states);
    const copy_side = saga.direction === "forward" ? "copy_receive" : "copy_send";
    const shown = markOwn({ copy_side, progress: progress ? "yes" : "" });
    const variables = { ...this.variables(saga, states), ...shown };
    const call = { side: "new", name: "orchestrator_copy", states, variables, limitSeconds: copyHours * 3600 } as const;
    await this.sides.follow(call, (line) => line.trim() !== "" && this.say(`copy: ${line}`));
  }

  /** Lists both hosts' files, so that later lists need to hash only what changed since. */
  async list(saga: Saga, states: HostStates): Promise<void> {
    await settleAll([this.readSource(saga, states), this.readTarget(saga)]);
  }

  /** Copies a stopped source. The staging directory is then listed and flushed while other steps go on. */
  async make(saga: Saga, states: HostStates) {
    this.forget();
    // The source is stopped, so it can be listed during the copy.
    const [source] = await settleAll([this.readSource(saga, states), this.run(saga, states)]);
    const target = settleAll([this.readTarget(saga), this.callTarget("orchestrator_flush", saga, states)]).then(
      ([manifest]) => manifest,
    );
    // Without a handler an early error would end the process. The awaiting step gets the error.
    target.catch(() => undefined);
    this.copied = { source, target };
    return this.copied;
  }

  forget(): void {
    this.copied = undefined;
  }

  /** Copies until bytes, owners and modes are the same. @throws Error with each difference left after three copies */
  async prove(saga: Saga, states: HostStates): Promise<void> {
    const { source: from, target: to } = assignRoles(saga);
    for (let count = 1; ; count += 1) {
      const { source, target } = this.copied ?? (await this.make(saga, states));
      // A copy that differs, or can't be listed, is made again.
      this.forget();
      const arrived = await target;
      const differences = compareManifests(source, arrived);
      if (differences.length === 0) {
        const { files, bytes } = sumManifest(arrived);
        return this.say(`copy: ${files} files, ${bytes} bytes are the same on both hosts, owner and mode too`);
      }
      if (count === maxCopies)
        throw new ProblemError({
          what: `the copy on ${this.sides.roots[to].address} differs from what ${this.sides.roots[from].address} has, after ${maxCopies} copies`,
          found: formatDifferences(differences),
          needed: "the same bytes, owner and mode. Does something else write there? Is a disk failing (dmesg)?",
        });
      this.say(`copy: ${differences.length} files differ after the copy; copying them again`);
      const paths = differences.flatMap((each) => (each.path === "." ? [] : [`./${each.path}\0`]));
      await this.callTarget("orchestrator_copy_retake", saga, states, { retake: encodeBase64(paths.join("")) });
    }
  }

  /** Removes key and permission from both hosts, also those of a killed run. Says what it can't remove, never throws. */
  async end(states: HostStates): Promise<void> {
    this.allowed = undefined;
    const login = this.inputs.old.host.ssh.user;
    if (!states.old && this.inputs.restoreFrom === undefined)
      this.say(
        `the old host is unreachable: when it is back, remove the lines with pillar-host-copy from ${login}'s authorized_keys there; nobody has their key any more`,
      );
    const remove = async (side: WhichHost, name: string): Promise<void> => {
      if (!states[side]) return;
      await this.sides.call({ side, name, variables: markOwn({ login_user: login }) }).catch((error: Error) => {
        this.say(
          `the copy's key could not be removed from the ${side} host: ${takeFirstLine(error.message)}; the next run removes it`,
        );
      });
    };
    await Promise.all([remove("new", "copy_key_away"), remove("old", "orchestrator_copy_forbid")]);
  }

  /** Calls a function for the staging directory. */
  callTarget(name: string, saga: Saga, states: HostStates, more: Variables = {}): Promise<string> {
    const variables = { ...more, ...markOwn({ receive_into: formatStagingPath(this.inputs, saga) }) };
    const { target: side } = assignRoles(saga);
    return this.sides.call({ side, name, states, variables, limitSeconds: 3600 });
  }

  private async readSource(saga: Saga, states: HostStates): Promise<Manifest> {
    const { source } = assignRoles(saga);
    const files = { base: this.inputs[source].directory, paths: ["."] };
    const manifest = await readManifest(this.sides.roots[source], files);
    return restoreKeyStoreName(manifest, states[source]?.journal?.keyStore);
  }

  private readTarget(saga: Saga): Promise<Manifest> {
    const root = this.sides.roots[assignRoles(saga).target];
    return readManifest(root, { base: formatStagingPath(this.inputs, saga), paths: ["."] });
  }

  private variables(saga: Saga, states: HostStates) {
    const { copyAddress, sshPort, old } = this.inputs;
    const journal = states[assignRoles(saga).source]?.journal;
    const store = journal?.stage === "fenced" ? journal.keyStore : undefined;
    return markOwn({
      receive_into: formatStagingPath(this.inputs, saga),
      aside_store: store === undefined ? "" : parseFileName(store),
      login_user: old.host.ssh.user,
      copy_address: copyAddress,
      copy_port: sshPort,
      copy_hours: copyHours,
    });
  }
}
