import { createHash } from "node:crypto";
import { strToU8, zipSync } from "fflate";
import { describe, expect } from "vitest";
import { orchestrator } from "../../../../core/steps/orchestratorSteps.ts";
import { configOf } from "../../../components/exampleConfig.ts";
import { replaceAll, type Sandbox, test } from "../sandbox.ts";

const url = "https://release.example/orchestrator-linux-amd64.zip";
const program = "#!/bin/bash\necho orchestrator version v0.0.9a\n";

/** Installs what an address serves on a host whose places are below the box. */
function install(box: Sandbox, served: Uint8Array, changes: object = {}, systemctl = ":") {
  box.command("wget", `cp "$sandbox/served" "\${@: -2:1}"`);
  box.command("systemctl", systemctl);
  box.command("unshare", 'shift; exec "$@"');
  box.write("served", served);
  const sha256 = createHash("sha256").update(served).digest("hex");
  const release = { url, sha256, version: "v0.0.9a" };
  const { script } = orchestrator(configOf({ orchestrator: { release, ...changes } }));
  const places = replaceAll(script.replaceAll("/usr/local/bin/", `${box.dir}/installed/`), [
    ["/usr/local/lib/systemd/system", `${box.dir}/units`],
    ["etc_file=/etc/systemd/system", `etc_file=${box.dir}/etc`],
  ]);
  const begin = "export script=$$; mkdir -p installed etc; if [ -e own ]; then mv own etc/orchestrator.service; fi";
  return box.run(`${begin}\n${box.local(places)}`);
}
const zip = (...names: string[]) =>
  zipSync(Object.fromEntries(names.map((name) => [name, strToU8(name.includes("arm64") ? "another" : program)])));

describe.concurrent("the orchestrator's release", () => {
  test.for([
    ["as its project builds it", zip("orchestrator-linux-amd64")],
    ["with the plain name", zip("orchestrator")],
    ["in a folder, beside another platform's", zip("dist/orchestrator-linux-arm64", "dist/orchestrator-linux-amd64")],
    ["with the plain name beside the platform's", zip("orchestrator-linux-arm64", "orchestrator")],
    ["as the bare executable", strToU8(program)],
  ] as const)("is installed under the executable's name: %s", async ([, served], { box }) => {
    const { code, stdout, stderr } = await install(box, served);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^orchestrator v0\.0\.9a installed as .*\/installed\/orchestrator: sha256 [0-9a-f]{64}\n/);
    expect(box.read("installed/orchestrator")).toBe(program);
    expect((await box.run("stat -c %a installed/orchestrator; ls -A installed")).stdout).toBe("755\norchestrator\n");
    expect(box.read("units/orchestrator.service")).toContain(`ExecStart=${box.dir}/installed/orchestrator\n`);
    const dropIn = "[Service]\nEnvironment=HOME=/root\nRestart=always\nRestartSec=10\n";
    expect(box.read("units/orchestrator.service.d/zz-pillar-host.conf")).toBe(dropIn);
  });

  test("is installed under no name of a program or unit of the host itself", async ({ box }) => {
    const { code, stderr } = await install(box, zip("orchestrator"), { executable: "bash" });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/bash is a program of this host itself.*\n {2}found: \/usr\/bin\/bash\n/),
    ]);
    expect(box.read("installed/bash")).toBeUndefined();
    const unit = "case $* in *FragmentPath*) echo /run/systemd/generator/x.service ;; esac";
    expect((await install(box, zip("orchestrator"), {}, unit)).stderr).toContain("(orchestrator.service)");
    const alias = "case $* in *'-p Id '*) echo signer.service ;; esac";
    expect((await install(box, zip("orchestrator"), {}, alias)).stderr).toBe(
      "h: orchestrator.service is only another name of signer.service\n" +
        "  needed: the unit's own name: pulumi config set --path pillar-host:orchestrator.service signer -s prod && pulumi up -s prod\n",
    );
    expect(box.read("installed/orchestrator")).toBeUndefined();
  });

  const library = "orchestrator: error while loading shared libraries: libx.so: cannot open shared object file";
  test.for([
    ["lacks a library", `#!/bin/bash\necho "${library}" >&2\nexit 127\n`, library],
    ["crashes on this processor", "#!/bin/bash\nkill -ILL $$\n", "it crashes"],
    ["lies where no program starts", "#!/nowhere/bash\n", "No such file or directory"],
  ] as const)("is not installed, nor taken from the operator, if it %s", async ([, text, words], { box }) => {
    const refused = {
      code: 1,
      stderr: expect.stringMatching(`h: orchestrator can't start on this host\n  found: .*${words}`),
    };
    expect(await install(box, zipSync({ orchestrator: strToU8(text) }))).toMatchObject(refused);
    expect((await box.run("ls -A installed")).stdout).toBe("");
    box.executable(`${box.dir}/installed/orchestrator`, "");
    await box.run(`cat > installed/orchestrator <<'EOF'\n${text}EOF`);
    expect(await install(box, zip("orchestrator"), { release: undefined })).toMatchObject(refused);
    expect(box.read("units/orchestrator.service")).toBeUndefined();
  });

  test("sets home and restart for the operator's own unit, too", async ({ box }) => {
    box.write("own", "[Service]\nUser=root\n");
    const directory = "/srv/signer/.orchestrator";
    expect((await install(box, zip("orchestrator"), { directory })).code).toBe(0);
    expect(box.read("units/orchestrator.service")).toBe("[Service]\nUser=root\n");
    expect(box.read("units/orchestrator.service.d/zz-pillar-host.conf")).toContain("Environment=HOME=/srv/signer\n");
  });

  test("keeps an operator's unit that is linked from another place, though disabling removes the link", async ({
    box,
  }) => {
    const etc = "etc/orchestrator.service";
    await box.run(`mkdir etc opt units; echo '[Unit]' > opt/own.service; ln -s ../opt/own.service ${etc}`);
    const disabling = `[ "$1" != disable ] || rm -f "$sandbox/${etc}"`;
    const { code, stdout } = await install(box, zip("orchestrator"), {}, disabling);
    const said = `${box.dir}/opt/own.service is kept as ${box.dir}/units/orchestrator.service\n`;
    expect([code, stdout]).toEqual([0, expect.stringContaining(said)]);
    const now = async () => (await box.run(`readlink ${etc}; cat units/orchestrator.service`)).stdout;
    expect(await now()).toBe("/dev/null\n[Unit]\n");
    // A second installation does not take the mask for the operator's unit.
    expect((await install(box, zip("orchestrator"))).code).toBe(0);
    expect(await now()).toBe("/dev/null\n[Unit]\n");
    // The link led to the very place where units are kept.
    await box.run(`ln -sfn ${box.dir}/units/orchestrator.service ${etc}; echo own > units/orchestrator.service`);
    expect((await install(box, zip("orchestrator"), {}, disabling)).code).toBe(0);
    expect(await now()).toBe("/dev/null\nown\n");
  });

  test("leaves a dangling unit link to the operator", async ({ box }) => {
    await box.run("mkdir etc; ln -s ../opt/own.service etc/orchestrator.service");
    const { code, stderr } = await install(box, zip("orchestrator"));
    expect([code, stderr]).toEqual([
      1,
      `h: ${box.dir}/etc/orchestrator.service is a broken link\n  found: a link to ../opt/own.service\n  needed: remove the link, or put that file back, then run pulumi up -s prod again.\n`,
    ]);
    expect((await box.run("readlink etc/orchestrator.service")).stdout).toBe("../opt/own.service\n");
  });

  const untouched = "What was installed before is untouched.";
  test.for([
    [
      "the hash is another",
      zip("orchestrator"),
      { release: { url, version: "v0.0.9a", sha256: "0".repeat(64) } },
      ["h: the release is not the one that orchestrator.release.sha256 names\n"],
    ],
    [
      "the archive lacks the executable",
      zip("orchestrator-linux-arm64", "README"),
      {},
      [
        "h: the release holds no orchestrator",
        "  found: README orchestrator-linux-arm64 ",
        "  needed: orchestrator or orchestrator-linux-amd64 (orchestrator.executable)",
        `  ${untouched} Is it another asset of that release, or another name? pulumi config set --path pillar-host:orchestrator.release.url URL -s prod\n`,
      ],
    ],
  ] as const)("changes nothing if %s", async ([, served, changes, lines], { box }) => {
    const { code, stderr } = await install(box, served, changes);
    expect([code, stderr]).toEqual([1, expect.stringContaining(lines.join("\n"))]);
    expect((await box.run("ls -A installed")).stdout).toBe("");
  });

  test("installs under a configured name", async ({ box }) => {
    expect((await install(box, zip("signer-linux-amd64"), { executable: "signer" })).code).toBe(0);
    expect(box.read("installed/signer")).toBe(program);
  });
});
