import { ask } from "../util/ask";

export interface Notice {
  readonly event:
    | "synced"
    | "stalled"
    | "over"
    | "deadline"
    | "failed"
    | "signerMoved"
    | "registeredTooEarly"
    | "registered"
    | "producing"
    | "rewardsDue"
    | "retirementPossible"
    | "sign"
    | "signOver"
    | "test";
  readonly title: string;
  readonly message: string;
}

/** Whose services want a form of their own. */
type Service = "Telegram" | "Slack" | "ntfy, or another";

const tries = 3;
const limit = 10_000;

/** Somebody has to look. */
const urgent: readonly Notice["event"][] = ["stalled", "deadline", "failed", "registeredTooEarly", "sign"];

/** Returns the service whose form an address needs. */
export function serviceOf(webhook: string): Service {
  if (!URL.canParse(webhook)) return "ntfy, or another";
  const { hostname } = new URL(webhook);
  if (hostname === "api.telegram.org") return "Telegram";
  return hostname === "hooks.slack.com" ? "Slack" : "ntfy, or another";
}

/** Returns what an address lacks that its service needs, or undefined. Without the address, a secret. */
export function webhookFault(webhook: string): string | undefined {
  if (serviceOf(webhook) !== "Telegram") return undefined;
  const { pathname, searchParams } = new URL(webhook);
  if (/^\/bot[^/]+\/sendMessage$/.test(pathname) && searchParams.get("chat_id")) return undefined;
  return "Telegram's address is https://api.telegram.org/botTOKEN/sendMessage?chat_id=CHAT";
}

/**
 * The request that tells it, in the form of the address's service. An unknown one may be ntfy, which fills its
 * headers' templates from the body; whoever reads JSON has all of it there.
 */
export function noticeRequest(webhook: string, notice: Notice): { headers: Record<string, string>; body: string } {
  const text = `${notice.title}\n${notice.message}`;
  const json = { "content-type": "application/json" };
  switch (serviceOf(webhook)) {
    case "Telegram":
      return { headers: json, body: JSON.stringify({ chat_id: new URL(webhook).searchParams.get("chat_id"), text }) };
    case "Slack":
      return { headers: json, body: JSON.stringify({ text }) };
    default:
      return {
        headers: {
          ...json,
          "x-template": "yes",
          "x-title": "{{.title}}",
          "x-message": "{{.message}}",
          ...(urgent.includes(notice.event) ? { "x-priority": "high" } : {}),
        },
        body: JSON.stringify({ ...notice, text }),
      };
  }
}

/**
 * Tells a webhook, three times at most. Never throws; its address is a secret and stays out of the reason.
 *
 * @param pause milliseconds between the tries
 * @returns undefined when it was taken, else why not
 */
export async function sendNotice(webhook: string, notice: Notice, pause = 2000): Promise<string | undefined> {
  const fault = webhookFault(webhook);
  if (fault !== undefined) return fault;
  let reason: string | undefined;
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    reason = await post(webhook, notice);
    if (reason === undefined) return undefined;
    if (attempt < tries) await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return reason;
}

async function post(webhook: string, notice: Notice): Promise<string | undefined> {
  try {
    const { status } = await ask(webhook, { method: "POST", ...noticeRequest(webhook, notice) }, limit);
    return status < 300 ? undefined : `it answers ${status}`;
  } catch (error) {
    return (error as Error).message;
  }
}
