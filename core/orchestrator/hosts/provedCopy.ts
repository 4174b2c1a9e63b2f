import { markOwn } from "../../ssh/foreign";
import { formatProblem } from "../../util/problem";
import { settleAll } from "../../util/settleAll";
import {
  compareManifests,
  createManifest,
  type Difference,
  formatDifferences,
  type Manifest,
  readManifest,
  sumManifest,
} from "../backup/manifest";
import type { HostStates } from "../rules/hostStates";
import { assignRoles, formatPlainStore, type Saga } from "../rules/journal";
import { type Copier, formatStagingPath } from "./copier";
import type { HostPair } from "./hostPair";
import type { MoveInputs } from "./moveInputs";

/** Returns the manifest with the name that a fenced key store has otherwise, so that it can be compared. */
export function restoreKeyStoreName(manifest: Manifest, keyStore: string | undefined): Manifest {
  const aside = keyStore?.split("/").at(-1);
  if (aside === undefined || !manifest.has(aside)) return manifest;
  return createManifest(
    [...manifest.values()].map((entry) =>
      entry.path === aside || entry.path.startsWith(`${aside}/`)
        ? { ...entry, path: `${formatPlainStore(aside)}${entry.path.slice(aside.length)}` }
        : entry,
    ),
  );
}

const maxCopies = 3;

interface Copied {
  readonly source: Manifest;
  /** Manifest of the staging directory after the copy, perhaps still being read. */
  readonly target: Promise<Manifest>;
}

/** Copies a stopped orchestrator's directory until both hosts have the same files. */
export class ProvedCopy {
  private copied: Copied | undefined;

  constructor(
    private readonly inputs: MoveInputs,
    private readonly sides: HostPair,
    private readonly copier: Copier,
    private readonly say: (line: string) => void,
  ) {}

  /** Lists both hosts' files, so that later lists need to hash only what changed since. */
  async list(saga: Saga, states: HostStates): Promise<void> {
    await settleAll([this.readSource(saga, states), this.readTarget(saga)]);
  }

  flush(saga: Saga): Promise<string> {
    const variables = markOwn({ receive_into: formatStagingPath(this.inputs, saga) });
    return this.sides.call({
      side: assignRoles(saga).target,
      name: "signer_flush",
      saga,
      variables,
      limitSeconds: 3600,
    });
  }

  /** Copies what differs. The staging directory is then listed and flushed while other steps go on. */
  async make(saga: Saga, states: HostStates): Promise<Copied> {
    this.forget();
    // The source is stopped, so it can be listed during the copy.
    const [source] = await settleAll([this.readSource(saga, states), this.copier.run(saga, states)]);
    const target = settleAll([this.readTarget(saga), this.flush(saga)]).then(([manifest]) => manifest);
    // Without a handler an early error would end the process. The awaiting step gets the error.
    target.catch(() => undefined);
    this.copied = { source, target };
    return this.copied;
  }

  isMade(): boolean {
    return this.copied !== undefined;
  }

  forget(): void {
    this.copied = undefined;
  }

  /** Copies until bytes, owners and modes are the same. @throws Error with each difference left after three copies */
  async prove(saga: Saga, states: HostStates): Promise<void> {
    for (let count = 1; ; count += 1) {
      const { source, target } = this.copied ?? (await this.make(saga, states));
      const arrived = await target.catch((error: Error) => {
        this.forget();
        throw error;
      });
      const differences = compareManifests(source, arrived);
      if (differences.length === 0) {
        const { files, bytes } = sumManifest(arrived);
        this.say(`copy: ${files} files, ${bytes} bytes are the same on both hosts, owner and mode too`);
        return;
      }
      this.forget();
      if (count === maxCopies) throw new Error(this.differenceText(saga, differences));
      this.say(`copy: ${differences.length} files differ after the copy; copying them again`);
      const paths = differences.map(({ path }) => path);
      await this.copier.retake(
        saga,
        paths.filter((path) => path !== "."),
      );
    }
  }

  private async readSource(saga: Saga, states: HostStates): Promise<Manifest> {
    const { source } = assignRoles(saga);
    const manifest = await readManifest(this.sides.roots[source], {
      base: this.inputs[source].directory,
      paths: ["."],
    });
    return restoreKeyStoreName(manifest, states[source]?.journal?.was.keyStore);
  }

  private readTarget(saga: Saga): Promise<Manifest> {
    const root = this.sides.roots[assignRoles(saga).target];
    return readManifest(root, { base: formatStagingPath(this.inputs, saga), paths: ["."] });
  }

  private differenceText(saga: Saga, differences: readonly Difference[]): string {
    const { source, target } = assignRoles(saga);
    const { roots } = this.sides;
    return formatProblem({
      what: `the copy on ${roots[target].address} differs from what ${roots[source].address} has, after ${maxCopies} copies`,
      found: formatDifferences(differences),
      needed: "the same bytes, owner and mode. Does something else write there? Is a disk failing (dmesg)?",
    });
  }
}
