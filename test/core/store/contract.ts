import fs from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../../core/store/store";

/** A store under test, as several machines reach it. */
export interface StoreStage {
  /** Opens the same store as another process or machine. */
  open(): Store;
  /** Leaves a truncated line, as a writer that dies. */
  breakOff(): void;
  /** Makes the store unreadable and unwritable. */
  spoil(): void;
  /** Errors of the spoiled store, and of an absent file. */
  readonly faults: { readonly spoiled: RegExp; readonly absent: RegExp };
  end(): void;
}

/** Tests the store's properties on which guards rely, for every implementation. */
export function storeContract(name: string, begin: () => StoreStage): void {
  describe(`a store: ${name}`, () => {
    let stage: StoreStage;
    beforeEach(() => {
      stage = begin();
    });
    afterEach(() => stage.end());

    const fill = async (store: Store, ...lines: string[]) => {
      for (const line of lines) await store.append(line);
    };

    it("keeps lines in their order for every reader", async () => {
      expect(await stage.open().readLines()).toEqual([]);
      await fill(stage.open(), "one", "two", "three");
      await stage.open().append('{"text":"zwölf \\n 12"}');
      expect(await stage.open().readLines()).toEqual(["one", "two", "three", '{"text":"zwölf \\n 12"}']);
    });

    it("loses and mixes no line of concurrent writers", async () => {
      const names = Array.from({ length: 40 }, (_, i) => `${i}-${"long".repeat(2000)}`);
      const stores = [stage.open(), stage.open(), stage.open()];
      await Promise.all(names.map((line, i) => stores[i % stores.length]?.append(line)));
      expect([...(await stage.open().readLines())].sort()).toEqual([...names].sort());
    });

    it("keeps what comes after a truncated line", async () => {
      await fill(stage.open(), "one");
      stage.breakOff();
      await fill(stage.open(), "two");
      const lines = await stage.open().readLines();
      expect([lines[0], lines.at(-1)]).toEqual(["one", "two"]);
    });

    it("fails if it can't be read, and is never read as empty", async () => {
      const store = stage.open();
      await fill(store, "one");
      stage.spoil();
      for (const each of [store, stage.open()]) {
        await expect(each.readLines()).rejects.toThrow(stage.faults.spoiled);
        await expect(each.append("two")).rejects.toThrow(stage.faults.spoiled);
      }
    });

    it("has no text for a name that never had one, nor for a deleted one", async () => {
      expect(await stage.open().readText("orders.json")).toBeUndefined();
      await stage.open().writeText("orders.json", "one\ntwo");
      await stage.open().writeText("orders.json", undefined);
      await stage.open().writeText("absent.json", undefined);
      expect(await stage.open().readText("orders.json")).toBeUndefined();
      expect(await stage.open().readText("absent.json")).toBeUndefined();
    });

    it("returns a name's newest text to every reader, and leaves other names unchanged", async () => {
      await stage.open().writeText("orders.json", "first");
      await stage.open().writeText("other.json", "of another");
      await stage.open().writeText("orders.json", "{\n  second\n}\n");
      expect(await stage.open().readText("orders.json")).toBe("{\n  second\n}\n");
      expect(await stage.open().readText("other.json")).toBe("of another");
      expect(await stage.open().readLines()).toEqual([]);
    });

    /** Creates a finished file, as a backup before it is kept. */
    const part = ({ directory }: Store, content: string) => {
      fs.mkdirSync(directory, { recursive: true });
      const file = path.join(directory, `${content.length}.part`);
      fs.writeFileSync(file, content);
      return file;
    };

    it("keeps a file whole under its name for every reader", async () => {
      const store = stage.open();
      const made = part(store, "sealed".repeat(100_000));
      const file = await store.keep(made, "a.tar.age");
      expect(fs.existsSync(made)).toBe(false);
      expect(path.basename(file)).toBe("a.tar.age");
      const other = stage.open();
      expect(await other.readSize(file)).toBe(600_000);
      expect(await text(await other.open(file))).toBe("sealed".repeat(100_000));
    });

    it("overwrites no file", async () => {
      const file = await stage.open().keep(part(stage.open(), "first"), "a.tar.age");
      await expect(stage.open().keep(part(stage.open(), "second one"), "a.tar.age")).rejects.toThrow(
        "a.tar.age exists already; nothing was overwritten",
      );
      expect(await text(await stage.open().open(file))).toBe("first");
    });

    it("has no size for a missing file, and opens none", async () => {
      const file = await stage.open().keep(part(stage.open(), "first"), "a.tar.age");
      const absent = file.replace("a.tar.age", "b.tar.age");
      expect(await stage.open().readSize(absent)).toBeUndefined();
      await expect(stage.open().open(absent).then(text)).rejects.toThrow(stage.faults.absent);
    });
  });
}
