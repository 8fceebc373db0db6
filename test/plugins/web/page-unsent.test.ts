import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Field } from "../../../plugins/web/page/chat/field.ts";
import { messageOf } from "../../../plugins/web/page/chat/line.ts";
import { gate } from "../../model-server.ts";

beforeEach(() => {
  const stored = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => void stored.set(key, text),
    removeItem: (key: string) => void stored.delete(key),
  });
});
afterEach(() => void vi.unstubAllGlobals());

/** The text in the field of a session when the page is loaded again. */
const loaded = (place: string) => new Field(place).get().text;

/** Sends what is in the field, as the page does. */
function send(field: Field) {
  const { text } = field.get();
  const accepted = gate();
  field.set(messageOf(""));
  const sending = field.showUntil(text, accepted.promise);
  return {
    accept: async () => {
      accepted.open();
      await sending;
    },
  };
}

it("a message that the host has not accepted is in the field again when the browser has ended the page meanwhile", async () => {
  const field = new Field("s1");
  field.set(messageOf("fix the bug"));
  const first = send(field);
  expect([field.get().text, loaded("s1")]).toEqual(["", "fix the bug"]);
  field.set(messageOf("and test it"));
  const second = send(field);
  field.set(messageOf("then"));
  expect(loaded("s1")).toBe("fix the bug\n\nand test it\n\nthen");
  await first.accept();
  expect(loaded("s1")).toBe("and test it\n\nthen");
  await second.accept();
  expect(loaded("s1")).toBe("then");
});

it("the first message of a session is kept with it, and no longer when the host has refused it", async () => {
  const field = new Field("new:/project");
  const refused = gate();
  const beginning = field.keepUntil(
    "begin",
    refused.promise.then(() => Promise.reject(new Error("No model"))),
  );
  field.moveTo("s2");
  expect([loaded("new:/project"), loaded("s2")]).toEqual(["", "begin"]);
  refused.open();
  await expect(beginning).rejects.toThrow("No model");
  expect(loaded("s2")).toBe("");
});

it("the changed text of an earlier message is kept when the host has refused it", () => {
  const field = new Field("s3");
  field.set(messageOf("before"));
  field.edit("event", "sent", []);
  const unchanged = loaded("s3");
  field.set(messageOf("sent, and changed"));
  field.endEdit();
  field.edit("event", "sent, and changed", [], "sent");
  expect([unchanged, loaded("s3")]).toEqual(["before", "before\n\nsent, and changed"]);
});
