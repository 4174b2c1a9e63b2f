import { expect, test } from "vitest";
import { loadProgram } from "./orders/program.ts";
import { searchOrders } from "./orders/search.ts";

const size = { seed: 1, most: 200 };

test("two operators' killed orders: no server of another order is touched, none runs unnamed, none admits another key", async () => {
  const { found, ...figures } = await searchOrders(await loadProgram(), size);
  console.log(`killed orders: ${JSON.stringify(figures)}`);
  expect(
    found && `${found.provider}: ${found.why}\n${found.path.map((act) => JSON.stringify(act)).join("\n")}`,
  ).toBeUndefined();
  expect(figures.servers).toBeGreaterThan(200);
  expect(Math.min(figures.killed, figures.refused, figures.done)).toBeGreaterThan(100);
}, 600_000);
