import { expect, test } from "vitest";
import { createHostNetwork } from "../lab/hosts/network";
import { isImmutable } from "../lab/images/aptProxy";
import { parseMirror } from "../lab/images/mirror";

test("no command of a host's network touches the machine's own namespace", () => {
  const commands = createHostNetwork("demo", "host2", 1).map((command) => command.join(" "));
  expect(commands.length).toBeGreaterThan(5);
  expect(commands.filter((each) => !/^(netns add pillar-demo-host2$|-n pillar-demo(-host2)? )/.test(each))).toEqual([]);
});

test.each([
  [
    "http://m/debian/\nhttp://m/debian-security/\n",
    { debian: "http://m/debian", security: "http://m/debian-security" },
  ],
  ["https://x/debian", { debian: "https://x/debian", security: "https://x/debian-security" }],
])("the mirror is parsed: %j", (targets, mirror) => expect(parseMirror(targets)).toEqual(mirror));

test.each(["", "http://m/ubuntu/"])("the mirror is missing, with what to do: %j", (targets) => {
  expect(() => parseMirror(targets)).toThrow(/no Debian mirror .*\nAdd a Debian mirror to the apt sources/);
});

test.each([
  ["/debian/pool/main/u/unzip/unzip_6.0.deb", true],
  ["/debian/dists/bullseye/main/by-hash/SHA256/ab", true],
  ["/debian/dists/bullseye/InRelease", false],
  ["/debian/pool/main/u/unzip/", false],
])("the mirror may keep %s: %s", (path, immutable) => expect(isImmutable(path)).toBe(immutable));
