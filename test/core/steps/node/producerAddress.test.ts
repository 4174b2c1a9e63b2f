import { describe, expect } from "vitest";
import { producerAddress } from "../../../../core/steps/nodeSteps";
import { configOf, least } from "../../../components/exampleConfig";
import { test } from "../boxed";
import type { Sandbox } from "../sandbox";
import { controllerOf, hasty, refusal } from "./controllers";

const address = "z1qqjnwjjpnue8xmmpanz6csze6tcmtzzdtfsww7";
const other = "z1qzal6c5s9rjnnxd2z7dvdhjxpmmj4fmw56a0mz";
const journal = `Jan 01 node[7]: start {Password:hunter2 Address:${other}}`;
const shown = (line = `\\tAddress: ${address}`) => [
  "go-node.service - active (running)",
  journal,
  `Address: ${other}`,
  `\\tRewardAddress: ${other}`,
  "\\tIndex: 0",
  "\\tKeyFilePath: /root/.znn/wallet/producer",
  "\\tPassword: hunter2",
  line,
  "Syncing with the network ...",
];

/** Reads a Status of these lines, and expects no password in the output or in a file. */
async function read(box: Sandbox, lines: readonly string[], marker = "synced") {
  box.mark(marker);
  controllerOf(box, { Status: `printf '%b\\n' ${lines.map((line) => `'${line}'`).join(" ")}` });
  const config = configOf({
    controller: { ...least.controller, directory: box.dir },
    node: { dataDir: `${box.dir}/znn` },
  });
  const ran = await box.run(hasty(box.local(producerAddress(config).script)));
  expect(ran.stdout + ran.stderr).not.toMatch(/hunter2|Password/i);
  const kept = await box.run(`grep -rl hunter2 . --exclude=node-controller || true`);
  expect(kept.stdout).toBe("");
  return ran;
}

const found = { code: 0, stdout: `${address}\n`, stderr: "" };

describe("producerAddress", () => {
  describe("Status", () => {
    test("prints the tab-indented address alone", async ({ box }) => {
      expect(await read(box, shown())).toEqual(found);
    });

    test.for([
      ["coloured", `\\tAddress: \\e[1;32m${address}\\e[0m`],
      ["with more blanks", `\\tAddress:   ${address}  `],
      ["twice the same", `\\tAddress: ${address}\\n\\tAddress: ${address}`],
    ])("has its address printed if it is %s", async ([_what, line], { box }) => {
      expect(await read(box, shown(line))).toEqual(found);
    });
  });

  const look = (box: Sandbox) => `  Look at it on the host: cd ${box.dir} && ./node-controller, then Status.\n`;

  describe("the address", () => {
    test("is not printed before the sync, and the controller is not asked", async ({ box }) => {
      expect(await read(box, shown(), "no marker")).toEqual({
        code: 1,
        stdout: "",
        stderr: "h: the node has not synced: the producer address is not shown\n  Run pulumi up -s prod again.\n",
      });
      expect(box.read("choice")).toBeUndefined();
    });

    test("is not printed if Status shows only decoys", async ({ box }) => {
      expect(await read(box, shown(""))).toEqual({
        code: 1,
        stdout: "",
        stderr:
          "h: the controller's Status shows no producer address\n" +
          `  found: no line of the form <tab>Address: z1q… (ended)\n${look(box)}`,
      });
    });

    test("is not printed if the controller refuses to start; the error has its output", async ({ box }) => {
      box.mark("synced");
      controllerOf(box, {}, undefined, `echo '${refusal}'; exit 0`);
      const config = configOf({ controller: { ...least.controller, directory: box.dir } });
      expect(await box.run(hasty(box.local(producerAddress(config).script)))).toEqual({
        code: 1,
        stdout: "",
        stderr:
          `h: the controller ended before its menu\n  found: ${refusal}\n` +
          `  needed: run the controller by hand on the host, as root: cd ${box.dir} && ./node-controller\n  Then: pulumi up -s prod\n`,
      });
    });

    test("is not printed if Status shows two different addresses", async ({ box }) => {
      expect(await read(box, [...shown(), `\\tAddress: ${other}`])).toEqual({
        code: 1,
        stdout: "",
        stderr: `h: the controller's Status shows more than one producer address\n${look(box)}`,
      });
    });

    test.for([
      ["a character short", address.slice(0, -1), 39],
      ["a letter that the alphabet lacks", `${address.slice(0, -1)}b`, 40],
      ["capitals", address.toUpperCase(), 40],
      ["another chain's", `x${address.slice(1)}`, 40],
      ["a password in its place", "hunter2", 7],
    ])("is not printed in a wrong form: %s", async ([_what, wrong, length], { box }) => {
      expect(await read(box, shown(`\\tAddress: ${wrong}`))).toEqual({
        code: 1,
        stdout: "",
        stderr:
          "h: what the controller's Status shows as producer address does not have the form of one\n" +
          `  found: ${length} characters\n  needed: z1q… of 40 characters\n`,
      });
    });

    test("is not printed if Status asks a question, whose text stays on the host", async ({ box }) => {
      controllerOf(box, {});
      const ran = await read(box, []);
      expect(ran.code).toBe(1);
      controllerOf(box, { Status: "printf 'Enter the password of hunter2:'; read -r x" });
      const config = configOf({ controller: { ...least.controller, directory: box.dir } });
      expect(await box.run(hasty(box.local(producerAddress(config).script)))).toEqual({
        code: 1,
        stdout: "",
        stderr:
          "h: the controller's Status asked an unknown question\n  needed: use a release of the controller whose Status asks nothing (controller.release)\n",
      });
    });
  });

  describe("the node's configuration file", () => {
    const configure = (box: Sandbox, text: string) =>
      box.run(`mkdir -p znn; cat > znn/config.json <<'END'\n${text}\nEND\n`);
    const file = (named: string) =>
      `{\n  "DataPath": "/root/.znn",\n  "Producer": {\n    "Index": 0,\n    "Address": "${named}",\n    "Word": "x"\n  },\n  "Address": "${other}"\n}`;

    test("has the same address", async ({ box }) => {
      await configure(box, file(address));
      expect(await read(box, shown())).toEqual(found);
    });

    test("has it on one line", async ({ box }) => {
      await configure(
        box,
        `{"Address":"${other}","Producer":{"Address":"${address}","Index":0},"RPC":{"Address":"${other}"}}`,
      );
      expect(await read(box, shown())).toEqual(found);
    });

    test("has no producer", async ({ box }) => {
      await configure(box, '{"DataPath":"/root/.znn"}');
      expect(await read(box, shown())).toEqual(found);
    });

    test("has another address, so none is printed", async ({ box }) => {
      await configure(box, file(other));
      expect(await read(box, shown())).toEqual({
        code: 1,
        stdout: "",
        stderr:
          `h: the controller's Status and ${box.dir}/znn/config.json name different producer addresses: none is shown\n` +
          "  Registering the wrong one costs rewards. Find out on the host which one the node uses, and correct the other, before going on.\n",
      });
    });
  });
});
