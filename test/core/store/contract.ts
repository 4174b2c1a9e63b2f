import fs from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../../core/store/store.ts";

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
}

/** Tests the store's properties on which guards rely, for every implementation. */
export function storeContract(name: string, begin: () => StoreStage): void {
  describe(`a store: ${name}`, () => {
    let stage: StoreStage;
    beforeEach(() => {
      stage = begin();
    });

    it("keeps lines in their order for every reader", async () => {
      expect(await stage.open().readLines()).toEqual([]);
      for (const line of ["one", "two", "three"]) await stage.open().append(line);
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
      await stage.open().append("one");
      stage.breakOff();
      await stage.open().append("two");
      const lines = await stage.open().readLines();
      expect([lines[0], lines.at(-1)]).toEqual(["one", "two"]);
    });

    it("fails if it can't be read, and is never read as empty", async () => {
      const store = stage.open();
      await store.append("one");
      stage.spoil();
      for (const each of [store, stage.open()]) {
        await expect(each.readLines()).rejects.toThrow(stage.faults.spoiled);
        await expect(each.append("two")).rejects.toThrow(stage.faults.spoiled);
      }
    });

    it("returns a name's newest text to every reader, until it is deleted", async () => {
      const read = (name: string) => stage.open().readText(name);
      const write = (name: string, text: string | undefined) => stage.open().writeText(name, text);
      await write("orders.json", undefined);
      expect(await read("orders.json")).toBeUndefined();
      await write("orders.json", "first");
      await write("other.json", "of another");
      await write("orders.json", "{\n  second\n}\n");
      expect([await read("orders.json"), await read("other.json")]).toEqual(["{\n  second\n}\n", "of another"]);
      expect(await stage.open().readLines()).toEqual([]);
      await write("orders.json", undefined);
      expect(await read("orders.json")).toBeUndefined();
    });

    /** Creates a finished file, as a backup before it is kept. */
    const part = ({ directory }: Store, content: string) => {
      fs.mkdirSync(directory, { recursive: true });
      const file = path.join(directory, `${content.length}.part`);
      fs.writeFileSync(file, content);
      return file;
    };

    it("keeps a file whole under its name for every reader, and overwrites none", async () => {
      const made = part(stage.open(), "sealed".repeat(100_000));
      const file = await stage.open().keep(made, "a.tar.age");
      expect([fs.existsSync(made), path.basename(file)]).toEqual([false, "a.tar.age"]);
      const again = stage.open().keep(part(stage.open(), "second one"), "a.tar.age");
      await expect(again).rejects.toThrow("a.tar.age exists already; nothing was overwritten");
      expect(await stage.open().readSize(file)).toBe(600_000);
      expect(await text(await stage.open().open(file))).toBe("sealed".repeat(100_000));
      const absent = file.replace("a.tar.age", "b.tar.age");
      expect(await stage.open().readSize(absent)).toBeUndefined();
      await expect(stage.open().open(absent).then(text)).rejects.toThrow(stage.faults.absent);
    });
  });
}
