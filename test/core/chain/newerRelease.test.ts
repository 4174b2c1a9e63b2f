import { afterEach, expect, test, vi } from "vitest";
import { checkRelease } from "../../../cli/check/check.ts";
import { findNewerRelease } from "../../../core/chain/newerRelease.ts";

afterEach(() => vi.unstubAllGlobals());

let count = 0;
/** Asks for a release at this tag of a separate repository, with this answer of GitHub. */
async function asked(tag: string, answer: unknown, status = 200) {
  const body = typeof answer === "string" ? answer : JSON.stringify(answer);
  const fetched = vi.fn(async (..._request: unknown[]) => new Response(body, { status }));
  vi.stubGlobal("fetch", fetched);
  const repository = `someone/controller-${count++}`;
  const url = `https://github.com/${repository}/releases/download/${tag}/controller.zip`;
  return { repository, url, said: await findNewerRelease(url), fetched };
}

test("names a newer release with its page, also in check", async () => {
  const { said, repository, url, fetched } = await asked("v0.0.4-alpha", { tag_name: "v0.0.5" });
  expect(said).toBe(`v0.0.5, where v0.0.4-alpha is configured: https://github.com/${repository}/releases/tag/v0.0.5`);
  expect(fetched).toHaveBeenCalledExactlyOnceWith(
    `https://api.github.com/repos/${repository}/releases/latest`,
    expect.objectContaining({ redirect: "manual" }),
  );
  const [row] = await checkRelease("controller", { url });
  expect(row?.lines).toEqual([`${url} answers 200`, `newer release: ${said}`]);
});

test.each<[string, string, unknown, number]>([
  ["the same", "v0.0.4-alpha", { tag_name: "v0.0.4-alpha" }, 200],
  ["an older one", "v0.0.4", { tag_name: "v0.0.3" }, 200],
  ["none", "v0.0.4-alpha", { message: "Not Found" }, 404],
  ["a name that is no tag", "v0.0.4", { tag_name: "v9.0.0 \u001b[31m" }, 200],
  ["no JSON", "v0.0.4", "<html>", 200],
])("says nothing about %s", async (_what, tag, answer, status) => {
  expect((await asked(tag, answer, status)).said).toBeUndefined();
});

test.each([
  [404, ["needed: compare the address with the release page"]],
  [503, []],
  [429, []],
])("check names a wrong address only if there is no such file: %i", async (status, more) => {
  const { url } = await asked("v0.0.4", "page", status);
  const [row] = await checkRelease("node", { url });
  expect(row?.lines).toEqual([`${url} answers ${status}`, ...more]);
});

test("asks only for releases of GitHub", async () => {
  const { fetched } = await asked("v0.0.4", {});
  expect(await findNewerRelease("https://release.example/node-controller.zip")).toBeUndefined();
  expect(await findNewerRelease(undefined)).toBeUndefined();
  expect(fetched).toHaveBeenCalledOnce();
});
