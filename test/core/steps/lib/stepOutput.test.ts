import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { test } from "../sandbox";

const functions = readFileSync(join(import.meta.dirname, "../../../../core/steps/lib/stepOutput.sh"), "utf8");

test("prints the output of a step's newest run until that run ends", async ({ box }) => {
  const script = `
runs=${box.dir}/runs
mkdir -p "$runs/deploy.old" "$runs/deploy.new" "$runs/deployment.x"
sleep 0.5 & running=$!
for each in deploy.old deploy.new deployment.x; do
  echo ${spawnSync("true").pid} > "$runs/$each/pid"
  echo "of $each" > "$runs/$each/out"
done
echo "$running" > "$runs/deploy.new/pid"
touch -d '1 hour ago' "$runs/deploy.old/pid"
(sleep 0.2; echo later >> "$runs/deploy.new/out") &
step=deploy
${functions.replace("/run/pillar-host", "$runs").replace("-s 0.5", "-s 0.05")}
step_output
`;
  expect(await box.run(script)).toMatchObject({ code: 0, stdout: "of deploy.new\nlater\n" });
});
