import { describe, expect, test } from "vitest";
import { ask, fault, get, type Json, order, useHetzner } from "./fixture";

useHetzner();

const plan = async (name: string): Promise<Json> => (await get(`/server_types?name=${name}`)).body.server_types[0];

describe("server types", () => {
  test("come in full", async () => {
    const found = await plan("cpx32");
    expect(found).toMatchObject({
      ...{ id: 110, name: "cpx32", description: "CPX32", category: "regular_purpose", cores: 4, memory: 8, disk: 160 },
      ...{ deprecated: false, deprecation: null, storage_type: "local", cpu_type: "shared", architecture: "x86" },
    });
    expect(found.prices[0]).toEqual({
      location: "fsn1",
      price_hourly: { net: "0.0545000000", gross: "0.0648550000000000" },
      price_monthly: { net: "33.9900000000", gross: "40.4481000000000000" },
      included_traffic: 21990232555520,
      price_per_tb_traffic: { net: "1.0000000000", gross: "1.1900000000000000" },
    });
    expect(found.locations).toEqual(
      [1, 2, 3, 6].map((id, at) => {
        const name = ["fsn1", "nbg1", "hel1", "sin"][at];
        return { id, name, available: true, recommended: true, deprecation: null };
      }),
    );
  });

  test("of the cheap family are listed as not to be had, as in autumn 2026; an order may come to pass all the same", async () => {
    const { locations } = await plan("cx33");
    expect(locations.map(({ name, available }: Json) => [name, available])).toEqual([
      ["fsn1", false],
      ["nbg1", false],
      ["hel1", false],
    ]);
    expect((await order({ server_type: "cx33" })).status).toBe(201);
    await fault({ kind: "noCapacity", serverType: "cx33", shows: "catalogue" });
    const refused = await order({ name: "other", server_type: "cx33" });
    expect([refused.status, refused.body.error.code]).toEqual([412, "resource_unavailable"]);
  });

  test("change their price, their availability, and go, on a test's command", async () => {
    const soon = { announced: "2026-11-01T00:00:00Z", unavailable_after: "2026-11-20T00:00:00Z" };
    await ask("PATCH", "/_lab/catalogue", {
      serverTypes: {
        cx33: { available: ["hel1"], monthly: { hel1: 7 } },
        cpx22: { deprecation: soon },
        cpx42: { gone: true },
      },
    });
    const cx33 = await plan("cx33");
    expect(cx33.locations.map(({ available }: Json) => available)).toEqual([false, false, true]);
    expect(cx33.prices.map(({ price_monthly }: Json) => price_monthly.net)).toEqual([
      "8.4900000000",
      "8.4900000000",
      "7.0000000000",
    ]);
    expect(await plan("cpx22")).toMatchObject({ deprecated: true, deprecation: soon });
    expect((await order({ server_type: "cpx22" })).body.error.details.fields[0].messages).toEqual([
      "server type 109 is deprecated",
    ]);
    expect(await plan("cpx42")).toBeUndefined();
    expect((await ask("PATCH", "/_lab/catalogue", { serverTypes: { cx99: { gone: true } } })).status).toBe(422);
  });

  test("cost in /pricing what they cost here", async () => {
    const { pricing } = (await get("/pricing")).body;
    expect(pricing).toMatchObject({
      currency: "EUR",
      vat_rate: "19.000000",
      server_backup: { percentage: "20.0000000000" },
    });
    expect(pricing.server_types.find(({ name }: Json) => name === "cpx32").prices).toEqual(
      (await plan("cpx32")).prices,
    );
    expect(pricing.primary_ips[0].prices[0].price_monthly.net).toBe("0.5000000000");
  });
});

test("locations are six, and datacenters are gone since October 2026", async () => {
  const { locations } = (await get("/locations")).body;
  expect(locations.map(({ name }: Json) => name)).toEqual(["fsn1", "nbg1", "hel1", "ash", "hil", "sin"]);
  expect((await get("/locations/1")).body.location).toEqual(locations[0]);
  const gone = await get("/datacenters?page=1");
  expect([gone.status, gone.body.error.code]).toEqual([410, "deprecated_api_endpoint"]);
});

describe("images", () => {
  const names = async (query: string): Promise<string[]> =>
    (await get(`/images?${query}`)).body.images.map(({ name, architecture }: Json) => `${name} ${architecture}`);

  test("are filtered by name, architecture, type and status", async () => {
    expect(await names("name=debian-11")).toEqual(["debian-11 x86", "debian-11 arm"]);
    expect(await names("name=debian-11&architecture=x86")).toEqual(["debian-11 x86"]);
    expect(await names("type=app")).toEqual(["docker-ce x86"]);
    expect(await names("status=creating")).toEqual([]);
  });

  test("that are deprecated show only on request, and can still be used; gone ones cannot", async () => {
    const deprecation = { announced: "2026-11-01T00:00:00Z", unavailable_after: "2027-02-01T00:00:00Z" };
    await ask("PATCH", "/_lab/catalogue", { images: { "debian-11": { deprecation }, "debian-12": { gone: true } } });
    expect(await names("name=debian-11")).toEqual([]);
    expect(await names("name=debian-11&architecture=x86&include_deprecated=true")).toEqual(["debian-11 x86"]);
    expect((await order()).body.server.image).toMatchObject({ deprecated: "2026-11-01T00:00:00Z", deprecation });
    expect((await order({ name: "other", image: "debian-12" })).status).toBe(404);
  });

  test("fit the architecture or are refused", async () => {
    const arm = (await get("/images?name=debian-11&architecture=arm")).body.images[0];
    expect((await order({ image: arm.id })).body.error.code).toBe("invalid_input");
  });
});
