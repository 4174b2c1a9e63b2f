import type { CloudError, CloudHttp } from "./http";

/** Refuses a token that can only read: asks for the removal of what can't be there, which changes nothing. @throws CloudError */
export async function mayWrite(http: CloudHttp, path: string): Promise<void> {
  await http.remove(path).catch((error: CloudError) => {
    const isAboutThing = error.status >= 400 && error.status < 500 && ![401, 403, 429].includes(error.status);
    if (!isAboutThing) throw error;
  });
}
