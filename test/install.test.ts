import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import packageJson from "../package.json" with { type: "json" };

const project = join(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(project, file), "utf8");

interface Locked {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

test("lets no package of operators run a script when it is installed", () => {
  const locked = JSON.parse(read("package-lock.json")) as { readonly packages: Readonly<Record<string, Locked>> };
  const scripts = Object.entries(locked.packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  const judged: Readonly<Record<string, boolean>> = packageJson.allowScripts;
  expect(scripts.length).toBeGreaterThan(2);
  for (const [path, { dev = false }] of scripts) {
    const name = path.split("node_modules/").at(-1) ?? "";
    expect(judged, name).toHaveProperty([name]);
    expect(judged[name] && !dev, name).toBe(false);
  }
  expect(read(".npmrc")).toContain("\nstrict-allow-scripts=true\n");
});

test("no command for operators runs install scripts, whatever their npm does", () => {
  const files = globSync("{README.md,docs/*.md,cli/**/*.{cjs,ts},core/**/*.ts}", { cwd: project });
  const commands = files.flatMap((file) => read(file).match(/npm (ci|install)\b[^`"\n|,)]*/g) ?? []);
  const operators = commands.filter((command) => command.includes("--") || command.includes("then"));
  expect(operators.length).toBeGreaterThan(6);
  for (const command of operators) expect(command.trim()).toBe("npm ci --omit=dev --omit=optional --ignore-scripts");
});

test("package.json, package-lock.json and CHANGELOG's first section have the same version", () => {
  const [, newest] = /^## (\S+)$/m.exec(read("CHANGELOG.md")) ?? [];
  expect(newest).toBe(packageJson.version);
  expect(JSON.parse(read("package-lock.json"))).toMatchObject({
    version: newest,
    packages: { "": { version: newest } },
  });
});

test("README names the oldest Pulumi that the project asks for", () => {
  const [, oldest] = /^requiredPulumiVersion: ">=(\d+\.\d+\.\d+)"$/m.exec(read("Pulumi.yaml")) ?? [];
  expect(oldest).toBeDefined();
  expect(read("README.md")).toContain(`[Pulumi](https://www.pulumi.com/docs/install/) ${oldest} or newer`);
});
