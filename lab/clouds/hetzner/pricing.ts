import { places } from "./places";
import { extras, type Plan, traffic } from "./plans";

/** An amount as the API writes it. */
export function money(net: number): { net: string; gross: string } {
  const gross = (net * (100 + extras.vatRate)) / 100;
  return { net: net.toFixed(10), gross: `${gross.toFixed(10)}000000` };
}

// An hour costs a 624th of a month: the most that a month can come to.
const hourly = (monthly: number) => money(Math.ceil((monthly / 624) * 10_000) / 10_000);

/** A server type's prices, by location. */
export function planPrices({ prices }: Plan): object[] {
  return Object.entries(prices).map(([location, monthly]) => ({
    location,
    price_hourly: hourly(monthly),
    price_monthly: money(monthly),
    included_traffic: traffic(location).included,
    price_per_tb_traffic: money(traffic(location).perTb),
  }));
}

/** GET /pricing. Load balancers are not for sale here. */
export function pricing(plans: readonly Plan[]): object {
  const everywhere = (monthly: number) =>
    places.map(({ name }) => ({ location: name, price_hourly: hourly(monthly), price_monthly: money(monthly) }));
  return {
    currency: "EUR",
    vat_rate: extras.vatRate.toFixed(6),
    image: { price_per_gb_month: money(extras.imageGb) },
    floating_ip: { price_monthly: money(extras.floatingIpv4) },
    floating_ips: [{ type: "ipv4", prices: everywhere(extras.floatingIpv4) }],
    primary_ips: [
      { type: "ipv4", prices: everywhere(extras.ipv4) },
      { type: "ipv6", prices: everywhere(0) },
    ],
    traffic: { price_per_tb: money(0) },
    server_backup: { percentage: extras.backupPercent.toFixed(10) },
    server_types: plans.map((plan) => ({ id: plan.id, name: plan.name, prices: planPrices(plan) })),
    load_balancer_types: [],
    volume: { price_per_gb_month: money(extras.volumeGb) },
  };
}
