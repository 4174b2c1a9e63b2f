import * as pulumi from "@pulumi/pulumi";
import { printableLines } from "../core/util/printable";

/** Tells the operator of a run. The one way out of the program: words of hosts, nodes and clouds may be in it. */
export const info = (text: string): Promise<void> => pulumi.log.info(printableLines(text));
/** Shows a line beside a resource, for as long as nothing newer comes. */
export const statusLine = (text: string, row: pulumi.Resource | undefined): Promise<void> =>
  pulumi.log.info(printableLines(text), row, undefined, true);
export const warn = (text: string): Promise<void> => pulumi.log.warn(printableLines(text));
