import { printable } from "./rows";
import { stageOf, type View } from "./view";
import type { Display } from "./watch";

/** A file or pipe: a line, with its time, for what changed. */
export function plainLines(print: (line: string) => void): Display {
  let told = new Map<string, string>();
  const tell = (line: string) => print(`${new Date().toISOString().slice(0, 19)}Z ${line}`);
  return {
    show: (view) => {
      const topics = topicsOf(view);
      for (const [topic, line] of topics) if (told.get(topic) !== line) tell(line);
      told = new Map(topics);
    },
    say: (line) => tell(printable(line)),
    end: () => undefined,
  };
}

/** What is worth a line when it changes (pure): not what changes all the time, as memory or the clock. */
export function topicsOf(view: View): [topic: string, line: string][] {
  const { stage, next } = stageOf(view);
  const title = `Pillar ${view.pillar}, stack ${view.stack}, host ${view.address}`;
  // Without the host's facts the stage is a guess.
  if (view.facts === undefined) return [["title", title]];
  const topics: [string, string][] = [
    ["title", title],
    ["stage", `stage: ${stage}; next: ${next}`],
  ];
  for (const fact of view.facts) {
    const topic = /^(at work now|service|the host can't be looked at): /.exec(fact)?.[1];
    if (topic !== undefined) topics.push([topic, printable(fact)]);
    if (/^peers: (0|not known)/.test(fact)) topics.push(["peers", printable(fact)]);
    else if (fact.startsWith("peers: ")) topics.push(["peers", "peers: there are some"]);
  }
  return topics;
}
