import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { contract } from "../contracts/contract";
import { COPY, failure, plugin, startServer, to, usePlugin, work } from "./fixture";
import { file, isSecret, type Properties, text } from "./provider";

contract("command plugin", ["pulumi-resource-command"], (kind) => {
  usePlugin(kind);

  describe("CopyToRemote", () => {
    const read = (...name: string[]): string => fs.readFileSync(path.join(work, ...name), "utf8");

    beforeEach(() => {
      fs.mkdirSync(path.join(work, "source/inner"), { recursive: true });
      fs.writeFileSync(path.join(work, "source/one"), "1");
      fs.writeFileSync(path.join(work, "source/inner/two"), "2");
      fs.mkdirSync(path.join(work, "there"));
    });

    async function copy(source: Properties[string], remotePath: string): Promise<Properties> {
      const connection = to(await startServer());
      return (await plugin.create(COPY, { connection, source, remotePath: path.join(work, remotePath) })).outputs;
    }

    test("copies a file to a path, over what is there, and into a directory", async () => {
      const source = file("asset", path.join(work, "source/one"), "h1");
      fs.writeFileSync(path.join(work, "copy"), "much longer than before");
      await copy(source, "copy");
      await copy(source, "there");
      expect([read("copy"), read("there/one")]).toEqual(["1", "1"]);
    });

    test("copies a directory into the target, and with a slash its content", async () => {
      const source = path.join(work, "source");
      await copy(file("archive", source, "h1"), "a");
      await copy(file("archive", `${source}/`, "h1"), "b");
      expect([read("a/source/one"), read("a/source/inner/two")]).toEqual(["1", "2"]);
      expect([read("b/one"), read("b/inner/two")]).toEqual(["1", "2"]);
    });

    test("copies a text, but not onto a directory", async () => {
      await copy(text("hello", "h1"), "copy");
      expect(read("copy")).toBe("hello");
      expect(await failure(copy(text("hello", "h1"), "there"))).toContain("is a directory; when using a text asset");
    });

    test("copies again on another hash or path, and not on another connection alone", async () => {
      const server = await startServer();
      const one = path.join(work, "source/one");
      const inputs = { connection: to(server), source: file("asset", one, "h1"), remotePath: path.join(work, "copy") };
      const { outputs } = await plugin.create(COPY, inputs);
      fs.writeFileSync(one, "changed");
      await plugin.update(COPY, outputs, { ...inputs, connection: to(server, { user: "other" }) });
      expect([read("copy"), server.connections]).toEqual(["1", 1]);
      await plugin.update(COPY, outputs, { ...inputs, source: file("asset", one, "h2") });
      expect(read("copy")).toBe("changed");
      await plugin.update(COPY, outputs, { ...inputs, remotePath: path.join(work, "moved") });
      expect(read("moved")).toBe("changed");
    });

    test("does nothing in a preview, and leaves the copy when deleted", async () => {
      const server = await startServer();
      const source = text("hello", "h1");
      const inputs = { connection: to(server), source, remotePath: path.join(work, "copy") };
      await plugin.create(COPY, inputs, true);
      expect(server.connections).toBe(0);
      const { outputs } = await plugin.create(COPY, inputs);
      await plugin.delete(COPY, outputs);
      expect(read("copy")).toBe("hello");
    });

    test("keeps the connection secret", async () => {
      expect(isSecret((await copy(text("hello", "h1"), "copy")).connection)).toBe(true);
    });
  });
});
