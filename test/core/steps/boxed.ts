import { test as base } from "vitest";
import { Sandbox } from "./sandbox";

/** Tests with a sandbox each, so that they can wait beside each other. */
export const test = base.extend<{ box: Sandbox }>({
  box: async ({ task: _task }, use) => {
    const box = new Sandbox();
    await use(box);
    box.remove();
  },
});
