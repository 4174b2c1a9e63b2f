import { createHash } from "node:crypto";
import { expect } from "vitest";
import { readFactsLibrary } from "../../../../core/steps/libraries.ts";
import { producerAddress } from "../../../../core/steps/nodeSteps.ts";
import { configOf, least } from "../../../components/exampleConfig.ts";
import { type Sandbox, test } from "../sandbox.ts";
import { controllerOf, hasty, refusal } from "./controllers.ts";

const address = "z1qqjnwjjpnue8xmmpanz6csze6tcmtzzdtfsww7";
const other = "z1qzal6c5s9rjnnxd2z7dvdhjxpmmj4fmw56a0mz";
/** Returns a Status with decoys and a password, and these lines. */
const statusOf = (...lines: string[]) =>
  [
    "go-node.service - active (running)",
    `Jan 01 node[7]: start {Password:hunter2 Address:${other}}`,
    `Address: ${other}`,
    `\\tRewardAddress: ${other}`,
    "\\tIndex: 0",
    "\\tPassword: hunter2",
    ...lines,
    "Syncing with the network ...",
  ].map((line) => `'${line}'`);

/** Reads the address from a controller that does this at Status, beside a configuration. Expects no password anywhere. */
async function read(box: Sandbox, status: string, { config = "", beforeMenu = "", isSynced = true } = {}) {
  if (isSynced) box.mark("synced");
  controllerOf(box, { Status: status }, undefined, beforeMenu);
  if (config) box.write("config.json", config);
  const controller = { ...least.controller, directory: box.dir };
  const { script } = producerAddress(configOf({ controller, node: { dataDir: box.dir } }));
  const ran = await box.run(hasty(box.local(script)));
  expect(ran.stdout + ran.stderr).not.toMatch(/hunter2|Password/i);
  const kept = await box.run("grep -rl hunter2 . --exclude=node-controller --exclude=config.json || true");
  expect(kept.stdout).toBe("");
  return { ...ran, stderr: ran.stderr.replaceAll(box.dir, "BOX") };
}
const shows = (...lines: string[]) => `printf '%b\\n' ${statusOf(...lines).join(" ")}`;
const own = `\\tAddress: ${address}`;

const configured = (named: string, spaces?: number) =>
  JSON.stringify(
    { Address: other, Producer: { Index: 0, Address: named, Password: "hunter2" }, RPC: { Address: other } },
    undefined,
    spaces,
  );

test.for<[string, string, string]>([
  ["indented by a tab", own, ""],
  ["coloured", `\\tAddress: \\e[1;32m${address}\\e[0m`, ""],
  ["with more blanks", `\\tAddress:   ${address}  `, ""],
  ["twice the same", `${own}\\n${own}`, ""],
  ["as in the node's configuration", own, configured(address, 2)],
  ["as in a configuration of one line", own, configured(address)],
  ["beside a configuration without a producer", own, '{"DataPath":"/root/.znn"}'],
])("Status's address is printed alone: %s", async ([, line, config], { box }) => {
  expect(await read(box, shows(line), { config })).toEqual({ code: 0, stdout: `${address}\n`, stderr: "" });
});

const look = "  Look at it on the host: cd BOX && ./node-controller, then Status.\n";
const wrongForm = (length: number) =>
  `what the controller's Status shows as producer address does not have the form of one\n  found: ${length} characters\n  needed: z1q… of 40 characters\n`;
const notSynced = "the node has not synced: the producer address is not shown";
const two = "the controller's Status shows more than one producer address";
test.for<[string, string, Parameters<typeof read>[2], string]>([
  ["before the sync", shows(own), { isSynced: false }, `${notSynced}\n  Run pulumi up -s prod again.\n`],
  [
    "if Status shows only decoys",
    shows(),
    {},
    `the controller's Status shows no producer address\n  found: no line of the form <tab>Address: z1q… (ended)\n${look}`,
  ],
  [
    "if the controller refuses to start",
    ":",
    { beforeMenu: `echo '${refusal}'; exit 0` },
    `the controller ended before its menu\n  found: ${refusal}\n  needed: run the controller by hand on the host, as root: cd BOX && ./node-controller\n  Then: pulumi up -s prod\n`,
  ],
  ["if Status shows two addresses", shows(own, `\\tAddress: ${other}`), {}, `${two}\n${look}`],
  ["if it is a character short", shows(own.slice(0, -1)), {}, wrongForm(39)],
  ["if it has a letter that the alphabet lacks", shows(`${own.slice(0, -1)}b`), {}, wrongForm(40)],
  ["if it has capitals", shows(`\\tAddress: ${address.toUpperCase()}`), {}, wrongForm(40)],
  ["if it is another chain's", shows(`\\tAddress: x${address.slice(1)}`), {}, wrongForm(40)],
  ["if a password is in its place", shows("\\tAddress: hunter2"), {}, wrongForm(7)],
  [
    "if Status asks a question, whose text stays on the host",
    "printf 'Enter the password of hunter2:'; read -r x",
    {},
    "the controller's Status asked an unknown question\n  needed: use a release of the controller whose Status asks nothing (controller.release)\n",
  ],
  [
    "if the node's configuration has another one",
    shows(own),
    { config: configured(other, 2) },
    "the controller's Status and BOX/config.json name different producer addresses: none is shown\n  Registering the wrong one costs rewards. Find out on the host which one the node uses, and correct the other, before going on.\n",
  ],
])("no address is printed %s", async ([, status, host, words], { box }) => {
  expect(await read(box, status, host)).toEqual({ code: 1, stdout: "", stderr: `h: ${words}` });
  if (host?.isSynced === false) expect(box.read("choice")).toBeUndefined();
});

test.for([
  [configured(address), `digest=${createHash("sha256").update(address).digest("hex")}\n`],
  [JSON.stringify({ Name: "node" }), ""],
  [undefined, ""],
])("the address's digest is a fact, and never the address: %s", async ([config, stdout], { box }) => {
  if (config !== undefined) box.write("config.json", config);
  const ask = `${box.library(readFactsLibrary())}\ndata_dir=${box.dir}; groups=facts_digest; host_facts`;
  expect(await box.run(ask)).toEqual({ code: 0, stdout: `${stdout}read=facts_digest\n`, stderr: "" });
});
