import { hostTerminal } from "../../lab/doubles/controller/hostMachine";
import { ask, confirm, menu } from "../../lab/doubles/controller/terminal";

// Run in a terminal by terminal.test.ts: one menu, one yes/no question, one hidden text.
const terminal = hostTerminal();
const picked = menu(terminal, "Pick\n", ["First", "Second"]);
const sure = confirm(terminal, "Sure?", false);
const secret = ask(terminal, "Secret:", { hidden: true, minLength: 3 });
terminal.write(`${JSON.stringify({ picked, sure, secret })}\n`);
