import { type FactGroup, type FactsByName, parseFacts } from "../../../core/host/facts.ts";
import { arrangeHostFacts } from "../../../core/retirement/readHost.ts";
import { asRoot } from "../../../core/ssh/root.ts";

const names =
  "marks done atWork service node disk memory killed load clock log units digest chain orchestrator retirement move";

/** Returns a host's answer with these facts to a call of host_facts (core/steps/lib/facts.sh), read to its end. */
export function answerFacts(facts: readonly string[]): string {
  return [...facts, ...names.split(" ").map((name) => `read=facts_${name}`), ""].join("\n");
}

/** Returns a library without root, whose host_facts runs this text. */
export const libraryOf = (text: string) => `become_root() { "$@"; }\n${asRoot}\nhost_facts() {\n${text}\n}\n`;

/** Parses these facts, read to their end. */
export function parseWhole<N extends FactGroup>(names: readonly N[], facts: readonly string[]) {
  return parseFacts(answerFacts(facts), names) as Pick<FactsByName, N>;
}

/** Returns a host's facts for its retirement. */
export function retirementFactsOf(facts: readonly string[], address = "h") {
  return arrangeHostFacts(parseWhole(["retirement"], facts).retirement, address);
}
