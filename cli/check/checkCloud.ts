import { openCloud } from "../../core/cloud/clouds";
import { decideServer } from "../../core/cloud/decideServer";
import { warnOfOpenSsh } from "../../core/cloud/firewall";
import { openOrderRecords } from "../../core/cloud/orderRecord";
import type { StackInfo } from "../status/openStack";
import { type CheckRow, fail, pass } from "./checkRow";

export async function checkCloud({ config }: StackInfo): Promise<CheckRow[]> {
  const { host } = config;
  if (host.provider === "existing") return [];
  const cloud = openCloud({ ...config, host });
  const topic = cloud.provider;
  const record = await openOrderRecords(config).read();
  const decided = await decideServer({ ...config, host }, cloud, record);
  if ("faults" in decided) return [fail(topic, ...decided.faults)];
  const { plan, lines, warnings } = decided;
  const said = {
    make: "a server can be ordered with this token",
    keep: `server ${plan.kind === "keep" ? plan.server.id : ""} exists`,
    gone: "this stack has no server",
  }[plan.kind];
  // Some lines end in a command, which must not be wrapped.
  return [pass(topic, said, ...[...lines, ...warnings], ...warnOfOpenSsh(host.sshFrom))];
}
