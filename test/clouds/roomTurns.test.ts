import { expect, test } from "vitest";
import { Turns } from "../../lab/clouds/room/turns";

test("actions on one machine run in turn, after a failure too; other machines do not wait", async () => {
  const turns = new Turns();
  const seen: string[] = [];
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const first = turns.take("a", async () => {
    await gate;
    seen.push("a1");
    throw new Error("a1 failed");
  });
  const second = turns.take("a", async () => seen.push("a2"));
  await turns.take("b", async () => seen.push("b1"));
  open();
  await expect(first).rejects.toThrow("a1 failed");
  await second;
  expect(seen).toEqual(["b1", "a1", "a2"]);
});
