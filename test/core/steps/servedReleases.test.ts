import { expect } from "vitest";
import { servedReleases } from "../../../core/steps/looks";
import { configOf } from "../../components/exampleConfig";
import { test } from "./boxed";
import type { Sandbox } from "./sandbox";

const releaseUrl = "https://r.example/c.zip";
/** A redirect, then the archive: as a release page answers. */
const headers = `
  HTTP/1.1 302 Found
  ETag: "page"
  Content-Length: 0
  Location: https://store.example/c.zip
  HTTP/1.1 200 OK
  ETag: "0x8D"
  Last-Modified: Sat, 21 Nov 2026 10:00:00 GMT
Remote file exists.`;

/** wget, which tells or gives what the test wants, and writes down what it was asked. */
function serve(box: Sandbox, { told = headers, archive = "PK\\x03\\x04\\x00rest", code = 0 } = {}): void {
  box.write("told", told);
  box.command(
    "wget",
    `echo "$*" >> "$sandbox/asked"
case " $* " in *" --spider "*) cat "$sandbox/told" >&2 ;; *) printf '${archive}' ;; esac; exit ${code}`,
  );
}

async function told(box: Sandbox, hashed?: "controller"): Promise<string[]> {
  const { script } = servedReleases(configOf({ controller: { release: { url: releaseUrl } } }), hashed);
  const { code, stdout, stderr } = await box.run(box.local(script));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout.trimEnd().split("\n");
}

test("nothing is asked for what is not installed", async ({ box }) => {
  serve(box);
  expect(await told(box)).toEqual(["end=yes"]);
  expect(box.read("asked")).toBeUndefined();
});

test("what is installed, and the server's word behind all redirects", async ({ box }) => {
  serve(box);
  box.mark("controller", `${releaseUrl} any\ncafe\n`);
  expect(await told(box)).toEqual([
    `controller.wanted=${releaseUrl} any`,
    "controller.installed=cafe",
    'controller.etag="0x8D"',
    "controller.modified=Sat, 21 Nov 2026 10:00:00 GMT",
    "end=yes",
  ]);
  expect(box.read("asked")).toMatch(/^--spider .* https:\/\/r\.example\/c\.zip\n$/);
});

test("a server that refuses to be asked for headers alone is asked for one byte, and tells the same", async ({
  box,
}) => {
  box.mark("controller", `${releaseUrl} any\ncafe\n`);
  box.command(
    "wget",
    `case " $* " in
*" --spider "*) printf '  HTTP/1.1 403 Forbidden\n  ETag: "refusal"\n' >&2; exit 8 ;;
*"Range: bytes=0-0"*) printf '  HTTP/1.1 206 Partial Content\n  ETag: "0x8D"\n  Content-Length: 1\n  Content-Range: bytes 0-0/9000\n' >&2 ;;
*) exit 1 ;; esac`,
  );
  expect((await told(box)).slice(2)).toEqual(['controller.etag="0x8D"', "controller.length=9000", "end=yes"]);
});

test("a server that does not answer says why, without secrets", async ({ box }) => {
  serve(box, { told: "Resolving …\nfailed: password hunter2 wrong.\n", code: 4 });
  box.mark("controller", `${releaseUrl} any\ncafe\n`);
  expect(await told(box)).toContain("controller.fault=failed: password [removed]");
});

test("the hash is that of all bytes, zeros too, and the download is kept nowhere", async ({ box }) => {
  serve(box);
  box.mark("controller", `${releaseUrl} any\ncafe\n`);
  const sum = (await box.run("printf 'PK\\x03\\x04\\x00rest' | sha256sum")).stdout.slice(0, 64);
  expect(await told(box, "controller")).toEqual([
    ...[`controller.wanted=${releaseUrl} any`, "controller.installed=cafe"],
    ...[`served.sha256=${sum}`, "served.first=504b0304", "end=yes"],
  ]);
  expect(box.read("asked")).toContain("-qO- ");
});

test("a download that broke off has no hash", async ({ box }) => {
  serve(box, { code: 4 });
  box.mark("controller", `${releaseUrl} any\ncafe\n`);
  expect((await told(box, "controller")).slice(2)).toEqual(["served.fault=wget ended with 4", "end=yes"]);
});
