import { formatRegistration, formatRegistrationKey } from "../../core/registration/registrationMessages";
import type { NodeHostFacts } from "../../core/ssh/hostFacts";
import { type FactRow, formatPeersRow, formatServiceRow, unseenLabel } from "../../core/ssh/hostFactsText";
import { formatGateLine } from "../../core/sync/syncMessages";
import { printable } from "../../core/util/printable";
import { decideStage } from "./hostStage";
import { getValue } from "./parts/statusParts";
import { type Display, formatTitle, type StackView } from "./stackView";

/** A line that is printed when its key changes. */
type Topic = readonly [topic: string, line: string, key?: string];

/** Creates a display for a file or pipe: it prints a line with its time for each change. */
export function createLineDisplay(print: (line: string) => void): Display {
  const printed = new Map<string, Map<string, string>>();
  const printLine = (line: string, stack: string | undefined) =>
    print(`${new Date().toISOString().slice(0, 19)}Z ${stack === undefined ? "" : `[${stack}] `}${line}`);
  return {
    show: (stacks) => {
      for (const { view } of stacks) {
        const before = printed.get(view.stack);
        const topics = listTopics(view);
        for (const [topic, line, key = line] of topics)
          if (before?.get(topic) !== key) printLine(line, stacks.length > 1 ? view.stack : undefined);
        printed.set(view.stack, new Map(topics.map(([topic, line, key = line]) => [topic, key])));
      }
    },
    say: (message, stack) =>
      printLine(printable(message.kind === "watch" ? message.text : formatGateLine(message)), stack),
    end: () => undefined,
  };
}

/** Lists the topics of a view, without those that change all the time, such as memory or the clock. */
export function listTopics(view: StackView): Topic[] {
  const { stage, next } = decideStage(view);
  const title: Topic = ["title", formatTitle(view)];
  // Without facts about the host, the stage is a guess.
  if (view.facts === undefined) return [title];
  return [title, ["stage", `stage: ${stage}; next: ${next}`], ...factTopics(view.facts), ...partTopics(view)];
}

function factTopics({ unseen, atWork, service, node }: NodeHostFacts): Topic[] {
  const line = ([label, text]: FactRow): Topic => [label, printable(`${label}: ${text}`)];
  return [
    unseen?.[0] === undefined ? [] : [line([unseenLabel, unseen[0]])],
    atWork === undefined ? [] : [line(["at work now", atWork])],
    service === undefined ? [] : [line(formatServiceRow(service))],
    node === undefined ? [] : [line(node.peers ? ["peers", "there are some"] : formatPeersRow(node))],
  ].flat();
}

function partTopics({ parts, pillar }: StackView): Topic[] {
  const registration = getValue(parts?.registration);
  const orchestrator = getValue(parts?.orchestrator);
  const unmet = getValue(parts?.destroy);
  const address = registration && `address: ${formatRegistration(registration, pillar, Date.now())}`;
  const reasons = unmet?.map(({ what }) => what).join("; ") || "allowed: all conditions are met";
  return [
    ...(address ? [["address", printable(address), formatRegistrationKey(registration)] as const] : []),
    ...(orchestrator ? [["signer", printable(`orchestrator: ${orchestrator.text}`), orchestrator.kind] as const] : []),
    ...(unmet ? [["destroy", printable(`destroy: ${reasons}`)] as const] : []),
  ];
}
