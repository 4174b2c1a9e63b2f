import { describe, expect, test } from "vitest";
import type { StatusParts } from "../../../../cli/status/parts/statusParts.ts";
import type { StackView } from "../../../../cli/status/stackView.ts";
import { formatParts, formatReport } from "../../../../cli/status/statusText.ts";
import { clock, createUnknownParts, old, ours, partsOf, registrations, unmet, viewOf } from "../../exampleView.ts";

const rowsOf = (parts: StatusParts, lifecycle: StackView["lifecycle"] = "active") =>
  formatParts(viewOf({ parts, lifecycle }), clock);
const rows = (registration: keyof typeof registrations, lifecycle?: StackView["lifecycle"]) =>
  rowsOf(partsOf(registrations[registration]), lifecycle)
    .slice(0, 2)
    .map(([, text]) => text);

describe("address and producing", () => {
  const own = `registered: Anvil has this host's address, ${ours} (since 2026-11-21 14:55 UTC or longer)`;
  const nobody = "not registered: no Pillar with the name Anvil is registered (pillar-host:pillar.name)";
  const counted =
    "yes, since momentum 77 (2026-11-21 15:04 UTC); 9 of 10 expected momentums of this epoch so far, by a count up to five minutes old";
  const stillOld = `not registered: Anvil is still registered with ${old}`;
  test.each<[keyof typeof registrations, string, string]>([
    ["earlier", stillOld, "no: another producer address is registered"],
    ["nobody", nobody, "no: nobody registered this Pillar"],
    ["unknown", "unknown: no node was asked", "unknown, because the registered address is unknown"],
    ["producing", own, counted],
    ["tooEarly", own, "no: a node that is not synced produces nothing"],
  ])("are shown for: %s", (registration, address, producing) => {
    expect(rows(registration)).toEqual([address, producing]);
  });

  const unknown = "unknown: another producer address is registered, and no recent momentum is of either address";
  const still =
    "this host stays elected for 5 to 10 minutes after the wallet update: keep it running until momentums carry the other address";
  test.each<[StackView["lifecycle"], boolean | undefined, string]>([
    ["adopted", true, `yes, still (momentum 90, 2026-11-21 15:04 UTC), with another address registered: ${still}`],
    ["adopted", false, "no: another producer address is registered"],
    ["adopted", undefined, `${unknown}; ${still}`],
    ["active", undefined, "no: another producer address is registered"],
  ])("describe an old host until momentums carry the other address: %s, %s", (lifecycle, isOurs, line) => {
    const last = isOurs === undefined ? undefined : { height: 90, at: clock - 60_000, isOurs };
    const parts = partsOf({ ...registrations.foreign, last });
    expect(rowsOf(parts, lifecycle)[1]?.[1]).toBe(line);
    expect(rows("foreign", "retiring")[0]).toBe(`not registered: Anvil has another host's address, ${old}`);
  });
});

test("shows the reason of every unknown part", () => {
  for (const lifecycle of ["active", "adopted", "retiring"] as const) {
    const found = rowsOf(createUnknownParts(lifecycle, "the host does not answer"), lifecycle);
    const labels = ["address", "producing", "orchestrator", "version", "rewards", "destroy"];
    expect(found.map(([label]) => label)).toEqual(labels);
    for (const [label, text] of found)
      if (!(label === "destroy" && lifecycle === "active")) expect(text).toBe("unknown: the host does not answer");
  }
});

test("shows and wraps every unmet condition of a destroy", () => {
  const parts = partsOf(registrations.foreign, { destroy: { value: [unmet] } });
  const report = formatReport(viewOf({ lifecycle: "adopted", parts, facts: undefined }), 80);
  expect(report).toContain(
    [
      "destroy       refused: 2 conditions are not met",
      "              - pillar-host:lifecycle is adopted",
      "                  needed: set pillar-host:lifecycle to retiring",
      "              - the rewards since the switch are not collected, says the",
      "                successor's node (203.0.113.9)",
      "                  found: paid since epoch 5, and not collected: 8.8 ZNN and 0",
      "                  QSR wait (collect them in the wallet)",
      "                  needed: collect them in the wallet",
    ].join("\n"),
  );
});

test("shows ports on one line, and a fix for each wrong port", () => {
  const rule = { port: 35997, what: "the node's RPC", wanted: "closed", listens: true } as const;
  const portRows = (seen: "open" | "filtered") =>
    rowsOf(partsOf(registrations.earlier, { ports: { value: [{ ...rule, seen }] } })).filter(
      ([label, text]) => label === "ports" || /35997/.test(text),
    );
  expect(portRows("filtered")).toEqual([["ports", "35997 no answer"]]);
  expect(portRows("open").slice(0, 3)).toEqual([
    ["ports", "35997 open (WRONG)"],
    ["", "35997/tcp, the node's RPC, is open to this machine; needed: closed to everybody"],
    ["", "    ufw: ufw delete allow 35997/tcp; ufw prepend deny 35997/tcp", "command"],
  ]);
});

test("removes control characters from every answer", () => {
  const problems = { orchestrator: { problem: "a\u001b[2Jb" }, rewards: { problem: "c\u0007d" } };
  const report = formatReport(viewOf({ parts: partsOf(registrations.earlier, problems) }), 120);
  expect(report).toContain("\norchestrator  unknown: a[2Jb\n");
  expect(report).toContain("\nrewards       unknown: cd\n");
});
