import assert from "node:assert/strict";
import { addressForm } from "../doubles/address.ts";
import { type ControllerSubject, talk, type, withoutTerminal } from "./controllerTalk.ts";

/** An assumption of the program about a controller. */
interface Expectation {
  readonly name: string;
  /** Lines of bin/znn_controller.dart in the public source, {@link controllerSource}. */
  readonly lines: string;
  /** Checks the expectation. @throws if it is not met */
  check(subject: ControllerSubject): Promise<void>;
}

/** v0.0.4 with the corrected syntax. */
export const controllerSource = "zenon-network/znn_controller_dart@592ce51";

const config = "/root/.znn/config.json";
const keyStore = "/root/.znn/wallet/producer";
const colour = String.raw`\x1b\[[0-9;]*m`;

interface Producer {
  readonly Index: number;
  readonly KeyFilePath: string;
  readonly Password: string;
  readonly Address: string;
}

const producerOf = async (subject: ControllerSubject) =>
  (JSON.parse(await subject.sh(`cat ${config}`)) as { Producer?: Producer }).Producer;
const keySum = (subject: ControllerSubject) => subject.sh(`sha256sum ${keyStore}`);
const isActive = async (subject: ControllerSubject) =>
  (await subject.sh(`systemctl is-active ${subject.names.service}`)).trim();

function inOrder(text: string, parts: readonly (string | RegExp)[]): void {
  let at = 0;
  for (const part of parts) {
    const rest = text.slice(at);
    const found = typeof part === "string" ? rest.indexOf(part) : rest.search(part);
    assert.ok(found >= 0, `in this order there is no ${part} in:\n${text.slice(-3000)}`);
    at += found + 1;
  }
}

/** Expectations in order: each relies on those before. The last ones change the machine for good. */
export const controllerExpectations: readonly Expectation[] = [
  {
    name: "says to somebody without superuser privileges what it needs, in colour without a terminal too, and ends with 0",
    lines: "511-518",
    check: async (subject) => {
      // The copy is readable for all: below /root, the shell would print an error instead.
      await subject.sh(`rm -rf /tmp/nobodys; cp -r ${subject.directory} /tmp/nobodys; chmod -R a+rX /tmp/nobodys`);
      const nobody = { ...subject, directory: "/tmp/nobodys" };
      const { out, code } = await withoutTerminal(nobody, "setpriv --reuid=65534 --regid=65534 --clear-groups");
      assert.match(
        out,
        new RegExp(`^Cannot start ${subject.names.privileged}\\. .*${colour}superuser privileges`, "m"),
      );
      assert.equal(code, "0");
    },
  },
  {
    name: "takes root for nobody where $SHELL names no shell that it knows, or, without it, where its parent is none",
    lines: "511-518 (dcli 3.0.2, shell_detection.dart 64-128)",
    check: async (subject) => {
      for (const shell of ["", "/usr/bin/script"]) {
        const { out, code } = await type(subject, "7\\n", { shell });
        assert.match(out, new RegExp(`^Cannot start ${subject.names.privileged}\\. `, "m"), `SHELL=${shell}`);
        assert.equal(code, "0");
      }
    },
  },
  {
    name: "tells of itself and the machine before its menu, whose items are numbered, and ends on Quit with 0 and no trace",
    lines: "42-86",
    check: async (subject) => {
      const before = await subject.sh("ls -A /root/.znn");
      const { out, code } = await type(subject, "7\\n");
      inOrder(out, [
        ...[/superuser privileges/, subject.names.banner, "Gathering system information ...", "System info:"],
        ...["Available CPU cores: ", "Dart runtime: ", "IP address: "],
        ...[
          /^ {2}1\) Deploy\r?$/m,
          /^ {2}2\) Status\r?$/m,
          /^ {2}3\) Start service\r?$/m,
          /^ {2}4\) Stop service\r?$/m,
        ],
        ...[/^ {2}5\) Resync\r?$/m, /^ {2}6\) Help\r?$/m, /^ {2}7\) Quit\r?$/m],
        "Select an option from the ones listed above",
      ]);
      assert.equal(code, "0");
      assert.equal(await subject.sh("ls -A /root/.znn"), before);
    },
  },
  {
    name: "is found its way in by the program's dialog; any choice leaves an empty configuration",
    lines: "88-97, 299-307",
    check: async (subject) => {
      const { text, result } = await talk(subject, "Status");
      assert.equal(result, "ended", text);
      assert.equal(await subject.sh(`cat ${config}`), "{}");
      assert.equal((await subject.sh("ls -d /root/.znn/wallet")).trim(), "/root/.znn/wallet");
    },
  },
  {
    name: "ends Status where no node is installed: an error in the output, and 0 all the same",
    lines: "361-376",
    check: async (subject) => {
      const { out, code } = await type(subject, "2\\n");
      inOrder(out, [`${subject.names.service} status:`, /Error!/, `${subject.names.daemon} unavailable. Aborting.`]);
      assert.equal(code, "0");
    },
  },
  {
    name: "deploys: packages, source, a producer of its own, unit and service; no question but that about a small machine",
    lines: "105-224",
    check: async (subject) => {
      const { names } = subject;
      const { text, result, question } = await talk(subject, "Deploy", subject.deploySeconds);
      assert.equal(result, "ended", `${question}\n${text.slice(-3000)}`);
      assert.doesNotMatch(text, /Error!|Aborting/);
      inOrder(text, [
        ...["Checking NTP service configuration ...", `Preparing ${names.service} service configuration ...`],
        ...[`${names.service} service not detected`, `Configuring ${names.service} ...`],
        ...["Installing Linux prerequisites ...", `Preparing to clone ${names.source} ...`],
        ...["created: /root/.znn/wallet/producer", /^Use the address z1q\S+ to update the producing address/m],
        `Starting ${names.service} ...`,
      ]);
      assert.match(await subject.sh("cat /etc/systemd/timesyncd.conf"), /NTP=time\.cloudflare\.com/);
      assert.equal(await isActive(subject), "active");
      assert.equal((await subject.sh(`systemctl is-enabled ${names.service}`)).trim(), "enabled");
      assert.equal((await subject.sh(`test -x /usr/local/bin/${names.daemon} && echo yes`)).trim(), "yes");
    },
  },
  {
    name: "writes a unit that is killed at its stop and starts again on failure alone",
    lines: "612-634",
    check: async (subject) => {
      const { service, daemon } = subject.names;
      const unit = await subject.sh(`sed 's/^ *//' /etc/systemd/system/${service}`);
      assert.deepEqual(unit.split("\n").filter(Boolean), [
        ...["[Unit]", `Description=${daemon} service`, "After=network.target", "[Service]", "LimitNOFILE=32768"],
        ...["User=root", "Group=root", "Type=simple", "SuccessExitStatus=SIGKILL 9"],
        ...[`ExecStart=/usr/local/bin/${daemon}`, `ExecStop=/usr/bin/pkill -9 ${daemon}`, "Restart=on-failure"],
        ...["TimeoutStopSec=10s", "TimeoutStartSec=10s", "[Install]", "WantedBy=multi-user.target"],
      ]);
    },
  },
  {
    name: "has the producer in config.json: the key store's address, and its password in clear",
    lines: "207-222, 546-550",
    check: async (subject) => {
      const producer = await producerOf(subject);
      const { baseAddress } = JSON.parse(await subject.sh(`cat ${keyStore}`)) as { baseAddress: string };
      assert.match(baseAddress, addressForm);
      assert.deepEqual(
        { ...producer, Password: producer?.Password.length },
        { Index: 0, KeyFilePath: "producer", Password: 16, Address: baseAddress },
      );
      assert.match(await subject.sh(`cat ${config}`), /^\{\n {4}"Producer": \{\n {8}"Index": 0,/);
    },
  },
  {
    name: "leaves a node whose RPC answers on 35997",
    lines: "589-594 (the node's own defaults)",
    check: async (subject) => {
      const ask = `curl -s -m 5 -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"stats.syncInfo","params":[]}' http://127.0.0.1:35997`;
      const answer = await subject.sh(`for i in $(seq 60); do ${ask} && break; sleep 1; done`);
      assert.match(answer, /"currentHeight":\d+/);
    },
  },
  {
    name: "shows in Status, behind tabs, the password in clear and the address in colour",
    lines: "226-236",
    check: async (subject) => {
      const producer = await producerOf(subject);
      const { out, code } = await type(subject, "2\\n", { seconds: 90 });
      const password = (producer?.Password ?? "").replaceAll(/[^A-Za-z0-9]/g, "\\$&");
      assert.match(out, new RegExp(`^\\tPassword: ${password}\\r?$`, "m"));
      assert.match(out, new RegExp(`^\\tAddress: ${colour}${producer?.Address}${colour}\\r?$`, "m"));
      inOrder(out, ["Producer Node configuration:", "\tIndex: 0", "\tKeyFilePath: producer", "\tPassword: "]);
      assert.equal(code, "0");
    },
  },
  {
    name: "deploys again without a terminal, whatever was meant: nothing is asked, the producer stays",
    lines: "73-83, 155-158 (dcli's menu and confirm take their defaults)",
    check: async (subject) => {
      const kept = [await keySum(subject), (await producerOf(subject))?.Address];
      const { out, code } = await withoutTerminal(subject);
      assert.equal(code, "0");
      assert.doesNotMatch(out, /Select an option|\(Y\/n\)/);
      inOrder(out, [`${subject.names.service} service detected`, `Stopping ${subject.names.service} ...`]);
      assert.deepEqual([await keySum(subject), (await producerOf(subject))?.Address], kept);
    },
  },
  {
    name: "deploys again with yes to its producer's configuration, which stays",
    lines: "154-158",
    check: async (subject) => {
      const kept = [await keySum(subject), await subject.sh(`cat ${config}`)];
      const { text, result } = await talk(subject, "Deploy", subject.deploySeconds);
      assert.equal(result, "ended", text.slice(-3000));
      inOrder(text, ["Producer configuration detected. Continue using the existing configuration?"]);
      assert.deepEqual([await keySum(subject), await subject.sh(`cat ${config}`)], kept);
    },
  },
  {
    name: "overwrites the producer where that is answered with no, and keeps no backup",
    lines: "154-158, 206-221",
    check: async (subject) => {
      const before = await keySum(subject);
      const asksFirst = await asksAboutHardware(subject);
      const { code } = await type(subject, `1\\n${asksFirst ? "y\\n" : ""}n\\n`, { seconds: subject.deploySeconds });
      assert.equal(code, "0");
      assert.notEqual(await keySum(subject), before);
      assert.equal((await subject.sh(`ls ${keyStore}* | wc -l`)).trim(), "1");
    },
  },
];

async function asksAboutHardware(subject: ControllerSubject): Promise<boolean> {
  if (subject.isSmall !== undefined) return subject.isSmall;
  const [cores = 0, memory = 0] = (await subject.sh("nproc; awk '/^MemTotal/ { print $2 * 1024 }' /proc/meminfo"))
    .split("\n")
    .map(Number);
  return cores <= 4 && memory <= 4e9;
}
