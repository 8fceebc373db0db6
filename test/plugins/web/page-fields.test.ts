import type { LinkState } from "@scorel/host/client";
import { expect, it } from "vitest";
import { openBegun } from "../../../plugins/web/page/chat/begun.ts";
import { fieldOf, restOf, show } from "../../../plugins/web/page/chat/fields.ts";
import { followHeld } from "../../../plugins/web/page/chat/held.ts";
import { messageOf } from "../../../plugins/web/page/chat/line.ts";
import type { Device } from "../../../plugins/web/page/host/device.ts";
import type { OpenSession } from "../../../plugins/web/page/host/session.ts";
import { Store } from "../../../plugins/web/page/store.ts";
import { gate } from "../../model-server.ts";

/** Lets everything run that waits for nothing else. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A field, and a host that can go away and come back. */
function place(name: string) {
  const link = new Store({ state: "live" } as LinkState);
  const status = new Store({ connection: "live" } as ReturnType<OpenSession["status"]["get"]>);
  const onState = (listener: (state: LinkState) => void) => link.subscribe(() => listener(link.get()));
  const client = { state: link.get(), onState };
  const become = (connection: "live" | "waiting") => {
    client.state = { state: connection } as LinkState;
    link.set(client.state);
    status.set({ ...status.get(), connection } as never);
  };
  return { become, field: fieldOf(name), client, session: { status } };
}

it("a message that is refused after its session was left is there with the reason when it is shown again", async () => {
  const refused = gate();
  const left = fieldOf("refused");
  const leave = show(left);
  const sending = left.during(async () => {
    left.set(messageOf(""));
    await refused.promise;
    left.put(messageOf("a long message"));
    left.said.set({ text: "No model", isProblem: true });
  });
  leave();
  await settle();
  const again = fieldOf("refused");
  refused.open();
  await sending;
  expect([again.get().text, again.said.get()?.text]).toEqual(["a long message", "No model"]);
  // It is also there if the session is only opened then, and until the answer was closed.
  expect(fieldOf("refused")).toBe(left);
  left.said.set(undefined);
  show(left)();
  await settle();
  expect(fieldOf("refused")).not.toBe(left);
});

it("a field with nothing but a draft is not kept, since other tabs may change the draft", async () => {
  const field = fieldOf("draft");
  const leaves = [show(field), show(field)];
  leaves[0]?.();
  await settle();
  expect(fieldOf("draft")).toBe(field);
  leaves[1]?.();
  await settle();
  expect(fieldOf("draft")).not.toBe(field);
});

it("a field that is shown again does not take the focus, unless it has become that of another place", async () => {
  const carets = ["stays", "begins"].map((name) => {
    const field = fieldOf(name);
    const leave = show(field);
    field.set({ ...messageOf("text"), caret: 4 });
    if (name === "begins") field.moveTo("session");
    leave();
    return field.get().caret;
  });
  expect(carets).toEqual([undefined, 4]);
});

it("a session that is chosen in the list while it is begun has the field in which it was begun", async () => {
  const field = fieldOf("new:/project");
  const leave = show(field);
  const keyOf = (sessionId: string) => `host/${sessionId}`;
  const client = { request: () => Promise.reject(new Error("No connection")) };
  const device = { client, rights: new Store({}), keyOf, retain() {}, release() {} } as unknown as Device;
  const opening = openBegun(device, "s1", field);
  expect(fieldOf("host/s1")).toBe(field);
  await opening;
  leave();
});

it("what waits for the host is sent when it is back, also if its session was left, which is closed only then", async () => {
  const t = place("held");
  const done: string[] = [];
  const accepted = gate();
  const send = (running: string) =>
    t.field.during(async () => {
      done.push(`sent ${running}`);
      await accepted.promise;
    });
  const leave = show(t.field);
  const end = followHeld(t, send);
  t.become("waiting");
  t.field.set(messageOf("go on"));
  t.field.held.set({ text: "go on", running: "steer" });
  leave();
  const closing = restOf("held").then(() => done.push("closed"));
  await settle();
  expect(fieldOf("held").held.get()).toEqual({ text: "go on", running: "steer" });
  t.become("live");
  await settle();
  expect(done).toEqual(["sent steer"]);
  accepted.open();
  await closing;
  end();
  expect([done, t.field.held.get()]).toEqual([["sent steer", "closed"], undefined]);
});

it("what waits for the host is sent once, though the session is shown again, and not at all if it was changed", async () => {
  const t = place("twice");
  const sent: string[] = [];
  const ends = [0, 1].map(() => followHeld(t, async () => void sent.push(t.field.get().text)));
  const hold = () => {
    t.become("waiting");
    t.field.set(messageOf("go on"));
    t.field.held.set({ text: "go on", running: "follow_up" });
  };
  hold();
  t.become("live");
  hold();
  t.field.set(messageOf("go on."));
  t.become("live");
  for (const end of ends) end();
  hold();
  t.become("live");
  expect([sent, t.field.held.get()?.text]).toEqual([["go on"], "go on"]);
});

it("a field whose message is edited keeps what was written before, also as a draft", () => {
  const field = fieldOf("edited");
  const picture = { id: 1, name: "a.png", mimeType: "image/png", data: "AA==", bytes: 1 };
  field.set(messageOf("before"));
  field.edit("event", "sent", [picture]);
  const whileEdited = [field.get().text, field.pictures.get(), field.isDraft];
  field.edit("earlier event", "sent earlier", []);
  const inTurn = [field.get().text, field.pictures.get(), field.edited.get()?.targetEventId];
  field.endEdit();
  expect([whileEdited, inTurn, [field.get().text, field.pictures.get(), field.isDraft]]).toEqual([
    ["sent", [picture], false],
    ["sent earlier", [], "earlier event"],
    ["before", [], true],
  ]);
});
