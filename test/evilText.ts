/**
 * Text with which a hostile host or node could control a terminal: a title, a cursor movement, an erased line, both in
 * C1 form, a bidi override and an isolate, an invisible mark, a carriage return.
 */
export const evilText = "a\u001b]0;title\u0007b\u001b[2Ac\u001b[2Kd\u009b2Ke\u009d0;t\u009cf\u202eg\u2066h\u200ei\rj";

/** evilText without its control characters. */
export const harmless = "a]0;titleb[2Ac[2Kd2Ke0;tfghij";
