import { describe, expect } from "vitest";
import { createScript } from "../../../../core/steps/step";
import { test } from "../boxed";

describe("a host after its retirement", () => {
  test.for([
    ["loses our empty linux-kernel-headers", "pillar-host <root@localhost>", "dpkg --purge linux-kernel-headers\n"],
    ["keeps a real linux-kernel-headers", "Debian Kernel Team <debian-kernel@lists.debian.org>", undefined],
    ["has none to lose", "", undefined],
  ])("%s", async ([_title, maintainer, called], { box }) => {
    box.command("dpkg-query", maintainer === "" ? "exit 1" : `printf '%s' '${maintainer}'`);
    box.command("dpkg", 'echo "dpkg $*" >> $sandbox/called');
    const script = createScript({ service: "go-node" }, "node/nodeStop", "host/kernelHeaders", "retirement/retirement");
    const { code, stderr } = await box.run(box.local(`${script}\nretire_remove_settings`));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(box.read("called")).toBe(called);
  });

  test("gets a warning while another package manager holds the lock", async ({ box }) => {
    box.command("dpkg-query", "printf '%s' 'pillar-host <root@localhost>'");
    box.command("dpkg", "echo 'dpkg: error: dpkg frontend lock was locked by another process' >&2; exit 2");
    const script = createScript({ service: "go-node" }, "node/nodeStop", "host/kernelHeaders", "retirement/retirement");
    const { code, stdout } = await box.run(box.local(`${script}\nretire_remove_settings`));
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        "warning: the empty package linux-kernel-headers could not be removed. Remove it with: dpkg --purge linux-kernel-headers\n",
    });
  });
});
