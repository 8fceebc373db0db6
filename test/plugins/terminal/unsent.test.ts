import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Unsent } from "../../../plugins/terminal/app/unsent.ts";
import { openDraft } from "../../../plugins/terminal/input/draft.ts";
import type { PromptField } from "../../../plugins/terminal/input/field.ts";
import { gate } from "../../model-server.ts";
import { desk } from "./input/desk.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "unsent-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The texts that are being sent, and a field with a draft, into which they return. */
function sending() {
  const field: PromptField = desk({ waiting: () => unsent.kept, doubtful: () => unsent.doubtful }).field;
  const words = { lost: "The host is gone." };
  const offered = ({ text }: { text: string }) =>
    field.setText([text, field.text].filter((each) => each !== "").join("\n"));
  const listener = { offered, unsent: () => field.keepDraft(), waits: () => {} };
  const status = { connection: "connected" };
  const unsent = new Unsent({ view: () => ({ status }) as never, words, listener });
  const use = (name: string) => field.useDraft(openDraft(join(folder, `${name}.json`), { hasText: field.hasUnsent }));
  const change = (connection: "connected" | "reconnecting") => {
    status.connection = connection;
    unsent.connectionChanged();
  };
  return { field, unsent, use, change };
}

function drafts() {
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return Object.fromEntries(
    files.map((name) => [name, (JSON.parse(readFileSync(join(folder, name), "utf8")) as { text: string }).text]),
  );
}

const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve));

describe("the draft of text that is being sent", () => {
  it("is restored without the messages that have arrived meanwhile", async () => {
    const { field, unsent, use, change } = sending();
    use("session");
    const never = gate();
    const [first, second] = ["did\narrive", "did not"].map((text) => unsent.add({ text, mode: "message" }));
    for (const entry of [first, second]) void unsent.deliver(entry as never, () => never.promise);
    await turnOfLoop();
    change("reconnecting");
    await turnOfLoop();
    field.setText("half a line");
    unsent.recall(true);
    await field.close();
    expect(drafts()).toEqual({ "session.json": "did\narrive\n\ndid not\nhalf a line" });
    const hasArrived = (id: string) => id === first?.messageId;
    const draft = openDraft(join(folder, "session.json"), { hasArrived });
    expect(draft.saved?.text).toBe("did not\nhalf a line");
    draft.close();
  });

  it("has only the pictures of messages that have not arrived, although those of others have the same marks", async () => {
    const { field, unsent, use, change } = sending();
    use("session");
    const entries = ["see [image #1]", "and [image #1]", "and once more [image #1]"].map((text, at) =>
      unsent.add({ text, mode: "message", attachments: [{ mark: "[image #1]", image: new Uint8Array([at]) }] }),
    );
    for (const entry of entries) void unsent.deliver(entry, () => gate().promise);
    await turnOfLoop();
    change("reconnecting");
    await turnOfLoop();
    await field.close();
    const pictures = () => readdirSync(folder).filter((name) => name.endsWith(".picture")).length;
    expect(pictures()).toBe(3);
    const hasArrived = (id: string) => id !== entries[1]?.messageId;
    const draft = openDraft(join(folder, "session.json"), { hasArrived });
    const attachments = [{ mark: "[image #1]", image: Buffer.from([1]) }];
    const left = { text: "and [image #1]", pastes: new Map(), attachments };
    expect(draft.saved).toEqual(left);
    draft.change(left, true);
    expect(pictures()).toBe(1);
    draft.close();
  });

  it("is gone when all of it has arrived", async () => {
    const { field, unsent, use } = sending();
    use("session");
    void unsent.deliver(unsent.add({ text: "on its way", mode: "message" }), () => gate().promise);
    await turnOfLoop();
    unsent.recall(true);
    await field.close();
    expect(drafts()).toEqual({ "session.json": "on its way" });
    const draft = openDraft(join(folder, "session.json"), { hasArrived: () => true });
    expect([draft.saved, drafts()]).toEqual([undefined, {}]);
    draft.close();
  });

  it("never has a message that is sent at once, though its session begins with it", async () => {
    const { field, unsent, use } = sending();
    use("project");
    const entry = unsent.add({ text: "hello there", mode: "message" });
    const sent = unsent.deliver(entry, async () => {});
    // After the first message of a session, the field uses the draft of this session.
    use("session");
    expect(drafts()).toEqual({});
    await sent;
    await turnOfLoop();
    expect(drafts()).toEqual({});
    await field.close();
    expect(drafts()).toEqual({});
  });

  it("follows the field into another session while it waits, leaves what was kept there, and goes once it is sent", async () => {
    const { field, unsent, use } = sending();
    const other = openDraft(join(folder, "second.json"));
    other.change({ text: "kept by another terminal", pastes: new Map(), attachments: [] });
    other.close();
    use("first");
    const before = gate();
    const entry = unsent.add({ text: "behind a command", mode: "message" });
    const sent = before.promise.then(() => unsent.deliver(entry, async () => {}));
    await turnOfLoop();
    expect(drafts()).toEqual({ "first.json": "behind a command", "second.json": "kept by another terminal" });
    use("second");
    expect(drafts()).toEqual({ "second.json": "kept by another terminal", "second-2.json": "behind a command" });
    before.open();
    await sent;
    expect(drafts()).toEqual({ "second.json": "kept by another terminal" });
    await field.close();
  });

  it("has what waits for the host once, also when it is taken back on leaving", async () => {
    const { field, unsent, use, change } = sending();
    use("session");
    change("reconnecting");
    const entry = unsent.add({ text: "while away", mode: "message" });
    const over = unsent.deliver(entry, async () => {});
    await turnOfLoop();
    field.setText("half a line");
    field.keepDraft();
    expect(drafts()).toEqual({ "session.json": "while away\n\nhalf a line" });
    unsent.recall(true);
    await field.close();
    await over;
    expect(drafts()).toEqual({ "session.json": "while away\nhalf a line" });
  });
});
