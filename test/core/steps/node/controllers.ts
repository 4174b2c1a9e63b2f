import { replaceAll, type Sandbox } from "../sandbox.ts";

const menu = (labels: readonly string[]) =>
  labels.map((label, index) => `printf ' %2d) %b\\n' ${index + 1} '${label}'`).join("\n");

const newOrder = ["Deploy", "Status", "Start service", "Stop service", "Resync", "Help", "Quit"];

/** Puts a tiny controller in place: its menu, then what each label does (bash). It refuses to run without a terminal. */
export function controllerOf(
  box: Sandbox,
  actions: Readonly<Record<string, string>>,
  labels: readonly string[] = newOrder,
  beforeMenu = "",
): void {
  const cases = Object.entries(actions).map(([label, body]) => {
    const index = labels.findIndex((shown) => shown.includes(label)) + 1;
    return `${index}) ${body} ;;`;
  });
  box.executable(
    `${box.dir}/node-controller`,
    `[ -t 0 ] || { echo "no terminal: deploying" > "$sandbox/no-terminal"; exit 0; }
trap 'echo ended >> "$sandbox/ended"' EXIT
${beforeMenu}
echo "Gathering system information ..."
${menu(labels)}
echo
printf 'Select an option from the ones listed above\\n> '
IFS= read -r choice
echo "$choice" > "$sandbox/choice"
case $choice in
${cases.join("\n")}
*) echo "took $choice" >> "$sandbox/wrong" ;;
esac
exit 0`,
  );
}

/** The real controller's refusal of a user who is not root (bin/znn_controller.dart 511-518); it ends with 0. */
export const refusal =
  "Cannot start ZNN Controller. Some commands require superuser privileges in order to successfully complete. Please run again using superuser privileges";

/** Shortens the dialog's waits: a tenth of a second without output becomes a twentieth, 200 of them become ten. */
export function hasty(script: string): string {
  return replaceAll(script, [
    ["wait_seconds=0.1", "wait_seconds=0.05"],
    ['"$silent" -ge 200', '"$silent" -ge 10'],
  ]);
}
