import type { Notice } from "../../core/notify/notify";
import { commandsFor } from "../../core/util/commands";
import { printable } from "../../core/util/printable";
import type { Sign, SignObservation } from "./sign";

/** Signs that were told and are not known to be over, by their keys, each with its text then. */
export type ReportedSigns = Readonly<Record<string, string>>;

/** What is to be told after a look, and what was told then. */
export interface SignNews {
  readonly appeared: readonly Sign[];
  readonly over: readonly Sign[];
}

/** What of a look is new (pure): a sign is told when it appears, and when a look sees that it is gone. */
export function signNewsOf(told: ReportedSigns, { signs, unknown }: SignObservation): SignNews {
  const isSeen = (key: string) => signs.some((sign) => sign.key === key);
  return {
    appeared: signs.filter(({ key }) => !Object.hasOwn(told, key)),
    over: Object.entries(told)
      .map(([key, text]) => ({ key, text }))
      .filter(({ key }) => !isSeen(key) && !unknown.includes(key.split(":")[0] ?? "")),
  };
}

/** What is remembered once some of it was told (pure). */
export function reportedAfter(told: ReportedSigns, { appeared = [], over = [] }: Partial<SignNews>): ReportedSigns {
  const left = Object.entries(told).filter(([key]) => !over.some((sign) => sign.key === key));
  return Object.fromEntries([...left, ...appeared.map(({ key, text }) => [key, text] as const)]);
}

/** The notices of it, each with what it tells (pure). */
export function signNoticesOf(
  { appeared, over }: SignNews,
  { stack, pillar }: { readonly stack: string; readonly pillar: string },
): (readonly [Notice, Partial<SignNews>])[] {
  const whose = `Pillar ${pillar} (${stack})`;
  const lines = (signs: readonly Sign[]) => signs.map(({ text }) => printable(text));
  const look = `Look: ${commandsFor(stack).status()}`;
  const one = (event: "sign" | "signOver", title: string, message: readonly string[]): Notice => ({
    ...{ event, title: `${whose}: ${title}`, message: message.join("\n") },
  });
  const count = appeared.length === 1 ? "something is amiss" : `${appeared.length} things are amiss`;
  return [
    ...(appeared.length > 0 ? [[one("sign", count, [...lines(appeared), look]), { appeared }] as const] : []),
    ...(over.length > 0
      ? [
          [
            one(
              "signOver",
              "over",
              lines(over).map((text) => `No more: ${text}`),
            ),
            { over },
          ] as const,
        ]
      : []),
  ];
}
