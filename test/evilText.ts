/**
 * What a hostile host or node may send to an operator's terminal: a title, a cursor that goes up, a line erased, the C1 forms
 * of both, a bidi override and an isolate, a mark that nobody sees, a carriage return over what was there.
 */
export const evilText = "a\u001b]0;title\u0007b\u001b[2Ac\u001b[2Kd\u009b2Ke\u009d0;t\u009cf\u202eg\u2066h\u200ei\rj";

/** What is left of it: letters that command nothing. */
export const harmless = "a]0;titleb[2Ac[2Kd2Ke0;tfghij";
