/** Options of a controller build. */
export interface ControllerBuild {
  version: string;
  /** Version whose menu order is used: v0.0.1 has Migrate first. */
  menu: "v0.0.1" | "v0.0.4";
  /** Text of one more yes/no question in Deploy, which no real version asks. */
  unknownQuestion: string | null;
  /** True if the node's build fails. */
  failBuild: boolean;
  /** Duration of the node's build. */
  buildSeconds: number;
  /** Number of lines that the node's build prints. */
  buildLines: number;
}

/** Returns the menu labels in the order of a version. An entry's number is its position, counted from 1. */
export function menuOptions(menu: ControllerBuild["menu"]): string[] {
  const rest = ["Deploy", "Status", "Start service", "Stop service", "Resync", "Help", "Quit"];
  return menu === "v0.0.1" ? ["Migrate", ...rest] : rest;
}
