import { commandsFor } from "../../util/commands";

/** Why a move does not begin: another run is at work on a host, and does not end. @param answer `held SECONDS [PID]` */
export function heldByAnother(address: string, answer: string, minutes: number, stack: string): string {
  const [, , session] = answer.split(" ");
  const run = commandsFor(stack);
  const who =
    session === undefined
      ? ["  found: it renews its claim, and no login of its is known"]
      : [
          `  found: it is logged in on ${address}; its login there is process ${session}`,
          `  Whose it is: on ${address}: ps -o lstart,args -p ${session}; ss -tnp | grep pid=${session},`,
        ];
  return [
    `${address}: another run has been at work on this signer for ${minutes} minutes; nothing was done`,
    ...who,
    `  needed: its end. Let it go on, or press Ctrl-C in its terminal. Which step it is at, if it is this stack's: ${run.status()}`,
    `  Then: ${run.up}`,
  ].join("\n");
}
