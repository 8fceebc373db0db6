import { expect, it } from "vitest";
import { People } from "../../../plugins/terminal/app/people.ts";

const [first, second, third] = ["aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb", "cccccccccccccccc"];
const viewWith = (...ids: string[]) =>
  ({ status: { host: { present: ids.map((clientId) => ({ clientId, name: "" })) } } }) as never;

it("names the terminals that were met, and other clients at any time, but not those of earlier conversations", () => {
  const people = new People({ clientId: `terminal-${first}` });
  people.look(viewWith(`terminal-${first}`, `terminal-2-${second}`));
  people.meet(`terminal-${third}`);
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
  people.look(viewWith(`terminal-${first}`));
  client.clientId = `terminal-2-${second}`;
  people.look(viewWith(`terminal-${third}`, `terminal-2-${second}`));
  const ids = [`terminal-${first}`, `terminal-2-${second}`, `terminal-${third}`];
  expect(ids.map((clientId) => people.nameOf(clientId))).toEqual([undefined, undefined, "terminal"]);
});
