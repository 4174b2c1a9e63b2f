/** What a build of the controller is made with. */
export interface ControllerBuild {
  version: string;
  /** The menu's order: v0.0.1 has Migrate first. */
  menu: "v0.0.1" | "v0.0.4";
  /** The text of one more yes/no question in Deploy, that no other version has. */
  unknownQuestion: string | null;
  /** The build of the node fails. */
  failBuild: boolean;
  /** How long the build of the node takes. */
  buildSeconds: number;
  /** How many lines it prints. */
  buildLines: number;
}

/** Menu labels in the order of a version. The number of an entry is its place. */
export function menuOptions(menu: ControllerBuild["menu"]): string[] {
  const rest = ["Deploy", "Status", "Start service", "Stop service", "Resync", "Help", "Quit"];
  return menu === "v0.0.1" ? ["Migrate", ...rest] : rest;
}
