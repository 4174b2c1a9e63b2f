import { hostFromNothing } from "./hostFromNothing";

hostFromNothing("hetzner", (url) => ({ "hcloud:endpoint": `${url}/v1` }));
