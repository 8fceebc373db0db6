import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
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

  it("keeps pictures and paths of pictures until the message is sent", () => {
    const image = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);
    const [pasted, dropped] = [
      { mark: "[image 1]", image },
      { mark: "[image /a.png]", path: "/a.png" },
    ];
    const first = openDraft(path, { later: noTimer });
    const before = desk({ draft: first });
    before.type("see ");
    before.field.attach(pasted);
    before.field.attach(dropped);
    first.close();
    const draft = openDraft(path, { later: noTimer });
    const { field, sent, type } = desk({ draft });
    expect(readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
    expect(field.attachments).toEqual([{ ...pasted, image: Buffer.from(image) }, dropped]);
    type(key.enter);
    expect(sent).toEqual([
      { ...message("see [image 1] [image /a.png] "), attachments: [{ ...pasted, image: Buffer.from(image) }, dropped] },
    ]);
    draft.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each<[string, (path: string) => void]>([
    ["is gone", () => {}],
    ["was replaced by a link", (path) => symlinkSync("d.json", path)],
    ["was replaced by a folder", (path) => mkdirSync(path)],
  ])("keeps a picture no longer than its mark, and leaves a picture out that %s", (_how, replace) => {
    const image = new Uint8Array([1, 2, 3]);
    const first = openDraft(path, { later: noTimer });
    const before = desk({ draft: first });
    before.field.attach({ mark: "[image 1]", image });
    before.field.setText("without it");
    before.field.keepDraft();
    expect(readdirSync(folder).filter((name) => name.endsWith(".picture"))).toEqual([]);
    before.field.setText("[image 1]", "message", false, [{ mark: "[image 1]", image }]);
    first.close();
    for (const name of readdirSync(folder).filter((each) => each.endsWith(".picture"))) {
      rmSync(join(folder, name));
      replace(join(folder, name));
    }
    const { field } = desk({ draft: openDraft(path, { later: noTimer }) });
    expect([field.text, field.attachments]).toEqual(["[image 1]", []]);
  });

  it("stores the same picture once, however often it was pasted", () => {
    const draft = openDraft(path, { later: noTimer });
    const { field } = desk({ draft });
    const attachments = [1, 2].map((at) => ({ mark: `[image #${at}]`, image: new Uint8Array([1, 2, 3]) }));
    const stored = () => {
      field.keepDraft();
      const names = readdirSync(folder).filter((name) => name.endsWith(".picture"));
      return names.map((name) => statSync(join(folder, name)).mtimeMs);
    };
    field.setText("[image #1] and [image #2]", "message", false, attachments);
    const first = stored();
    expect([first.length, stored()]).toEqual([1, first]);
    draft.close();
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
