import { formatSize } from "../../util/sizeText";
import type { BridgeNow } from "./bridgeState";
import type { MoveSurvey, Requirements } from "./moveSurvey";
import { chooseNewVersion } from "./newHostProblems";

export function formatSurvey(survey: MoveSurvey, wanted: Requirements): string[] {
  if ("problem" in survey.old || "problem" in survey.new) return [];
  const { facts, build, status, identity } = survey.old.value;
  const version =
    "value" in build ? `${build.value.version} (${build.value.gitCommit.slice(0, 8) || "no commit"})` : "not known";
  const next = chooseNewVersion(wanted, survey.new.value.build);
  const live = "value" in status && status.value ? status.value.stateName : "not reported by its build";
  const pillar = "value" in identity ? identity.value?.pillarName : undefined;
  const lines = [
    `old host ${wanted.old.address}: ${version}, state: ${live}, ${facts.files} files, ${formatSize(facts.bytes)}, key shares: ${facts.shares}`,
    `new host ${wanted.new.address}: ${next ?? "version not known before it runs"}, ${formatSize(survey.new.value.facts.free)} free`,
  ];
  if (pillar !== undefined) lines.push(pillarLine(pillar));
  if (!survey.bridge.known && facts.shares > 0)
    lines.push("no node tells the bridge's key, so the old host's key share could not be compared with it");
  lines.push(...formatBridgeState(survey.bridge));
  if (!facts.hasNodeKey) lines.push("the old host's node has no producer key store of its own: none is backed up");
  return lines;
}

/** Formats the bridge's state on the chain; no line if it is live. */
export function formatBridgeState(bridge: BridgeNow): string[] {
  if (!bridge.known)
    return [`no node tells the bridge's state, so the orchestrator's own getStatus decides: ${bridge.why}`];
  return bridge.state === 0 ? [] : [bridge.why];
}

function pillarLine(pillar: string): string {
  if (pillar !== "notFound") return `old host signs for Pillar ${pillar}`;
  return "old host: no Pillar has the orchestrator's producer key any more; the orchestrator signs until the next key generation, not after it";
}
