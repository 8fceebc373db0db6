import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Later } from "../../../../plugins/terminal/input/decoder.ts";
import { openDraft } from "../../../../plugins/terminal/input/draft.ts";
import { eventually } from "../../../eventually.ts";
import { type SecondProcess, secondProcess } from "../../../second-process.ts";
import { desk, key, message, paste } from "./desk.ts";

let folder: string;
let path: string;
const children: SecondProcess[] = [];
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "draft-")), "drafts");
  path = join(folder, "d.json");
});
afterEach(async () => {
  for (const child of children.splice(0)) await child.kill();
  rmSync(dirname(folder), { recursive: true, force: true });
});

const noTimer: Later = () => () => {};
const long = "a\n".repeat(20);

/** Starts a process that types a text into a field with this draft, and then idles. */
async function typist(text: string): Promise<SecondProcess> {
  const child = await secondProcess(new URL("./typist-main.ts", import.meta.url), dirname(folder), [path, text]);
  children.push(child);
  expect(await child.line()).toBe("typed");
  return child;
}

describe("a draft", () => {
  it("survives kill -9, with its long pastes", async () => {
    const child = await typist(`/permission full ${paste(long)}`);
    await child.kill();
    const draft = openDraft(path);
    const { field, sent, type } = desk({ draft });
    expect([field.mode, field.text]).toEqual(["message", `/permission full ${long}`]);
    expect(field.render(60)[1]).toBe("> /permission full [paste #1 +20 lines]");
    type(key.enter);
    expect(sent).toEqual([message(`/permission full ${long}`)]);
    expect(readdirSync(folder)).toEqual(["d.json.lock"]);
    draft.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("belongs to one terminal while that runs; another one has its own", async () => {
    const child = await typist("in the first terminal");
    const { field } = desk({ draft: openDraft(path) });
    expect(field.text).toBe("");
    field.setText("in the second");
    await field.close();
    expect(readdirSync(folder).sort()).toEqual(["d-2.json", "d.json", "d.json.lock"]);
    await child.kill();
    expect(openDraft(path).saved?.text).toBe("in the first terminal");
    expect(openDraft(path).saved?.text).toBe("in the second");
  });

  it("is written at once, then at most every half second, and at the end", () => {
    let due: { work: () => void; ms: number } | undefined;
    const later: Later = (work, ms) => {
      due = { work, ms };
      return () => {
        due = undefined;
      };
    };
    const draft = openDraft(path, { later });
    const stored = () => (JSON.parse(readFileSync(path, "utf8")) as { text: string }).text;
    const { field, type } = desk({ draft });
    type("a");
    expect([stored(), due?.ms, statSync(path).mode & 0o777]).toEqual(["a", 500, 0o600]);
    type("b", "c");
    expect(stored()).toBe("a");
    due?.work();
    expect(stored()).toBe("abc");
    type("d");
    void field.close();
    expect([stored(), due]).toEqual(["abcd", undefined]);
  });

  it("is gone when the field is emptied", () => {
    const draft = openDraft(path, { later: noTimer });
    const { field } = desk({ draft });
    field.setText("x");
    field.setText("");
    draft.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is ignored when it is damaged", () => {
    mkdirSync(folder);
    for (const text of ["", "{", '{"text":1}', '{"text":"x","pastes":[["a","b"]]}']) {
      writeFileSync(path, text);
      const draft = openDraft(path, { later: noTimer });
      expect([text, draft.saved]).toEqual([text, undefined]);
      draft.close();
    }
  });

  it("reports once why it cannot be written", async () => {
    const told: string[] = [];
    const file = fileURLToPath(import.meta.url);
    const draft = openDraft(join(file, "d.json"), { tell: (problem) => told.push(problem) });
    const { type, sent } = desk({ draft });
    type("works on", key.enter);
    expect(sent).toEqual([message("works on")]);
    await eventually(() => expect(told).toHaveLength(1));
  });
});
