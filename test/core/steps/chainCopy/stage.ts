import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatAssignments } from "../../../../core/ssh/shellWords.ts";
import { readChainCopyLibrary } from "../../../../core/steps/libraries.ts";
import { test as boxed, type Ran, type Sandbox } from "../sandbox.ts";

/** systemd's answers for a unit that is active while a file says so; a start heeds the drop-in's condition. */
const systemctl = `
case " $* " in *" --quiet "*) exec > /dev/null ;; esac
case $1 in
  is-active) if [ -e "$sandbox/active" ]; then echo active; else echo inactive; exit 3; fi ;;
  show) echo 0 ;;
  enable) mkdir -p "$sandbox/units/multi-user.target.wants" && : > "$sandbox/units/multi-user.target.wants/$3" ;;
  stop) rm -f "$sandbox/active" ;;
  start)
    case $2 in *-end.service) exit 0 ;; esac
    drop=$sandbox/units/go-node.service.d/91-pillar-host-chain-copy.conf
    [ ! -e "$sandbox/active" ] || exit 0
    [ ! -e "$drop" ] || [ ! -e "$(sed -n 's/^ConditionPathExists=!//p' "$drop")" ] || exit 0
    printf '%s\\n' "$(cat "$sandbox/data/nom/MANIFEST-000001" "$sandbox/data/consensus/MANIFEST-000001")" >> "$sandbox/started"
    : > "$sandbox/active" ;;
esac`;

/** A host on which the real functions of the copy run, as anybody, in a directory. */
export interface ChainStage {
  readonly box: Sandbox;
  readonly data: string;
  /** Calls a function as the owner of the host's copy. */
  call(name: string, more?: Readonly<Record<string, string>>, before?: string): Promise<Ran>;
  /** Puts databases below a directory whose files say whose they are. */
  databases(place: string, whose: string, names?: readonly string[]): void;
  /** Returns the owner of each database below a directory. */
  whose(place: string): Record<string, string>;
  /** Lists the files that this program left in the data directory. */
  left(): string[];
}

function open(box: Sandbox): ChainStage {
  const data = join(box.dir, "data");
  for (const place of [data, join(box.dir, "run"), join(box.dir, "units")]) mkdirSync(place);
  box.command("systemctl", systemctl);
  const functions = box.library(readChainCopyLibrary());
  const variables = {
    token: "t1",
    side: "new",
    stack_identity: "pillar-host/prod Anvil",
    service: "go-node",
    data_dir: data,
    rpc_address: "127.0.0.1",
    rpc_port: "35997",
    start_seconds: "1",
    login_user: "root",
    momentum_seconds: "1",
    quiet_seconds: "0",
    limit_mbps: "0",
  };
  return {
    box,
    data,
    call: (name, more = {}, before = "") =>
      box.run(
        `${functions}\n${formatAssignments({ ...variables, ...more })}wait_for_node() { service_is_active go-node; }
copy_take_back() { :; }
${before}
${name === "chain_take" ? "" : "( chain_take > /dev/null )\n"}( ${name} ) < /dev/null\n`,
      ),
    databases: (place, whose, names = ["nom", "consensus"]) => {
      for (const name of names) {
        mkdirSync(join(place, name), { recursive: true });
        const manifest = { CURRENT: "MANIFEST-000001\n", "MANIFEST-000001": whose };
        const files = { ...manifest, "000002.ldb": `${whose} ${name}`, "000003.log": "" };
        for (const [file, text] of Object.entries(files)) writeFileSync(join(place, name, file), text);
      }
    },
    whose: (place) => {
      const file = (name: string) => join(place, name, "MANIFEST-000001");
      const names = ["nom", "consensus", "cache"].filter((name) => existsSync(file(name)));
      return Object.fromEntries(names.map((name) => [name, readFileSync(file(name), "utf8")]));
    },
    left: () => readdirSync(data).filter((name) => name.startsWith(".pillar-host")),
  };
}

export const test = boxed.extend<{ stage: ChainStage }>({
  stage: async ({ box }, use) => {
    await use(open(box));
  },
});
