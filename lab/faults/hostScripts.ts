/** Shell text that runs as root on a test host. The faults' units are transient: a reboot ends them. */

const node = "go-node";
const data = "/root/.znn";
const rpcPort = 35997;

/** Returns the unit that plays a fault. */
export const unitOf = (kind: string) => `lab-fault-${kind}`;

/** Returns shell text that starts a command as a fault's unit, in place of an older one. */
const unit = (kind: string, command: string) => `
systemctl stop ${unitOf(kind)} 2> /dev/null || true
systemd-run -q --collect --unit=${unitOf(kind)} ${command}`;

export const isUnitOn = (kind: string) => `systemctl is-active -q ${unitOf(kind)}`;
export const endUnit = (kind: string) => `systemctl stop ${unitOf(kind)}`;

const stopNode = `systemctl stop ${node} 2> /dev/null || true`;
/** Starts the node if there is one: a fault may be on before the node is deployed. */
export const startNode = `
systemctl reset-failed ${node} 2> /dev/null || true
if systemctl cat ${node} > /dev/null 2>&1; then systemctl start ${node}; fi`;
export const restartNode = `if systemctl is-active -q ${node}; then systemctl restart ${node}; fi`;

export const freeze = `systemctl kill -s STOP ${node}`;
export const thaw = `systemctl kill -s CONT ${node}`;
export const isFrozen = `
pid=$(systemctl show -p MainPID --value ${node}); [ "$pid" != 0 ] && grep -q '^State:.T' "/proc/$pid/status"`;

/** Answers of services that are no node. */
export const otherServices = {
  web: `require("http").createServer((q, r) => r.end("<html><body><h1>It works!</h1></body></html>"))`,
  json: `require("http").createServer((q, r) => r.end(JSON.stringify({ status: "ok" })))`,
  mail: `require("net").createServer((s) => { s.on("error", () => s.destroy()); s.end("220 mail ESMTP\\r\\n"); })`,
} as const;

/**
 * Returns shell text that starts another service on the RPC's port first. The node then cannot start, and systemd gives
 * it up.
 */
export function takePort(answer: keyof typeof otherServices): string {
  return `${stopNode}
${unit("wrong-service", `/usr/local/bin/node -e '${otherServices[answer]}.listen(${rpcPort})'`)}
timeout 20 sh -c "until ss -Hltn | grep -q ':${rpcPort} '; do sleep 0.1; done"
${startNode}`;
}

export const givePortBack = `${endUnit("wrong-service")}\n${startNode}`;

/** Restarts the node every so many seconds, without counting against the unit's start limit. */
export const restartEach = (seconds: number) =>
  unit(
    "restart",
    `sh -c 'while :; do sleep ${seconds}; systemctl reset-failed ${node}; systemctl restart ${node}; done'`,
  );

/** Holds dpkg's lock as dpkg does: fcntl, which flock(1) can't. */
export const holdPackageLock = `${unit(
  "package-lock",
  `perl -MFcntl=:DEFAULT,:flock -e '
  sysopen(F, "/var/lib/dpkg/lock-frontend", O_RDWR | O_CREAT) or die;
  $$l = pack("s s x4 q q i x4", F_WRLCK, 0, 0, 0, 0); fcntl(F, F_SETLKW, $$l) or die;
  open(R, ">", "/run/${unitOf("package-lock")}"); close(R); sleep'`,
)}
timeout 60 sh -c 'until [ -e /run/${unitOf("package-lock")} ]; do sleep 0.1; done'`;

export const givePackageLockBack = `${endUnit("package-lock")}\nrm -f /run/${unitOf("package-lock")}`;

export const isDiskFull = `findmnt -n -o SOURCE ${data} | grep -q ${unitOf("full-disk")}`;

/** Moves the data directory to its own, barely larger file system, so that this machine's own stays free. */
export const fillDisk = `
if ${isDiskFull}; then exit; fi
size=$(du -sk ${data} | cut -f1)
[ "$size" -lt 65536 ] || { echo "${data} holds $size KiB, too much to play with" >&2; exit 1; }
${stopNode}
new=/run/${unitOf("full-disk")}
mkdir -p $new
mount -t tmpfs -o mode=700,size=$((size + 256))k ${unitOf("full-disk")} $new
cp -a ${data}/. $new
mount --bind $new ${data}
umount $new
cat /dev/zero > ${data}/filler 2> /dev/null || true
${startNode}`;

/** Keeps what was written meanwhile, as if an operator had deleted the filler. */
export const freeDisk = `
${stopNode}
kept=/run/${unitOf("full-disk")}
rm -f ${data}/filler
cp -a ${data}/. $kept
umount ${data}
cp -a $kept/. ${data}
rm -rf $kept
${startNode}`;

/**
 * Ends the connections, but not the server, whose process title continues with its path. Connections that only forward
 * have no terminal in their title.
 */
export const endSshSessions = `pkill -KILL -f '^sshd: [^/]' || true`;
export const stopSsh = `systemctl stop ssh\n${endSshSessions}`;
export const startSsh = "systemctl start ssh";
export const isSshStopped = "! systemctl is-active -q ssh";
