import { expect, test } from "vitest";
import { frameScript } from "../../../core/ssh/answer.ts";
import { createConnection } from "../../../core/ssh/connection.ts";
import { formatHostFacts, readHostFacts } from "../../../core/ssh/hostFacts.ts";
import { evilText, harmless } from "../../evilText.ts";
import { closedPort, loginTo, sshHost, use } from "../chain/fakes.ts";

async function factsOf(script: string, port?: number): Promise<readonly string[]> {
  const target = loginTo(await use(sshHost()));
  const connection = createConnection({ ...target, port: port ?? target.port });
  const facts = await readHostFacts(connection, frameScript(script, "streamed"));
  connection.drop();
  return formatHostFacts(facts);
}

test("contain only the fields that the script prints", async () => {
  expect(await factsOf("echo \"log=$1\"; echo; echo '  log=no field'; echo cores=four\n")).toEqual(["log: facts"]);
});

test("are harmless for a terminal", async () => {
  const facts = await factsOf(`echo 'log=${evilText}'; echo '${evilText}' >&2; exit 1\n`);
  expect(facts).toEqual([`the host can't be read: ${harmless}`, `log: ${harmless}`]);
});

test("contain a failed script's output and reason", async () => {
  const facts = await factsOf("echo log=first; echo 'sudo refused' >&2; exit 1\n");
  expect(facts).toEqual(["the host can't be read: sudo refused", "log: first"]);
  expect(await factsOf("exit 7\n")).toEqual(["the host can't be read: the script ended with 7"]);
});

test("contain the reason why a host is unreachable", async () => {
  const port = await closedPort();
  const said = `the host can't be read: op@127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}`;
  expect(await factsOf("true", port)).toEqual([said]);
});
