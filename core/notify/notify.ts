import { systemClock } from "../util/clock.ts";
import { sendRequest } from "../util/sendRequest.ts";

export interface Notice {
  readonly event:
    | "synced"
    | "stalled"
    | "over"
    | "deadline"
    | "tooOld"
    | "failed"
    | "signerMoved"
    | "registeredTooEarly"
    | "registered"
    | "producing"
    | "retirementPossible"
    | "sign"
    | "signOver"
    | "reminder"
    | "test";
  readonly title: string;
  readonly message: string;
}

const maxAttempts = 3;
const requestTimeoutMs = 10_000;

/** Events that need the operator's attention. */
const urgent: readonly Notice["event"][] = ["stalled", "deadline", "tooOld", "failed", "registeredTooEarly", "sign"];

/** Characters that Discord takes in a message; Telegram and ntfy take 4096. */
const maxLength = 2000;

/**
 * Returns the request for any webhook: Slack and Telegram take the field `text`, Discord takes `content`, and ntfy fills
 * the templates of the headers from the body.
 */
export function createNoticeRequest(notice: Notice): { headers: Record<string, string>; body: string } {
  const priority = urgent.includes(notice.event) ? "high" : "default";
  const templates = { "x-template": "yes", "x-title": "{{.title}}", "x-message": "{{.message}}" };
  const text = `${notice.title}\n${notice.message}`.slice(0, maxLength);
  return {
    headers: { "content-type": "application/json", ...templates, "x-priority": priority },
    body: JSON.stringify({ ...notice, message: notice.message.slice(0, maxLength), text, content: text }),
  };
}

/**
 * Sends a notice, or just calls the address of a heartbeat, in three attempts at most. Returns the reason if it was not
 * accepted. Never throws, and never quotes the address, which is a secret.
 */
export async function sendNotice(address: string, notice?: Notice, retryDelayMs = 2000): Promise<string | undefined> {
  const request = notice ? { method: "POST", ...createNoticeRequest(notice) } : {};
  for (let attempt = 1; ; attempt += 1) {
    const reason = await sendRequest(address, request, requestTimeoutMs).then(
      ({ status }) => (status < 300 ? undefined : `it answers ${status}`),
      (error: Error) => error.message,
    );
    if (reason === undefined || attempt === maxAttempts) return reason;
    await systemClock.sleep(retryDelayMs);
  }
}
