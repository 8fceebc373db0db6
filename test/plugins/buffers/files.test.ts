import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FilesService } from "@scorel/local/contract";
import { expect, it } from "vitest";
import type { BufferRequest } from "../../../plugins/buffers/contract.ts";
import { read, unsaved, write } from "../../../plugins/buffers/files.ts";
import { type Answer, Offers } from "../../../plugins/buffers/offers.ts";
import * as disk from "../../../plugins/local/files/files.ts";

type Client = (request: BufferRequest) => Answer | undefined;

/** A folder with files, and an editor that answers requests with the result of `client`. */
function place(client: Client) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "scorel-buffers-")));
  const told: string[] = [];
  const asked: BufferRequest[] = [];
  const offers: Offers = new Offers({
    answerMs: 100,
    tell: ({ message }) => void told.push(message),
    ask(requestId, clientId) {
      const request = offers.take(requestId, clientId);
      asked.push(request);
      const answer = client(request);
      if (answer) queueMicrotask(() => offers.answer(requestId, clientId, answer));
    },
  });
  const gone = new AbortController();
  offers.offer({ clientId: "editor", reads: true, writes: true }, gone.signal);
  const around = { offers, tell: ({ message }: Error) => void told.push(message) };
  const files: FilesService = { local: true, ...disk };
  return {
    ...{ folder, told, asked, offers, gone },
    path: (name: string) => join(folder, name),
    file: (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content),
    text: (name: string) => readFileSync(join(folder, name), "utf8"),
    read: async (name: string, options = {}) =>
      Buffer.from((await read(files, join(folder, name), options, around)).bytes).toString(),
    unsaved: async (name: string) => {
      const bytes = await unsaved(files, join(folder, name), {}, around);
      return bytes && Buffer.from(bytes).toString();
    },
    write: (name: string, content: string | Buffer, options = {}) =>
      write(files, join(folder, name), Buffer.from(content), options, around),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

it.each([
  ["a changed text", "one\n", "two\n", "two\n"],
  ["the saved text", "one\n", "one\n", undefined],
  ["a text without its last line break", "one\ntwo\n", "one\ntwo", undefined],
  ["a text with other line breaks", "one\r\ntwo\r\n", "one\ntwo\n", undefined],
  ["a changed text with other line breaks", "one\r\ntwo\r\n", "one\n2\n", "one\r\n2\r\n"],
  ["a changed text without the byte order mark", "\ufeffone\n", "two\n", "\ufefftwo\n"],
])("reads %s as the editor would save it", async (_what, saved, text, expected) => {
  using p = place(() => ({ text }));
  p.file("a.txt", saved);
  expect(await p.unsaved("a.txt")).toBe(expected);
  expect(await p.read("a.txt")).toBe(expected ?? saved);
});

it("reads the disk when the editor cannot answer, and does not ask it about files that are not text", async () => {
  using p = place(() => ({ reason: "not open" }));
  p.file("a.txt", "one\n");
  p.file("b.bin", Buffer.from([0, 1, 2]));
  p.file("c.txt", Buffer.from([0x63, 0xe4]));
  expect(await p.read("a.txt")).toBe("one\n");
  await p.read("b.bin");
  await p.read("c.txt");
  expect(p.asked).toEqual([{ path: p.path("a.txt") }]);
  expect(await p.unsaved("missing.txt")).toBeUndefined();
  await expect(p.read("missing.txt")).rejects.toMatchObject({ code: "ENOENT" });
});

it("refuses an unsaved text over the limit as it refuses a file", async () => {
  using p = place(() => ({ text: "a long text" }));
  p.file("a.txt", "one\n");
  await expect(p.read("a.txt", { maxBytes: 5 })).rejects.toMatchObject({ code: "EFBIG" });
});

it("an editor that does not answer is asked only once, and people are told", async () => {
  using p = place(() => undefined);
  p.file("a.txt", "one\n");
  expect(await p.read("a.txt")).toBe("one\n");
  expect(await p.read("a.txt")).toBe("one\n");
  expect(p.asked).toHaveLength(1);
  expect(p.told).toEqual([expect.stringContaining("did not send the content of a file within 0.1 s")]);
});

it("an editor that leaves is not waited for", async () => {
  using p = place(() => {
    p.gone.abort();
    return undefined;
  });
  p.file("a.txt", "one\n");
  expect(await p.read("a.txt")).toBe("one\n");
  expect(p.offers.has("reads")).toBe(false);
  expect(p.told).toEqual([]);
});

it("a call that is cancelled ends at once", async () => {
  const control = new AbortController();
  using p = place(() => {
    control.abort(new Error("cancelled"));
    return undefined;
  });
  p.file("a.txt", "one\n");
  await expect(p.read("a.txt", { signal: control.signal })).rejects.toThrow("cancelled");
});

it("only the client that is asked gets the request and can answer it", async () => {
  using p = place(() => undefined);
  const asked: string[] = [];
  const offers = new Offers({ answerMs: 50, tell: () => {}, ask: (id) => void asked.push(id) });
  const { signal } = new AbortController();
  offers.offer({ clientId: "first", reads: true, writes: false }, signal);
  offers.offer({ clientId: "last", reads: true, writes: true }, signal);
  const answer = offers.ask("reads", { path: p.path("a.txt") });
  const id = asked[0] as string;
  expect(() => offers.take(id, "first")).toThrow("no longer waits for an answer");
  expect(() => offers.answer(id, "first", { text: "mine" })).toThrow("no longer waits for an answer");
  offers.answer(id, "last", { text: "its own" });
  expect(await answer).toEqual({ text: "its own" });
  expect(() => offers.answer(id, "last", { text: "late" })).toThrow("no longer waits for an answer");
  offers.offer({ clientId: "last", reads: false, writes: false }, signal);
  expect([offers.has("reads"), offers.has("writes")]).toEqual([true, false]);
});

it("saves through the editor, and writes to the disk what the editor has not saved", async () => {
  using p = place(({ path, write: text }) => {
    if (text !== undefined && path.endsWith("saved.txt")) writeFileSync(path, text);
    if (text !== undefined && path.endsWith("formatted.txt")) writeFileSync(path, text.toUpperCase());
    return path.endsWith("refused.txt") ? { reason: "it is\u001b[2J read-only" } : {};
  });
  for (const name of ["saved", "formatted", "kept", "refused"]) {
    p.file(`${name}.txt`, "one\n");
    await p.write(`${name}.txt`, "two\n");
  }
  expect(["saved", "formatted", "kept", "refused"].map((name) => p.text(`${name}.txt`))).toEqual([
    "two\n",
    "TWO\n",
    "two\n",
    "two\n",
  ]);
  expect(p.told).toEqual([
    `The editor could not save ${p.path("refused.txt")} (it is read-only), so it was written to disk.`,
  ]);
});

it("creates files through the editor only in folders that exist, and follows no link", async () => {
  using p = place(({ path, write: text }) => {
    writeFileSync(path, text ?? "");
    return {};
  });
  await p.write("new.txt", "new\n", { create: true });
  expect(p.asked).toHaveLength(1);
  await p.write("folder/new.txt", "new\n", { create: true });
  await p.write("data.bin", Buffer.from([0, 1]), { create: true });
  expect(p.asked).toHaveLength(1);
  expect(p.text("folder/new.txt")).toBe("new\n");
  await expect(p.write("missing.txt", "x")).rejects.toMatchObject({ code: "ENOENT" });
  mkdirSync(p.path("outside"));
  symlinkSync(p.path("outside"), p.path("link"));
  await expect(p.write("link/a.txt", "x", { create: true })).rejects.toMatchObject({ code: "ESTALE" });
  expect(p.asked).toHaveLength(1);
});

it("neither reads nor asks the editor about a file that is larger than what goes through it", async () => {
  using p = place(() => ({ text: "" }));
  p.file("large.log", "");
  truncateSync(p.path("large.log"), 3 * 1024 ** 3);
  expect(await p.unsaved("large.log")).toBeUndefined();
  await p.write("large.log", "short\n");
  expect([p.text("large.log"), p.asked, p.told]).toEqual(["short\n", [], []]);
});
