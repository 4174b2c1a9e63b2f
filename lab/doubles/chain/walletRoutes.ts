import { z } from "zod";
import type { Chain } from "./chain";
import { addressSchema } from "./pillars";

const update = z.strictObject({ producerAddress: addressSchema });

/**
 * Answers the operator's wallet actions: `POST /wallet/pillars/NAME` and `POST /wallet/rewards/ADDRESS/collect`.
 * Returns undefined for any other route.
 * @throws Refused where the real network refuses
 */
export function answerWallet(
  chain: Chain,
  method: string | undefined,
  path: string,
  body: unknown,
): object | undefined {
  const [wallet, kind, rawName, ...action] = path.split("/").slice(1);
  if (wallet !== "wallet" || rawName === undefined) return undefined;
  const name = z.string().min(1).parse(decodeURIComponent(rawName));
  switch ([method, kind, ...action].join(" ")) {
    case "POST pillars":
      return chain.updateProducer(name, update.parse(body).producerAddress);
    case "POST rewards collect":
      return chain.collectRewards(addressSchema.parse(name));
    default:
      return undefined;
  }
}
