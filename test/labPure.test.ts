import { describe, expect, test } from "vitest";
import { stageTimes } from "../lab/demo/stageTimes";
import { createHostNetwork } from "../lab/hosts/network";
import { isImmutable } from "../lab/images/aptProxy";
import { parseMirror } from "../lab/images/mirror";

describe("network", () => {
  test("no command of a host's network touches the machine's own namespace", () => {
    const commands = createHostNetwork("demo", "host2", 1).map((command) => command.join(" "));
    expect(commands).toEqual([
      "netns add pillar-demo-host2",
      "-n pillar-demo link add veth1 type veth peer name host0 netns pillar-demo-host2",
      "-n pillar-demo link set veth1 master br0 up",
      "-n pillar-demo-host2 addr add 10.77.0.12/24 dev host0",
      "-n pillar-demo-host2 link set host0 up",
      "-n pillar-demo-host2 link set lo up",
      "-n pillar-demo-host2 route add default via 10.77.0.1",
    ]);
  });
});

describe("the mirror", () => {
  test.each([
    [
      "http://m/debian/\nhttp://m/debian-security/\n",
      { debian: "http://m/debian", security: "http://m/debian-security" },
    ],
    ["https://x/debian", { debian: "https://x/debian", security: "https://x/debian-security" }],
  ])("is parsed: %j", (targets, mirror) => expect(parseMirror(targets)).toEqual(mirror));

  test.each(["", "http://m/ubuntu/"])("is missing, with what to do: %j", (targets) => {
    expect(() => parseMirror(targets)).toThrow(/no Debian mirror .*\nAdd a Debian mirror to the apt sources/);
  });

  test.each([
    ["/debian/pool/main/u/unzip/unzip_6.0.deb", true],
    ["/debian/dists/bullseye/main/by-hash/SHA256/ab", true],
    ["/debian/dists/bullseye/InRelease", false],
    ["/debian/pool/main/u/unzip/", false],
  ])("may keep %s: %s", (path, immutable) => expect(isImmutable(path)).toBe(immutable));
});

test("takes stage times from the engine's events, in order, without unfinished ones", () => {
  const before = (name: string, timestamp: number) => ({
    timestamp,
    resourcePreEvent: { metadata: { urn: `urn:pulumi:s::p::t::${name}`, op: "create" } },
  });
  const after = (name: string, timestamp: number) => ({
    timestamp,
    resOutputsEvent: { metadata: { urn: `urn:pulumi:s::p::t::${name}` } },
  });
  const log = [before("a", 10), before("b", 11), after("b", 14), after("a", 20), before("c", 21), { timestamp: 22 }];
  expect(stageTimes(log.map((event) => JSON.stringify(event)).join("\n"))).toEqual([
    { name: "b", milliseconds: 3000 },
    { name: "a", milliseconds: 10000 },
  ]);
});
