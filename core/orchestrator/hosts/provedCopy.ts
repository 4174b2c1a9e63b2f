import { own } from "../../ssh/foreign";
import { allEnded } from "../../util/allEnded";
import { compareManifests, differenceLines, type Manifest, manifestOf, readManifest, sumOf } from "../backup/manifest";
import { plainStore, type Saga, type SideName, sidesOf } from "../rules/journal";
import type { Looks } from "../rules/sagaLooks";
import { type Copier, stagingOf } from "./copyKey";
import type { HostPair } from "./hostPair";
import type { MoveInputs } from "./moveInputs";

/** The copy of a stopped side's directory: what differs is copied, and both sides are compared. */
export interface ProvedCopy {
  /** Lists both sides, so that the next lists take only what changed since. */
  list(saga: Saga, looks: Looks): Promise<void>;
  /** Writes what arrived to the disk. */
  flush(saga: Saga): Promise<string>;
  /** Copies what differs; the staging place is listed, and written to the disk, from then on, while other steps go on. */
  make(saga: Saga, looks: Looks): Promise<unknown>;
  isMade(): boolean;
  /** What was copied counts no more: the source has run since. */
  forget(): void;
  /**
   * Copies until both sides are the same, byte for byte, owner and mode too; begins with the copy that was made.
   *
   * @throws Error with every difference that is left after three copies
   */
  prove(saga: Saga, looks: Looks): Promise<void>;
}

/** A key store that was fenced, under its own name again. */
export function unfenced(manifest: Manifest, keyStore: string | undefined): Manifest {
  const aside = keyStore?.split("/").at(-1);
  if (aside === undefined || !manifest.has(aside)) return manifest;
  return manifestOf(
    [...manifest.values()].map((entry) =>
      entry.path === aside || entry.path.startsWith(`${aside}/`)
        ? { ...entry, path: `${plainStore(aside)}${entry.path.slice(aside.length)}` }
        : entry,
    ),
  );
}

const copyTries = 3;

export function createProvedCopy(
  inputs: MoveInputs,
  sides: HostPair,
  copier: Copier,
  say: (line: string) => void,
): ProvedCopy {
  /** The source's list, and the staging place's after the copy, which may still be in the making. */
  let copied: { readonly source: Manifest; readonly target: Promise<Manifest> } | undefined;

  const storeOf = (looks: Looks, side: SideName) => {
    const look = looks[side];
    return look === "outOfSight" ? undefined : look.journal?.was.keyStore;
  };
  const sourceManifest = async (saga: Saga, looks: Looks): Promise<Manifest> => {
    const { source } = sidesOf(saga);
    const left = await readManifest(sides.roots[source], { base: inputs[source].directory, paths: ["."] });
    return unfenced(left, storeOf(looks, source));
  };
  const targetManifest = (saga: Saga): Promise<Manifest> =>
    readManifest(sides.roots[sidesOf(saga).target], { base: stagingOf(inputs, saga), paths: ["."] });
  const flush = (saga: Saga): Promise<string> => {
    const variables = own({ receive_into: stagingOf(inputs, saga) });
    return sides.call(sidesOf(saga).target, "signer_flush", saga, variables, { limitSeconds: 3600 });
  };
  const make = async (saga: Saga, looks: Looks): Promise<NonNullable<typeof copied>> => {
    copied = undefined;
    // The source stands still: it is listed while the copy runs.
    const [source] = await allEnded([sourceManifest(saga, looks), copier.run(saga, looks)]);
    const target = allEnded([targetManifest(saga), flush(saga)]).then(([manifest]) => manifest);
    // Whoever needs it hears of it.
    target.catch(() => undefined);
    copied = { source, target };
    return copied;
  };
  const addressOf = (side: SideName) => sides.roots[side].address;

  return {
    flush,
    make,
    isMade: () => copied !== undefined,
    forget: () => {
      copied = undefined;
    },
    list: async (saga, looks) => {
      await allEnded([sourceManifest(saga, looks), targetManifest(saga)]);
    },
    prove: async (saga, looks) => {
      for (let left = copyTries; ; left -= 1) {
        const { source, target } = copied ?? (await make(saga, looks));
        const after = await target.catch((error: Error) => {
          copied = undefined;
          throw error;
        });
        const differences = compareManifests(source, after);
        if (differences.length === 0) {
          const { files, bytes } = sumOf(after);
          say(`copy: ${files} files, ${bytes} bytes are the same on both sides, owner and mode too`);
          return;
        }
        copied = undefined;
        if (left === 1)
          throw new Error(
            [
              `the copy on ${addressOf(sidesOf(saga).target)} is not what ${addressOf(sidesOf(saga).source)} has, after ${copyTries} copies`,
              ...differenceLines(differences).map((line) => `  found: ${line}`),
              "  needed: the same bytes, owner and mode. Does something else write there? Is a disk failing (dmesg)?",
            ].join("\n"),
          );
        say(`copy: ${differences.length} files differ after the copy; taking them again`);
        await copier.retake(
          saga,
          differences.map(({ path }) => path).filter((path) => path !== "."),
        );
      }
    },
  };
}
