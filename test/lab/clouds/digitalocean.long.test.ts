import { hostFromNothing } from "./hostFromNothing";

// The waits of the plugin, which are as long as the official one's.
process.env.PILLAR_LAB_DIGITALOCEAN_PACE = "0.1";

hostFromNothing("digitalocean", (url) => ({ "digitalocean:apiEndpoint": url }));
