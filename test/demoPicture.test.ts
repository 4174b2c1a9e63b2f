import { expect, test } from "vitest";
import { demoPicture } from "../lab/demo/picture";

const printed = `── 1. A scene ──
\u001b[32mWhat was played:\u001b[0m
          14 s  <old> & host
    3 min 30 s  in all

    $ ./pillar-host report prod-2

The chain's own verdict (the lab's double of it):
  momentums missed: 0

Look around, as root on the new host:
`;

test("the picture shows only what was played and the verdict", () => {
  const texts = [...demoPicture(printed).matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, text]) => text);
  expect(texts).toEqual([
    "$ npm run demo",
    "What was played:",
    "          14 s  &lt;old&gt; &amp; host",
    "    3 min 30 s  in all",
    "The chain's own verdict (the lab's double of it):",
    "  momentums missed: 0",
  ]);
});

test("a demo that failed has no picture", () => {
  expect(() => demoPicture("The demo failed")).toThrow("needed what a demo that succeeded has printed");
});
