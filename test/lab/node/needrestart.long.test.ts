import { describe, expect, it } from "vitest";
import { ensureNeedrestartImage } from "../../../lab/images/needrestartImage.ts";
import { expectSuccess, onHost, pastPackages, staged, upTo } from "../fixture.ts";

/** A service that runs with a library which was replaced since: needrestart wants to restart it. */
const outdated = `lib=/usr/lib/x86_64-linux-gnu/liboutdated.so.1
cp /lib/x86_64-linux-gnu/libz.so.1 $lib
printf '[Service]\\nEnvironment=LD_PRELOAD=%s\\nExecStart=/bin/sleep infinity\\n' $lib > /etc/systemd/system/outdated.service
systemctl daemon-reload && systemctl start outdated
timeout 10 sh -c 'until grep -q liboutdated /proc/$(systemctl show -p MainPID --value outdated)/maps; do sleep 0.1; done'
cp $lib $lib.new && mv -f $lib.new $lib`;

describe("a host with needrestart", () => {
  const stage = staged(
    undefined,
    async (lab, host) => {
      await pastPackages(lab, host);
      await onHost(host, outdated);
    },
    ensureNeedrestartImage,
  );
  const pid = () => onHost(stage.host, "systemctl show -p MainPID --value outdated");

  it("has services to restart, and could ask in the controller's terminal", async () => {
    expect(await onHost(stage.host, "needrestart -b -r l | grep outdated")).toBe("NEEDRESTART-SVC: outdated.service");
    expect(await onHost(stage.host, "apt-config dump DPkg::Post-Invoke")).toContain("needrestart");
  });

  it("is deployed to without a question and without a restart", async () => {
    const before = await pid();
    const steps = ["preflight", "prepare", "packages", "controller", "hourly-restart", "deploy"];
    const output = await expectSuccess(upTo(stage.stack, ...steps));
    expect(output).toContain("deployed: go-node is active");
    expect(await onHost(stage.host, "dpkg -s make | grep ^Status")).toBe("Status: install ok installed");
    expect(await pid()).toBe(before);
  });
});
