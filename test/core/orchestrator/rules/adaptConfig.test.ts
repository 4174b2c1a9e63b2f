import fc from "fast-check";
import { expect, test } from "vitest";
import { adaptConfig } from "../../../../core/orchestrator/rules/adaptConfig.ts";

const text = `{
  "DataPath" : "/old/.orchestrator", "GlobalState": 12345678901234567890,
  "Znn": {"Url": "ws:\\/\\/198.51.100.7:35998", "Other": ["http://[2001:db8::7]/x", "http://198.51.100.70:1"]},
  "TssConfig": {"BaseDir": "/old/.orchestrator/tss", "Secret": "a://198.51.100.7.example/ \\u00e9"}
}
`;

test("replaces only the paths and addresses of the machine that it leaves", () => {
  expect(adaptConfig(text, "/new", ["198.51.100.7", "2001:db8::7"])).toEqual({
    config: text
      .replace('"/old/.orchestrator"', '"/new"')
      .replace("/old/.orchestrator/tss", "/new/tss")
      .replace("ws:\\/\\/198.51.100.7:35998", "ws://127.0.0.1:35998")
      .replace("[2001:db8::7]/x", "127.0.0.1/x"),
    changed: ["198.51.100.7:35998 becomes 127.0.0.1:35998", "2001:db8::7:80 becomes 127.0.0.1:80"],
  });
  const { config } = adaptConfig(text, "/new", ["198.51.100.7"]);
  expect(adaptConfig(config, "/new", ["198.51.100.7"])).toEqual({ config, changed: [] });
});

test("leaves any other JSON as it is", () => {
  fc.assert(
    fc.property(fc.json(), fc.string(), (json, address) => {
      const { config } = adaptConfig(json, "/new", [address]);
      if (!json.includes("://") && !/DataPath|BaseDir/.test(json)) expect(config).toBe(json);
      JSON.parse(config);
    }),
  );
});

test("ignores keys that every object inherits, and refuses what is no JSON", () => {
  const inherited = '[{"toString":"","constructor":"x"}]';
  expect(adaptConfig(inherited, "/new", [])).toEqual({ config: inherited, changed: [] });
  expect(() => adaptConfig('{"DataPath": "/x"', "/new", [])).toThrow();
});

// Go takes the last key, in any case: encoding/json, "preferring exact matches but also accepting case-insensitive matches".
test.each(['"datapath": "/etc"', '"DataPath": "/etc"', '"T\\u017fsConfig": {}', '"x": {"baseDir": "/etc/cron.d"}'])(
  "refuses a key that Go reads in another way: %s",
  (more) => {
    expect(() => adaptConfig(text.replace(/\}\n$/, `, ${more}}\n`), "/new", [])).toThrow(
      /read its config\.json in another way.*: it was not started\n {2}found: the key "/,
    );
  },
);
