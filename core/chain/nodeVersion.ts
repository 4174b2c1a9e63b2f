import { type Connection, createConnection } from "../ssh/connection";
import { isPrintable } from "../util/printable";
import { callRpc } from "./jsonRpc";
import { type NodeTarget, nodeResult, nodeStreams } from "./node";

const callTimeout = 20_000;

/** The version that a node tells of itself. @throws where it does not */
export async function nodeVersion(
  target: NodeTarget,
  connection: Connection = createConnection(target.ssh),
): Promise<string> {
  const { open, authority } = nodeStreams(target, connection);
  const answer = await callRpc(open, { authority, method: "stats.processInfo", timeout: callTimeout });
  const { version } = (nodeResult(answer) ?? {}) as { version?: unknown };
  if (!isPrintable(version)) throw new Error("the RPC's stats.processInfo does not have the form {version}");
  return version;
}
