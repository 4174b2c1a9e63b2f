import * as pulumi from "@pulumi/pulumi";
import { printableLines } from "../core/util/printable";

/** Prints a message. All output goes through this file and is cleaned: it may quote a host, a node or a provider. */
export const info = (text: string): Promise<void> => pulumi.log.info(printableLines(text));
/** Shows a line beside a resource until a newer one replaces it. */
export const createStatusLine = (text: string, row: pulumi.Resource | undefined): Promise<void> =>
  pulumi.log.info(printableLines(text), row, undefined, true);
export const warn = (text: string): Promise<void> => pulumi.log.warn(printableLines(text));
