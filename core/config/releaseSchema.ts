import { z } from "zod";
import { sha256, webAddress } from "./schemaParts";

export const releaseSchema = <Version extends z.ZodType<string | undefined>>(
  what: string,
  file: string,
  version: Version,
  otherwise = "",
) =>
  z
    .strictObject({
      url: webAddress(`needed an http or https address of ${what}`).describe(
        `The address of ${what}; https, or http with \`sha256\``,
      ),
      sha256: sha256(file).meta({ description: `The hash of the ${file}, from its release page`, otherwise }),
      version,
    })
    .refine(({ url, sha256 }: ReleaseSource) => !/^http:/i.test(url) || sha256 !== undefined, {
      path: ["sha256"],
      message: `needed because the address is plain http: the ${file} runs as root, and anybody on the network path could replace it`,
    });

export interface ReleaseSource {
  readonly url: string;
  readonly sha256?: string | undefined;
  readonly version?: string | undefined;
}

/** Formats a release's marker on the host. If the marker differs, the release is installed again. */
export const formatReleaseMarker = ({ url, sha256, version }: ReleaseSource) =>
  [url, sha256 ?? "any", ...(version === undefined ? [] : [version])].join(" ");
