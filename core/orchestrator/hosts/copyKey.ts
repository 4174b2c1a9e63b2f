import path from "node:path";
import { parseCopyKey } from "../../ssh/copyKey";
import { base64, fileName, own } from "../../ssh/foreign";
import { firstLine } from "../../util/firstLine";
import { type Saga, sidesOf } from "../rules/journal";
import type { Looks } from "../rules/sagaLooks";
import type { HostPair } from "./hostPair";
import type { CopyInputs } from "./moveInputs";

/** The copy between both hosts, with a key that exists for it alone. */
export interface Copier {
  /** Makes the key on the new host and gives it its right on the old one; {@link Copier.run} does so by itself. */
  allow(saga: Saga, looks: Looks): Promise<void>;
  /** Copies what differs from the source's directory into the target's staging place. */
  run(saga: Saga, looks: Looks, options?: { readonly progress?: boolean }): Promise<void>;
  /** Removes files of the staging place, so that the next copy takes them again. */
  retake(saga: Saga, paths: readonly string[]): Promise<void>;
  /** Removes key and right from both hosts; never throws. @returns what could not be removed, in words */
  end(saga: Saga, looks: Looks): Promise<string[]>;
}

/** For the slowest of lines, and the longest of copies; the right ends by itself after it. */
const copyHours = 12;

export function stagingOf(inputs: Pick<CopyInputs, "old" | "new">, saga: Saga): string {
  return `${inputs[sidesOf(saga).target].directory}.arriving`;
}

/**
 * The new host always connects to the old one, whichever way the copy goes: the way that is open in both firewalls.
 */
export function createCopier(inputs: CopyInputs, sides: HostPair, say: (line: string) => void): Copier {
  let allowed: string | undefined;
  const login = inputs.old.host.ssh.user;
  const known = inputs.copy.port === 22 ? inputs.copy.address : `[${inputs.copy.address}]:${inputs.copy.port}`;

  const variables = (saga: Saga, looks: Looks) => {
    const { source } = sidesOf(saga);
    const look = looks[source];
    const store = look === "outOfSight" || look.journal?.stage !== "fenced" ? undefined : look.journal.was.keyStore;
    // The source's own journal, whatever directory it names.
    const aside_store = store === undefined ? "" : fileName(path.posix.basename(store));
    return own({
      receive_into: stagingOf(inputs, saga),
      aside_store,
      login_user: login,
      copy_address: inputs.copy.address,
      copy_port: inputs.copy.port,
      copy_hours: copyHours,
      known_as: known,
    });
  };

  const allow = async (saga: Saga, looks: Looks) => {
    const shared = variables(saga, looks);
    const what = `${saga.direction} ${shared.aside_store}`;
    if (allowed === what) return;
    const printed = await sides.call("new", "signer_copy_key", saga, shared);
    const { key, addresses } = parseCopyKey(printed, sides.roots.new.address);
    await sides.call("old", "signer_copy_allow", saga, {
      ...shared,
      public_key: key,
      ...own({
        from_addresses: [...addresses, inputs.new.host.ssh.address],
        copy_side: saga.direction === "forward" ? "copy_send" : "copy_receive",
      }),
    });
    allowed = what;
  };

  return {
    allow,
    run: async (saga, looks, { progress = false } = {}) => {
      await allow(saga, looks);
      const { stdout, done } = await sides.roots.new.stream(
        "signer_copy",
        {
          ...sides.variables("new", saga),
          ...variables(saga, looks),
          ...own({
            copy_side: saga.direction === "forward" ? "copy_receive" : "copy_send",
            progress: progress ? "yes" : "",
          }),
        },
        { limitSeconds: copyHours * 3600 },
      );
      stdout.setEncoding("utf8").on("data", (piece: string) => {
        for (const line of piece.split("\n")) if (line.trim() !== "") say(`copy: ${line}`);
      });
      await done.catch((error: Error & { exitCode?: number }) => {
        if (error.exitCode === 75) throw Object.assign(error, { taken: true });
        throw error.exitCode === undefined ? Object.assign(error, { broken: true }) : error;
      });
    },
    retake: async (saga, paths) => {
      const list = base64(paths.map((path) => `./${path}\0`).join(""));
      await sides.call(sidesOf(saga).target, "signer_copy_retake", saga, {
        ...own({ receive_into: stagingOf(inputs, saga) }),
        retake: list,
      });
    },
    end: async (saga, looks) => {
      allowed = undefined;
      const left: string[] = [];
      if (looks.old === "outOfSight")
        left.push(
          `the old side is out of sight: when it is back, take lines with pillar-host-copy out of ${login}'s authorized_keys there; their key is gone`,
        );
      const remove = (side: "old" | "new", name: string) =>
        sides.call(side, name, saga, own({ login_user: login })).catch((error: Error) => {
          left.push(
            `the copy's key could not be removed from the ${side} side: ${firstLine(error.message)}; the next run removes it`,
          );
        });
      await Promise.all([
        looks.new === "outOfSight" ? undefined : remove("new", "signer_copy_key_away"),
        looks.old === "outOfSight" ? undefined : remove("old", "signer_copy_forbid"),
      ]);
      return left;
    },
  };
}
