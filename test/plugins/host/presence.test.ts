import { expect, it } from "vitest";
import { Presence } from "../../../plugins/host/client/view/presence.ts";

it("clients that return with the host are not announced, but those that come later or for the first time are", () => {
  let now = 0;
  const presence = new Presence(() => now);
  presence.begin(["terminal", "laptop", "phone"]);
  expect(presence.joined("terminal-2")).toBe(true);
  // After a restart of the host, nobody else has reconnected yet.
  presence.begin([]);
  expect(["terminal-2", "terminal", "web"].map((name) => presence.joined(name))).toEqual([false, false, true]);
  now = 59_000;
  expect(presence.joined("laptop")).toBe(false);
  now = 61_000;
  expect(presence.joined("phone")).toBe(true);
  presence.left("phone");
  expect(presence.joined("phone")).toBe(true);
});
