import * as pulumi from "@pulumi/pulumi";
import { printableLines } from "../core/util/printable";

/** Tells the operator of a run. The one way out of the program: words of hosts, nodes and clouds may be in it. */
export const info = (text: string): Promise<void> => pulumi.log.info(printableLines(text));
export const warn = (text: string): Promise<void> => pulumi.log.warn(printableLines(text));
