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

  it("says what is in force, if other files override the program's", async () => {
    const files = ["/etc/apt/apt.conf.d/99local-upgrades", "/etc/needrestart/conf.d/99local.conf"] as const;
    const texts = ['Unattended-Upgrade::Automatic-Reboot "true";', "$nrconf{override_rc}{qr(^go-)} = 1;"] as const;
    await onHost(stage.host, files.map((file, at) => `echo '${texts[at]}' > ${file}`).join("\n"));
    const output = await expectSuccess(upTo(stage.stack, "preflight", "prepare"));
    expect(output).toContain(`Automatic-Reboot is "true" (apt-config dump). Set it to "false" in: ${files[0]}`);
    expect(output).toContain(`names their services in: ${files[1]} /etc/needrestart/needrestart.conf`);
    await onHost(stage.host, `rm ${files.join(" ")}`);
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
