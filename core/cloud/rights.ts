import type { CloudError, CloudHttp } from "./http";

/**
 * Refuses a token that can only read, without changing anything: asks for the removal of a thing that can't be there. Any
 * refusal that is about the thing comes from an API that would let this token remove another.
 *
 * @throws CloudError
 */
export async function mayWrite(http: CloudHttp, path: string): Promise<void> {
  await http.remove(path).catch((error: CloudError) => {
    const isAboutThing = error.status >= 400 && error.status < 500 && ![401, 403, 429].includes(error.status);
    if (!isAboutThing) throw error;
  });
}
