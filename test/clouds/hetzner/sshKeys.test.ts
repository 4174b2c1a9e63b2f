import { expect, test } from "vitest";
import { ask, fault, get, type Json, PUBLIC_KEY, post, useHetzner } from "./fixture";

useHetzner();

const create = (more: object = {}) => post("/ssh_keys", { name: "laptop", public_key: PUBLIC_KEY, ...more });

test("a key has its MD5 fingerprint, and is changed and deleted by id", async () => {
  const { ssh_key: key } = (await create({ labels: { stack: "prod" } })).body;
  expect(key).toMatchObject({ name: "laptop", public_key: PUBLIC_KEY, labels: { stack: "prod" } });
  expect(key.fingerprint).toMatch(/^([0-9a-f]{2}:){15}[0-9a-f]{2}$/);
  expect((await get(`/ssh_keys?fingerprint=${key.fingerprint}`)).body.ssh_keys).toEqual([key]);
  expect((await ask("PUT", `/ssh_keys/${key.id}`, { name: "desk" })).body.ssh_key.name).toBe("desk");
  expect((await ask("DELETE", `/ssh_keys/${key.id}`)).status).toBe(204);
  expect((await get(`/ssh_keys/${key.id}`)).status).toBe(404);
});

test("a taken name, a key that is there and what is no key are refused", async () => {
  await create();
  expect((await create()).body.error.code).toBe("uniqueness_error");
  expect((await create({ name: "desk" })).body.error.message).toBe("SSH key with the same fingerprint already exists");
  expect((await create({ name: "desk", public_key: "ssh-ed25519 AAAA" })).body.error.code).toBe("invalid_input");
  await fault({ kind: "quota", of: "ssh_keys", limit: 1 });
  const other = `ssh-ed25519 ${Buffer.from(`\0\0\0\x0bssh-ed25519\0\0\0\x20${"k".repeat(32)}`).toString("base64")}`;
  expect((await create({ name: "desk", public_key: other })).body.error.code).toBe("resource_limit_exceeded");
});

test("lists come in pages", async () => {
  for (let at = 0; at < 5; at += 1) {
    const blob = `\0\0\0\x0bssh-ed25519\0\0\0\x20${String(at).repeat(32)}`;
    await create({ name: `key-${at}`, public_key: `ssh-ed25519 ${Buffer.from(blob).toString("base64")}` });
  }
  const second = (await get("/ssh_keys?page=2&per_page=2")).body;
  expect(second.ssh_keys.map(({ name }: Json) => name)).toEqual(["key-2", "key-3"]);
  expect(second.meta.pagination).toEqual({
    ...{ page: 2, per_page: 2, previous_page: 1, next_page: 3, last_page: 3, total_entries: 5 },
  });
  expect((await get("/ssh_keys?page=3&per_page=2")).body.meta.pagination.next_page).toBeNull();
  expect((await get("/ssh_keys?page=0")).status).toBe(422);
});
