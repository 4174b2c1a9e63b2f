import { execa } from "execa";
import type { IpCommand } from "./network";

/** Runs commands of the network's builders, one after the other. */
export async function ip(commands: readonly IpCommand[]): Promise<void> {
  for (const command of commands) await execa("ip", [...command]);
}
