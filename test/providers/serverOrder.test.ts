import { expect, onTestFinished, test } from "vitest";
import { createCloud } from "../../core/cloud/clouds.ts";
import { createDigitaloceanTag } from "../../core/cloud/digitalocean.ts";
import { createHetznerLabels } from "../../core/cloud/hetzner.ts";
import { assertNoneLeft } from "../../providers/serverOrder.ts";
import { serveCloud } from "../lab/clouds/servedCloud.ts";

const owner = { stack: "prod", pillar: { name: "Anvil" } };

test.each(["hetzner", "digitalocean"] as const)(
  "an order at %s ends only if no server of it is left",
  async (provider) => {
    const served = await serveCloud(provider);
    onTestFinished(() => served.close());
    const order = (number?: string) =>
      provider === "hetzner"
        ? served.ask("POST", "/servers", {
            ...{ name: `s${number}`, server_type: "cx33", image: "ubuntu-22.04", location: "fsn1" },
            labels: { ...createHetznerLabels(owner), ...(number && { "pillar-host-order": number }) },
          })
        : served.ask("POST", "/droplets", {
            ...{ name: `s${number}`, size: "s-4vcpu-8gb", image: "ubuntu-22-04-x64", region: "fra1" },
            tags: [createDigitaloceanTag(owner), ...(number ? [`pillar-host-order:${number}`] : [])],
          });
    const orders = [
      { number: "09", at: "2026-11-21T14:00:00.000Z" },
      { number: "0a", at: "2026-11-21T15:00:00.000Z" },
    ];
    const cloud = createCloud[provider]({ token: served.token, endpoint: served.endpoint });
    let polls = 0;
    const sleep = async () => {
      polls += 1;
    };
    const end = () => assertNoneLeft({ orders, owner }, cloud, { sleep });

    await end();
    expect(polls).toBe(0);
    await order("0a");
    await order("09");
    await order("0b");
    await order();
    const refused = (await end().catch(({ message }: Error) => message)) ?? "";
    const [ours, late, others, bare] = [...served.account.servers.keys()];
    expect(refused).toContain(`${ours} s0a, 192.0.2.1, of this stack's order at 2026-11-21T15:00:00.000Z`);
    expect(refused).toContain(`${late} s09, 192.0.2.2, of this stack's order at 2026-11-21T14:00:00.000Z`);
    expect(refused).toMatch(new RegExp(`${others} s0b, .*, of an order that is not known here`));
    expect(refused).toMatch(new RegExp(`${bare} sundefined, .*, of no order`));
    expect(refused).toContain(
      "pulumi refresh -s prod --clear-pending-creates && pulumi up -s prod && pulumi destroy -s prod",
    );
    expect([served.account.servers.size, refused.includes(served.token)]).toEqual([4, false]);
    // A server that a destroy has just deleted stays in the list for a moment.
    polls = 0;
    const last = assertNoneLeft({ orders, owner }, cloud, {
      sleep: async () => {
        polls += 1;
        if (polls === 2) served.account.servers.clear();
      },
    });
    await last;
    expect(polls).toBe(2);
    expect([...served.account.tags].filter((tag) => tag.endsWith(":0a"))).toEqual([]);
  },
);
