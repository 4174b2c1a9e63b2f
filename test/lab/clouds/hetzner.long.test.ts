import { hostFromNothing } from "./hostFromNothing";

hostFromNothing("hetzner");
