import { systemClock } from "../util/clock";
import { sendRequest } from "../util/sendRequest";

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
    | "retirementPossible"
    | "sign"
    | "signOver"
    | "test";
  readonly title: string;
  readonly message: string;
}

type Service = "Telegram" | "Slack" | "ntfy and others";

const maxAttempts = 3;
const requestTimeoutMs = 10_000;

/** Events that need the operator's attention. */
const urgent: readonly Notice["event"][] = ["stalled", "deadline", "failed", "registeredTooEarly", "sign"];

export function detectService(webhook: string): Service {
  if (!URL.canParse(webhook)) return "ntfy and others";
  const { hostname } = new URL(webhook);
  if (hostname === "api.telegram.org") return "Telegram";
  return hostname === "hooks.slack.com" ? "Slack" : "ntfy and others";
}

/** Returns the problem of a webhook's address, if its service is known. Never quotes the address, which is a secret. */
export function findWebhookFault(webhook: string): string | undefined {
  if (detectService(webhook) !== "Telegram") return undefined;
  const { pathname, searchParams } = new URL(webhook);
  if (/^\/bot[^/]+\/sendMessage$/.test(pathname) && searchParams.get("chat_id")) return undefined;
  return "a Telegram webhook has the form https://api.telegram.org/botTOKEN/sendMessage?chat_id=CHAT";
}

/**
 * Returns the request that the webhook's service expects. An unknown service may be ntfy, which fills the templates of
 * the headers from the JSON body; any other receiver reads the body alone.
 */
export function createNoticeRequest(
  webhook: string,
  notice: Notice,
): { headers: Record<string, string>; body: string } {
  const text = `${notice.title}\n${notice.message}`;
  const json = { "content-type": "application/json" };
  const service = detectService(webhook);
  if (service === "Slack") return { headers: json, body: JSON.stringify({ text }) };
  if (service === "Telegram")
    return { headers: json, body: JSON.stringify({ chat_id: new URL(webhook).searchParams.get("chat_id"), text }) };
  const templates = { "x-template": "yes", "x-title": "{{.title}}", "x-message": "{{.message}}" };
  const priority = urgent.includes(notice.event) ? "high" : "default";
  return { headers: { ...json, ...templates, "x-priority": priority }, body: JSON.stringify({ ...notice, text }) };
}

/**
 * Sends a notice, in three attempts at most. Returns the reason if the webhook did not accept it. Never throws, and
 * never quotes the address, which is a secret.
 */
export async function sendNotice(webhook: string, notice: Notice, retryDelayMs = 2000): Promise<string | undefined> {
  const fault = findWebhookFault(webhook);
  if (fault !== undefined) return fault;
  const request = { method: "POST", ...createNoticeRequest(webhook, notice) };
  for (let attempt = 1; ; attempt += 1) {
    const reason = await sendRequest(webhook, request, requestTimeoutMs).then(
      ({ status }) => (status < 300 ? undefined : `it answers ${status}`),
      (error: Error) => error.message,
    );
    if (reason === undefined || attempt === maxAttempts) return reason;
    await systemClock.sleep(retryDelayMs);
  }
}
