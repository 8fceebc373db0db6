import { expect, it } from "vitest";
import { People } from "../../../plugins/terminal/app/people.ts";

const [first, second, third] = ["aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb", "cccccccccccccccc"];
const viewWith = (...ids: string[]) =>
  ({ status: { host: { present: ids.map((clientId) => ({ clientId, name: "" })) } } }) as never;
const joins = (clientId: string) =>
  ({ kind: "passing", delivered: { event: { type: "client_joined", clientId } } }) as never;

it("names the terminals that were met, and other clients at any time, but not those of earlier conversations", () => {
  const people = new People({ clientId: `terminal-${first}` });
  people.noteClients(viewWith(`terminal-${first}`, `terminal-2-${second}`));
  people.hear(joins(`terminal-${third}`), viewWith());
  const ids = [
    `terminal-${first}`,
    `terminal-2-${second}`,
    `terminal-${third}`,
    `terminal-3-${first}`,
    `web-${second}`,
  ];
  expect(ids.map((clientId) => people.nameOf(clientId))).toEqual([
    undefined,
    "terminal-2",
    "terminal",
    undefined,
    "web",
  ]);
});

it("knows this application also by the id that it had before its host was restarted", () => {
  const client = { clientId: `terminal-${first}` };
  const people = new People(client);
  people.noteClients(viewWith(`terminal-${first}`));
  client.clientId = `terminal-2-${second}`;
  people.noteClients(viewWith(`terminal-${third}`, `terminal-2-${second}`));
  const ids = [`terminal-${first}`, `terminal-2-${second}`, `terminal-${third}`];
  expect(ids.map((clientId) => people.nameOf(clientId))).toEqual([undefined, undefined, "terminal"]);
});

it("names a terminal that writes while it is watched, though its return was not announced, but not this application", () => {
  const client = { clientId: `terminal-${first}` };
  const people = new People(client);
  people.noteClients(viewWith(`terminal-${first}`));
  client.clientId = `terminal-${second}`;
  const ids = [`terminal-${first}`, `terminal-${second}`, `terminal-2-${third}`];
  const view = { ...(viewWith() as object), rows: ids.map((clientId) => ({ clientId })) } as never;
  for (const index of ids.keys()) people.hear({ kind: "rows", index, isNew: true }, view);
  expect(ids.map((clientId) => people.nameOf(clientId))).toEqual([undefined, undefined, "terminal-2"]);
});

it("does not name people whose earlier messages are only loaded", () => {
  const people = new People({ clientId: `terminal-${first}` });
  const view = { ...(viewWith() as object), rows: [{ clientId: `terminal-2-${third}` }] } as never;
  people.hear({ kind: "rows", index: 0, isNew: false }, view);
  expect(people.nameOf(`terminal-2-${third}`)).toBe(undefined);
});
