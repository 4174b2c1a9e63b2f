import fc from "fast-check";
import { expect, test } from "vitest";
import { parseConnections } from "../../../../core/host/facts.ts";
import { adaptConfig } from "../../../../core/orchestrator/rules/adaptConfig.ts";
import { findConnectionsTo, listEndpoints } from "../../../../core/orchestrator/rules/endpoints.ts";

type Bytes = readonly [number, number, number, number];

const join = (bytes: Bytes) => bytes.reduce((left, byte) => left * 256 + byte, 0);
const groupsOf = (bytes: Bytes) =>
  [bytes[0] * 256 + bytes[1], bytes[2] * 256 + bytes[3]].map((each) => each.toString(16));

/** Spellings of an IPv4 address that Go, glibc or a URL's parser accepts. */
const v4Spellings: readonly ((bytes: Bytes) => string)[] = [
  (bytes) => bytes.join("."),
  (bytes) => `${bytes.join(".")}.`,
  (bytes) => `0x${join(bytes).toString(16).padStart(8, "0")}`,
  (bytes) => `0X${join(bytes).toString(16).toUpperCase()}`,
  (bytes) => String(join(bytes)),
  (bytes) => bytes.map((byte) => `0${byte.toString(8)}`).join("."),
  (bytes) => bytes.map((byte) => `0x${byte.toString(16)}`).join("."),
  (bytes) => `[::ffff:${bytes.join(".")}]`,
  (bytes) => `[::FFFF:${groupsOf(bytes).join(":")}]`,
  (bytes) => `[0:0:0:0:0:ffff:${groupsOf(bytes).join(":")}]`,
];

/** Spellings of the IPv6 address 2001:db8::NUMBER. */
const v6Spellings: readonly ((number: number) => string)[] = [
  (number) => `[2001:db8::${number.toString(16)}]`,
  (number) => `[2001:DB8::${number.toString(16).toUpperCase()}]`,
  (number) => `[2001:db8:0:0:0:0:0:${number.toString(16)}]`,
  (number) => `[2001:0db8:0000::0000:${number.toString(16).padStart(4, "0")}]`,
];

const bytes = fc.tuple(fc.integer({ min: 128, max: 223 }), fc.nat(255), fc.nat(255), fc.nat(255));
const nameSpellings = ["old.example.net", "OLD.Example.Net", "old.example.net."];
const own = { v4: [203, 0, 113, 5] as const, v6: 7, name: "old.example.net" };
const ownAddresses = [own.v4.join("."), "2001:db8:0::7", own.name];
const loopbacks = ["localhost", "127.0.0.1", "[::1]", "127.1", "0.0.0.0", "LOCALHOST"];
const hosts = fc.oneof(
  fc.tuple(fc.oneof(fc.constant(own.v4), bytes), fc.constantFrom(...v4Spellings)).map(([at, spell]) => spell(at)),
  fc.tuple(fc.constantFrom(own.v6, 8, 0x7f), fc.constantFrom(...v6Spellings)).map(([at, spell]) => spell(at)),
  fc.constantFrom(
    ...nameSpellings,
    ...loopbacks,
    "node.example",
    "old.example.net.example",
    "203.0.113.50",
    "203.0.113.5.example",
  ),
);
const urls = fc.record({
  scheme: fc.constantFrom("ws", "wss", "http", "https", "WS"),
  user: fc.constantFrom("", "me@", "me:pw@", "me:p%40w@", "203.0.113.5:pw@", "a:b@c@", ":pw@"),
  host: hosts,
  port: fc.constantFrom("", ":35998", ":80", ":443", ":0035998"),
  rest: fc.constantFrom("", "/", "/v3/KEY", "/a/../b?x=//203.0.113.5/#y", "?at=me@203.0.113.5", "/ws://203.0.113.5:1/"),
});

test("rewrites a node's URL exactly if its host is the old one, however it is written, and nothing else", () => {
  fc.assert(
    fc.property(fc.array(urls, { maxLength: 4 }), (list) => {
      const textOf = (each: (typeof list)[number], host = each.host) =>
        `${each.scheme}://${each.user}${host}${each.port}${each.rest}`;
      const config = {
        EvmAddress: "203.0.113.5",
        Networks: { Zenon: { Urls: list.map((each) => textOf(each)), FilterQuerySize: 2000 } },
        TssConfig: { Bootstrap: "/ip4/203.0.113.5/tcp/55055/p2p/12D3KooW", Note: "see ws://203.0.113.5:35998" },
      };
      const endpoints = listEndpoints(config, ownAddresses);
      expect(endpoints).toHaveLength(list.length);
      const written = list.map((each, index) => {
        const url = new URL(textOf(each));
        const isLoopback = /^(localhost|127\.|0\.0\.0\.0|\[::1\])/.test(url.hostname);
        const { isOwn, new: next } = endpoints[index] ?? {};
        // A loopback address is this host on either host, and stays as it is written.
        const isMoved = isOwn === true && !isLoopback;
        expect(next?.startsWith("127.0.0.1:")).toBe(isMoved || url.hostname === "127.0.0.1");
        return isMoved ? textOf(each, "127.0.0.1") : textOf(each);
      });
      const adapted = adaptConfig(JSON.stringify(config), "/new", ownAddresses);
      const expected = { ...config, Networks: { Zenon: { ...config.Networks.Zenon, Urls: written } } };
      expect(JSON.parse(adapted.config)).toEqual(expected);
      for (const [index, url] of written.entries())
        expect(new URL(url).hostname === "127.0.0.1", url).toBe(endpoints[index]?.new.startsWith("127.0.0.1:"));
      expect(listEndpoints(expected, ownAddresses).filter((each) => each.old !== each.new)).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});

test.for([
  ...v4Spellings.map((spell) => spell(own.v4)),
  ...v6Spellings.map((spell) => spell(own.v6)),
  ...nameSpellings,
])("knows %s as an address of the old host", (host) => {
  const text = JSON.stringify({ Networks: { Zenon: { Urls: [`ws://me:pw@${host}:35998/x`] } } });
  const endpoint = { network: "Zenon", new: "127.0.0.1:35998", isOwn: true };
  expect(listEndpoints(JSON.parse(text), ownAddresses)).toEqual([expect.objectContaining(endpoint)]);
  expect(adaptConfig(text, "/new", ownAddresses).config).toContain('"ws://me:pw@127.0.0.1:35998/x"');
});

test("rewrites a URL whose host no usual reader finds", () => {
  const text = JSON.stringify({ Urls: ["ws:203.0.113.5:35998/x", "ws:\\\\203.0.113.5\\x", "ws:///203.0.113.5"] });
  const { config } = adaptConfig(text, "/new", ownAddresses);
  const hostsOf = (JSON.parse(config) as { Urls: string[] }).Urls.map((url) => new URL(url).host);
  expect(hostsOf).toEqual(["127.0.0.1:35998", "127.0.0.1", "127.0.0.1"]);
});

test("reads connections as the kernel prints them, and finds those to a host in any spelling", () => {
  const fields = [
    ["connection", "057100CB:8C9E"],
    ["connection", "0000000000000000FFFF0000057100CB:0050"],
    ["connection", "B80D0120000000000000000007000000:8C9E"],
    ["connection", "0100007F:8C9E"],
    ["connection", "; rm -rf /"],
    ["other", "057100CB:8C9F"],
  ] as const;
  const connections = parseConnections(fields);
  expect(connections).toHaveLength(4);
  expect(findConnectionsTo(connections, ["203.0.113.5"])).toEqual(["203.0.113.5:35998", "203.0.113.5:80"]);
  expect(findConnectionsTo(connections, ["2001:DB8:0::7"])).toEqual(["[2001:db8::7]:35998"]);
  expect(findConnectionsTo(connections, ["203.0.113.6"])).toEqual([]);
});
