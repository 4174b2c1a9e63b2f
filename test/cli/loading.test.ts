import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { beforeEach, expect, test } from "vitest";
import { scratchDirectory } from "../scratchDirectory";

const bin = join(import.meta.dirname, "../../cli/bin.js");
/** Writes down what happens in which order. */
const hook = `
const { appendFileSync } = require("node:fs");
const note = (what) => appendFileSync(process.env.NOTES, what + "\\n");
const processes = require("node:child_process");
const { spawn } = processes;
processes.spawn = (program, args, ...rest) => {
  note([program, ...args.slice(0, 2)].join(" "));
  return spawn(program, args, ...rest);
};
const Module = require("node:module");
const load = Module._load;
Module._load = function (name, ...rest) {
  if (name === "../pulumi/configuration") note("load");
  return load.call(this, name, ...rest);
};
`;

const place = scratchDirectory();
beforeEach(async () => {
  await writeFile(join(place(), "pulumi"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  await writeFile(join(place(), "hook.cjs"), hook);
});

test("starts pulumi before it loads large modules", async () => {
  const notes = join(place(), "notes");
  await execa(process.execPath, ["--require", join(place(), "hook.cjs"), bin, "status", "prod"], {
    env: { PATH: `${place()}:/usr/bin:/bin`, NOTES: notes, PULUMI_BACKEND_URL: `file://${place()}` },
    reject: false,
    stdin: "ignore",
  });
  const found = (await readFile(notes, "utf8")).trim().split("\n");
  const wanted = ["pulumi config --json", "load"];
  expect(found.filter((note) => wanted.includes(note))).toEqual(wanted);
});
