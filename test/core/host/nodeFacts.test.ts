import { expect, test } from "vitest";
import { formatHostFacts, readNodeFacts } from "../../../core/host/nodeFacts.ts";
import { createConnection } from "../../../core/ssh/connection.ts";
import { openRoot } from "../../../core/ssh/root.ts";
import { configOf } from "../../components/exampleConfig.ts";
import { evilText, harmless } from "../../evilText.ts";
import { closedPort, loginTo, sshHost, use } from "../chain/fakes.ts";
import { libraryOf } from "./printedFacts.ts";

/** Reads facts from a host on which host_facts runs this text. */
async function factsOf(text: string, port?: number): Promise<readonly string[]> {
  const target = loginTo(await use(sshHost()));
  const ssh = { ...target, port: port ?? target.port };
  const root = openRoot({ stack: "prod", ssh }, libraryOf(text), createConnection(ssh));
  const facts = await readNodeFacts(root, configOf().node, { logLines: 5, withStages: true });
  root.close();
  return formatHostFacts(facts);
}

const cores = "echo cores=4; echo load=1; echo read=facts_load";

const all = "printf 'read=%s\\n' $groups";
const cutOff = "the host can't be read: 127.0.0.1: its answer was cut off";

test("contain only the fields that the script prints", async () => {
  expect(await factsOf(`echo; echo '  log=no field'; echo log=one; ${cores}; ${all}`)).toEqual([
    "done so far: nothing",
    "service: the host has no unit ",
    "peers: unknown, the RPC at  does not answer",
    "load: 1 on 4 cores",
    "log: one",
  ]);
});

test("contain only what was read to its end, and say that the rest was cut off", async () => {
  expect(await factsOf(`${cores}; echo log=one; echo read=facts_lo`)).toEqual([cutOff, "load: 1 on 4 cores"]);
});

test("are harmless for a terminal", async () => {
  const facts = await factsOf(`echo 'log=${evilText}'; echo read=facts_log; echo '${evilText}' >&2; exit 1`);
  expect(facts).toEqual([`the host can't be read: ${harmless}`, `log: ${harmless}`]);
});

test("contain what a failed script has read, and its reason", async () => {
  const facts = await factsOf(`${cores}; echo 'sudo refused' >&2; exit 1`);
  expect(facts).toEqual(["the host can't be read: sudo refused", "load: 1 on 4 cores"]);
  expect(await factsOf("exit 7")).toEqual(["the host can't be read: 127.0.0.1: host_facts ended with 7"]);
});

test("contain the reason why a host is unreachable", async () => {
  const port = await closedPort();
  const said = `the host can't be read: op@127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}`;
  expect(await factsOf("true", port)).toEqual([said]);
});
