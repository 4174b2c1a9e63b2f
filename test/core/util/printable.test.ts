import { expect, test } from "vitest";
import { printable, printableLines } from "../../../core/util/printable";

// What a host may send: a title, a cursor that goes up, a line erased, C1 forms of both, and text turned around.
const evil =
  "a\u001b]0;title\u0007b\u001b[2Ac\u001b[2Kd\u009b2Ke\u009d0;t\u009cf\u202eg\u2066h\u200ei\rj\u0000k\u2028l";

test("one line keeps nothing that commands a terminal, or that turns text around", () => {
  expect(printable(evil)).toBe("a]0;titleb[2Ac[2Kd2Ke0;tfghijkl");
  expect(printable("a\tb\nc")).toBe("a bc");
});

test("several lines stay lines", () => {
  expect(printableLines(`x\n${evil}\n`)).toBe("x\na]0;titleb[2Ac[2Kd2Ke0;tfghijkl\n");
});
