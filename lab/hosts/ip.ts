import { execa } from "execa";
import type { IpCommand } from "./network";

/** Runs the network's commands one after another. */
export async function ip(commands: readonly IpCommand[]): Promise<void> {
  for (const command of commands) await execa("ip", [...command]);
}
