import { hostFromNothing } from "./hostFromNothing";

hostFromNothing("digitalocean");
