import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { natsSettings } from "../../../plugins/relay/server/bus/nats-settings.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const SECRET = "pass-word-77";
const fileWith = (text: string) => {
  const path = join(temporaryFolder("scorel-nats-"), "login");
  writeFileSync(path, text);
  return path;
};

it("is without a bus unless one is named", () => {
  expect(natsSettings({}, {})).toBeUndefined();
  expect(natsSettings({}, { SCOREL_RELAY_NATS: "" })).toBeUndefined();
});

it.each([
  ["nats://127.0.0.1", { servers: ["127.0.0.1:4222"], isTls: false, login: undefined }],
  ["nats://localhost:4000, nats://[::1]:4001", { servers: ["localhost:4000", "[::1]:4001"], login: undefined }],
  ["tls://u:a%3Ab@bus.example", { servers: ["bus.example:4222"], isTls: true, login: { user: "u", pass: "a:b" } }],
  ["nats://token@127.0.0.1", { login: { token: "token" } }],
])("reads the addresses %s", (given, expected) => {
  expect(natsSettings({ nats: given }, {})).toMatchObject(expected);
  expect(natsSettings({}, { SCOREL_RELAY_NATS: given })).toMatchObject(expected);
});

it.each([
  ["relay:pass:word\n", { user: "relay", pass: "pass:word" }],
  ["a-token\n", { token: "a-token" }],
  ["-----BEGIN NATS USER JWT-----\nx\n", { credentials: expect.any(Uint8Array) }],
])("reads the credentials from a file with %j", (text, login) => {
  const natsCredentials = fileWith(text);
  expect(natsSettings({ nats: "nats://other:one@127.0.0.1", natsCredentials }, {})).toMatchObject({ login });
});

it.each([
  ["http://127.0.0.1", "RELAY_NATS"],
  ["127.0.0.1:4222", "RELAY_NATS"],
  [`u:${SECRET}@host`, "RELAY_NATS"],
  [`http://u:${SECRET}@127.0.0.1`, "RELAY_NATS"],
  [`nats://u:${SECRET}@127.0.0.1/path`, "RELAY_NATS"],
  [`nats://u:${SECRET}@127.0.0.1?x`, "RELAY_NATS"],
  [`nats://u:${SECRET}%ff@127.0.0.1`, "RELAY_NATS"],
  [`nats://127.0.0.1,tls://u:${SECRET}@127.0.0.1`, "RELAY_NATS"],
  [`nats://u:s3cr/${SECRET}@bus.example`, "RELAY_NATS"],
  [`nats://u:s3cr@${SECRET}/@bus.example`, "RELAY_NATS"],
  [`nats://u:${SECRET},et@bus.example`, "RELAY_NATS"],
  [`nats://u:s3cr,${SECRET}@bus.example`, "RELAY_NATS"],
  [`tls://u:s3#${SECRET}@bus.example`, "RELAY_NATS"],
  [`nats://u:${SECRET}@bus.example`, "RELAY_NATS_PLAIN"],
])("refuses the addresses %s, and shows no password", (nats, code) => {
  const thrown = (() => {
    try {
      return natsSettings({ nats }, {});
    } catch (error) {
      return error as Error;
    }
  })();
  expect(thrown).toMatchObject({ code });
  expect(JSON.stringify([thrown, (thrown as Error).message, (thrown as Error).stack])).not.toContain(SECRET);
});

it("takes an address without encryption on another computer only when told to", () => {
  expect(natsSettings({ nats: "nats://bus.example", insecure: true }, {})).toMatchObject({ isTls: false });
});

it("refuses files that are not there or empty, and a file without a bus", () => {
  const missing = join(temporaryFolder("scorel-nats-"), "none");
  for (const natsCredentials of [missing, fileWith("\n")])
    expect(() => natsSettings({ nats: "nats://127.0.0.1", natsCredentials }, {})).toThrow(
      expect.objectContaining({ code: "RELAY_NATS" }),
    );
  expect(() => natsSettings({ natsCredentials: missing }, {})).toThrow(expect.objectContaining({ code: "RELAY_NATS" }));
});
