import { keyOf, sentenceOf } from "../../core/registration/registrationMessages";
import type { NodeHostFacts } from "../../core/ssh/hostFacts";
import { type FactRow, peersRow, serviceRow, unseenLabel } from "../../core/ssh/hostFactsText";
import { gateLine } from "../../core/sync/syncMessages";
import { printable } from "../../core/util/printable";
import type { Display } from "./display";
import { decideStage } from "./hostStage";
import type { StackView } from "./stackView";

/** A line that is printed when its key changes. */
type Topic = readonly [topic: string, line: string, key?: string];

/** Creates a display for a file or pipe: it prints a line with its time for each change. */
export function createLineDisplay(print: (line: string) => void): Display {
  const told = new Map<string, Map<string, string>>();
  const tell = (line: string, stack: string | undefined) =>
    print(`${new Date().toISOString().slice(0, 19)}Z ${stack === undefined ? "" : `[${stack}] `}${line}`);
  return {
    show: (shown) => {
      for (const { view } of shown) {
        const before = told.get(view.stack);
        const topics = listTopics(view);
        for (const [topic, line, key = line] of topics)
          if (before?.get(topic) !== key) tell(line, shown.length > 1 ? view.stack : undefined);
        told.set(view.stack, new Map(topics.map(([topic, line, key = line]) => [topic, key])));
      }
    },
    say: (news, stack) => tell(printable(news.kind === "watch" ? news.text : gateLine(news)), stack),
    end: () => undefined,
  };
}

/** Lists the topics of a view, without those that change all the time, such as memory or the clock. */
export function listTopics(view: StackView): Topic[] {
  const { stage, next } = decideStage(view);
  const title = `Pillar ${view.pillar}, stack ${view.stack}, host ${view.address}`;
  // Without facts about the host, the stage is a guess.
  if (view.facts === undefined) return [["title", title]];
  const topics: Topic[] = [
    ["title", title],
    ["stage", `stage: ${stage}; next: ${next}`],
  ];
  return [...topics, ...factTopics(view.facts), ...partTopics(view)];
}

function factTopics({ unseen, atWork, service, node }: NodeHostFacts): Topic[] {
  const line = ([label, text]: FactRow): Topic => [label, printable(`${label}: ${text}`)];
  return [
    unseen?.[0] === undefined ? [] : [line([unseenLabel, unseen[0]])],
    atWork === undefined ? [] : [line(["at work now", atWork])],
    service === undefined ? [] : [line(serviceRow(service))],
    node === undefined ? [] : [line(node.peers ? ["peers", "there are some"] : peersRow(node))],
  ].flat();
}

function partTopics({ parts, pillar }: StackView): Topic[] {
  if (parts === undefined) return [];
  const { registration, orchestrator: signer, destroy } = parts;
  const now = Date.now();
  const topics: Topic[] = [];
  if ("value" in registration)
    topics.push([
      "address",
      printable(`address: ${sentenceOf(registration.value, pillar, now)}`),
      keyOf(registration.value),
    ]);
  if ("value" in signer) topics.push(["signer", printable(`signer: ${signer.value.text}`), signer.value.kind]);
  if (destroy && "value" in destroy) {
    const reasons = destroy.value.map(({ what }) => what).join("; ");
    topics.push(["destroy", printable(`destroy: ${reasons === "" ? "allowed: all conditions are met" : reasons}`)]);
  }
  return topics;
}
