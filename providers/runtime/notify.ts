/** What a webhook is told of. */
export interface Notice {
  readonly event: "synced" | "stalled" | "over" | "deadline" | "registeredTooEarly" | "producing";
  readonly title: string;
  readonly message: string;
}

const tries = 3;
const limit = 10_000;

/** The request that tells it (pure): Slack reads `text`; ntfy fills the headers' templates from the body. */
export function noticeRequest(notice: Notice): { headers: Record<string, string>; body: string } {
  return {
    headers: {
      "content-type": "application/json",
      "x-template": "yes",
      "x-title": "{{.title}}",
      "x-message": "{{.message}}",
    },
    body: JSON.stringify({ ...notice, text: `${notice.title}\n${notice.message}` }),
  };
}

/**
 * Tells a webhook, three times at most. Never throws; its address is a secret and stays out of the reason.
 *
 * @param pause milliseconds between the tries
 * @returns undefined when it was taken, else why not
 */
export async function sendNotice(webhook: string, notice: Notice, pause = 2000): Promise<string | undefined> {
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
    const response = await fetch(webhook, {
      method: "POST",
      ...noticeRequest(notice),
      signal: AbortSignal.timeout(limit),
    });
    await response.body?.cancel();
    return response.ok ? undefined : `it answers ${response.status}`;
  } catch (error) {
    // The messages of fetch name the address: the code alone is shown.
    const { name, cause } = error as Error & { cause?: { code?: string } };
    return cause?.code ?? (name === "TimeoutError" ? `no answer within ${limit / 1000} s` : "no connection");
  }
}
