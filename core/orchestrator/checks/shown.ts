import type { BridgeNow } from "./bridgeNow";
import { size } from "./faultText";
import type { MoveSurvey, Requirements } from "./findings";
import { newVersion } from "./newFaults";

/** What an operator should see before the move: versions and state of both sides. */
export function shownOf(survey: MoveSurvey, wanted: Requirements): string[] {
  if ("problem" in survey.old || "problem" in survey.new) return [];
  const { facts, build, status, identity } = survey.old.value;
  const version =
    "value" in build ? `${build.value.version} (${build.value.gitCommit.slice(0, 8) || "no commit"})` : "not known";
  const next = newVersion(wanted, survey.new.value.build);
  const live = "value" in status && status.value ? status.value.stateName : "its build does not tell";
  const pillar = "value" in identity ? identity.value?.pillarName : undefined;
  return [
    `old side ${wanted.old.address}: ${version}, state: ${live}, ${facts.files} files, ${size(facts.bytes)}, key shares: ${facts.shares}`,
    `new side ${wanted.new.address}: ${next ?? "version not known before it runs"}, ${size(survey.new.value.facts.free)} free`,
    ...(pillar === undefined ? [] : [pillarLine(pillar)]),
    ...(survey.bridge.known || facts.shares === 0
      ? []
      : ["nobody tells the bridge's key: whether the old side's key share is of it is not known"]),
    ...bridgeShown(survey.bridge),
    ...(survey.new.value.scan.kind === "noScanner"
      ? ["the new host has no ssh-keyscan: the old host's key is compared when the copy begins"]
      : []),
    ...(facts.hasNodeKey ? [] : ["the old host's node has no producer key store of its own: none is backed up"]),
  ];
}

/** What the chain says of the bridge. Where nobody tells, the orchestrator's own word decides. */
export function bridgeShown(bridge: BridgeNow): string[] {
  if (!bridge.known)
    return [`the chain tells nothing of the bridge, so the orchestrator's own getStatus decides: ${bridge.why}`];
  return bridge.state === 0 ? [] : [bridge.why];
}

function pillarLine(pillar: string): string {
  if (pillar !== "notFound") return `old side signs for Pillar ${pillar}`;
  return "old side: no Pillar has its producer key by now; it signs on until the next key generation, not after it";
}
