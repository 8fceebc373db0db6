import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import coding from "@scorel/coding";
import images from "@scorel/images";
import { type AnyPlugin, definePlugin } from "@scorel/kernel";
import local from "@scorel/local";
import mentions from "@scorel/mentions";
import permissions from "@scorel/permissions";
import requests from "@scorel/requests";
import tools from "@scorel/tools";
import { describe, expect, it } from "vitest";
import { mentionsIn } from "../../plugins/mentions/attach/words.ts";
import { delayUntil, gate, type Script, startModelServer, text } from "../model-server.ts";
import { agentHost } from "./host/agent-host.ts";
import { testHome } from "./host/home.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A session with the real agent, tools and guards, and these files in its directory. */
async function world(
  files: Record<string, string | Buffer>,
  script: Script = [text("ok"), text("ok")],
  config: object = {},
  more: AnyPlugin[] = [],
) {
  const home = testHome();
  const put = (name: string, content: string | Buffer) => {
    mkdirSync(dirname(join(home.cwd, name)), { recursive: true });
    writeFileSync(join(home.cwd, name), content);
  };
  for (const [name, content] of Object.entries(files)) put(name, content);
  const server = await startModelServer(script);
  const session = [
    tools,
    requests,
    { plugin: permissions, origin: "test", config },
    local,
    images,
    coding,
    mentions,
    ...more,
  ];
  const { client, kernel } = await agentHost(server.baseUrl, { session, model: { input: ["text", "image"] } });
  const { sessionId } = await client.request("create_session", { cwd: home.cwd });
  const send = async (content: string, more: object = {}) =>
    client.request("send_message", { sessionId, content, ...more });
  return {
    client,
    sessionId,
    home,
    put,
    server,
    send,
    find: async (query: string, limit?: number) =>
      (await client.request("find_files", { sessionId, query, ...(limit && { limit }) })).files.map(({ path }) => path),
    /** The message that the model receives, and the one that people see. */
    async said(content: string, more: object = {}) {
      const { id } = await send(content, more);
      await client.request("wait_turn", { sessionId, id });
      const sent = server.requests.at(-1)?.body.messages.findLast(({ role }: { role: string }) => role === "user");
      const { events } = await client.request("get_events", { sessionId });
      const row = events.findLast(({ event }) => (event as any).message?.role === "user");
      return { content: sent.content, shown: row?.display.display === "bubble" ? row.display.text : undefined };
    },
    async [Symbol.asyncDispose]() {
      await kernel.stop();
      await server.close();
      home[Symbol.dispose]();
    },
  };
}

const attached = (path: string, body: string) => `Attached: ${path}\n\`\`\`\n${body}\n\`\`\``;

describe("find_files", () => {
  it("finds files by parts of their paths, best first, without those that git ignores or rules deny", async () => {
    await using t = await world(
      {
        ".gitignore": "out/\n",
        "src/cart.ts": "",
        "src/cart-total.ts": "",
        "test/cart.test.ts": "",
        "lib/chart.ts": "",
        "out/cart.js": "",
        "private/cart.ts": "",
        "docs/shopping cart.md": "",
      },
      [],
      { deny: ["Read(private/**)"] },
    );
    expect(await t.find("cart")).toEqual([
      ...["src/cart.ts", "test/cart.test.ts", "src/cart-total.ts", "docs/shopping cart.md", "lib/chart.ts"],
    ]);
    expect(await t.find("ctotal")).toEqual(["src/cart-total.ts"]);
    expect(await t.find("src/c")).toEqual(["src/cart.ts", "src/cart-total.ts"]);
    expect(await t.find("md shop")).toEqual(["docs/shopping cart.md"]);
    expect(await t.find("", 3)).toEqual(["docs", "lib", "src"]);
    expect((await t.client.request("find_files", { sessionId: t.sessionId, query: "test" })).files[0]).toEqual({
      path: "test",
      kind: "folder",
      matches: [0, 1, 2, 3],
    });
    t.put("src/new-file.ts", "");
    expect(await t.find("new-file")).toEqual(["src/new-file.ts"]);
  });

  it("answers with what it knows while names are being read, if that is wanted", async () => {
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`f${n % 50}/file-${n}.txt`, ""]));
    await using t = await world(many);
    const ask = () => t.client.request("find_files", { sessionId: t.sessionId, query: "file-2999", partial: true });
    const answers = [await ask()];
    while (answers.at(-1)?.reading) answers.push(await ask());
    const totals = answers.map(({ total }) => total);
    expect([answers.at(-1)?.files.map(({ path }) => path), totals.at(-1)]).toEqual([["f49/file-2999.txt"], 3_050]);
    expect(totals).toEqual(totals.toSorted((a, b) => a - b));
    const none = { sessionId: t.sessionId, query: "zzz", partial: true };
    let last = await t.client.request("find_files", none);
    while (last.reading) last = await t.client.request("find_files", none);
    expect(last).toEqual({ files: [], total: 3_050 });
  });
});

describe("a message that mentions files", () => {
  it("attaches them, whole or by lines, with a line for people about each", async () => {
    await using t = await world({
      "src/a.ts": "one\ntwo\nthree\nfour\n",
      "with space.md": "words\n",
      "docs/x.md": "",
      "docs/y/z.md": "",
    });
    const { content, shown } = await t.said('Compare @src/a.ts#L2-3, @"with space.md" and @docs.');
    expect(content.map((block: { text: string }) => block.text)).toEqual([
      'Compare @src/a.ts#L2-3, @"with space.md" and @docs.',
      attached("src/a.ts", "[lines 2-3 of 4; truncated, next offset 4]\n2\ttwo\n3\tthree"),
      attached("with space.md", "[lines 1-1 of 1]\n1\twords"),
      attached("docs/", "x.md\ny/"),
    ]);
    expect(shown).toBe(
      [
        'Compare @src/a.ts#L2-3, @"with space.md" and @docs.',
        "[attached: src/a.ts, lines 2-3 of 4]",
        "[attached: with space.md, 1 line]",
        "[attached: docs, 2 entries]",
      ].join("\n"),
    );
  });

  it("attaches lines of a file also as editors write them, unless the numbers are a part of the name", async () => {
    await using t = await world({ "src/a.ts": "one\ntwo\nthree\nfour\n", "log:2": "a log\n" });
    const { content } = await t.said("See @src/a.ts:2-3, @src/a.ts:4:7 and @log:2.");
    expect(content.slice(1).map((block: { text: string }) => block.text)).toEqual([
      attached("src/a.ts", "[lines 2-3 of 4; truncated, next offset 4]\n2\ttwo\n3\tthree"),
      attached("src/a.ts", "[lines 4-4 of 4]\n4\tfour"),
      attached("log:2", "[lines 1-1 of 1]\n1\ta log"),
    ]);
  });

  it("asks the sources of other plugins for the whole name, which may end with a number", async () => {
    const rows = definePlugin({
      id: "rows",
      name: "Rows",
      version: "1.0.0",
      mentionSources: () => [
        {
          takes: (word: string) => word.startsWith("db:"),
          attach: async (word: string) => [{ type: "text" as const, text: `row ${word}` }],
        },
      ],
    });
    await using t = await world({}, undefined, {}, [rows]);
    const { content } = await t.said("See @db:row:5.");
    expect(content.slice(1).map((block: { text: string }) => block.text)).toEqual([
      attached("db:row:5", "row db:row:5"),
    ]);
  });

  it("attaches an image as an image", async () => {
    await using t = await world({ "shot.png": Buffer.from(PIXEL, "base64") });
    const { content, shown } = await t.said("What is on @shot.png?");
    expect(content.some(({ type }: { type: string }) => type === "image_url")).toBe(true);
    expect(shown).toBe("What is on @shot.png?\n[attached: shot.png, an image]");
  });

  it("tells people and the model which files it does not find, and which it may not read", async () => {
    await using t = await world({ id_rsa: "KEY=1\n", "secret/plan.md": "hush\n" }, undefined, {
      deny: ["Read(secret/**)"],
    });
    writeFileSync(join(t.home.home, "outside.txt"), "outside\n");
    symlinkSync(join(t.home.home, "outside.txt"), join(t.home.cwd, "link.txt"));
    const words = "See @gone.ts, @id_rsa, @secret/plan.md and @link.txt";
    const { content, shown } = await t.said(words);
    expect(content.map((block: { text: string }) => block.text)).toEqual([
      words,
      "Not attached: gone.ts: there is no such file",
      "Not attached: id_rsa: id_rsa usually contains keys or passwords; if it is needed, read it with Read, and the user is asked",
      'Not attached: secret/plan.md: the rule "Read(secret/**)" denies it',
      "Not attached: link.txt: it is outside of the project; if it is needed, read it with Read, and the user is asked",
    ]);
    expect(shown?.split("\n").slice(1)).toEqual([
      "[not attached: gone.ts: there is no such file]",
      "[not attached: id_rsa: id_rsa usually contains keys or passwords; ask the model to read it, and you will be asked]",
      '[not attached: secret/plan.md: the rule "Read(secret/**)" denies it]',
      "[not attached: link.txt: it is outside of the project; ask the model to read it, and you will be asked]",
    ]);
  });

  it("tells nothing about a path outside of the project or one that a rule hides, whether something is there or not", async () => {
    await using t = await world({ "secret/plan.md": "hush\n", "src/a.ts": "" }, undefined, {
      deny: ["Read(secret/**)"],
    });
    const { home, cwd } = t.home;
    mkdirSync(join(home, ".scorel", "host"), { recursive: true });
    writeFileSync(join(home, ".scorel", "host", "owner.token"), "");
    writeFileSync(join(home, "notes.txt"), "");
    symlinkSync(home, join(cwd, "out"));
    symlinkSync(join(home, "notes.txt"), join(cwd, "there.txt"));
    symlinkSync(join(home, "nothing.txt"), join(cwd, "gone.txt"));
    const about = async (path: string) => (await t.said(`See @${path}`)).shown?.split("\n")[1]?.replace(path, "PATH");
    const closed =
      "[not attached: PATH: it is outside of the project; ask the model to read it, and you will be asked]";
    const outside = [
      ...[
        "/etc/shadow",
        "/etc/shadow-nope",
        "/etc/shadow/x",
        "/etc",
        "/nope/x",
        "../nope.txt",
        home,
        "~/notes.txt",
        "~/nope.txt",
      ],
      ...["~/.scorel/host/owner.token", "~/.scorel/host/nope.token", "~/.scorel/host", "there.txt", "gone.txt"],
      ...["out/notes.txt", "out/nope.txt", "out/notes.txt/x.txt", "out/.scorel/host/", "src/../../nope.txt"],
    ];
    for (const path of outside) expect([path, await about(path)]).toEqual([path, closed]);
    const hidden = '[not attached: PATH: the rule "Read(secret/**)" denies it]';
    for (const path of ["secret/plan.md", "secret/nope.md", "secret/x/", "secret/plan.md/x"])
      expect([path, await about(path)]).toEqual([path, hidden]);
    expect(await about("src/nope.ts")).toBe("[not attached: PATH: there is no such file]");
    expect(await about("src/a.ts/x.ts")).toBe("[not attached: PATH: there is no such file]");
  });

  it("attaches twenty, names the next one, and ignores the others", async () => {
    const names = Array.from({ length: 2_000 }, (_, n) => `f${n}.ts`);
    await using t = await world({ "f19.ts": "nineteen\n", "f20.ts": "twenty\n", "f21.ts": "twenty-one\n" });
    const words = names.map((name) => `@${name}`).join(" ");
    const { content } = await t.said(words);
    expect(content.map((block: { text: string }) => block.text)).toEqual([
      words,
      ...names.slice(0, 19).map((name) => `Not attached: ${name}: there is no such file`),
      "Attached: f19.ts\n```\n[lines 1-1 of 1]\n1\tnineteen\n```",
      "Not attached: f20.ts: a message can attach 20 files, and nothing from here on is attached",
    ]);
  });

  it("looks up some of the words that may be anything, as in pasted code, and all paths", async () => {
    await using t = await world({ early: "early\n", late: "late\n", "sure.ts": "sure\n" });
    const words = ["early", ...Array.from({ length: 250 }, (_, n) => `w${n}`), "late", "sure.ts"];
    const { content } = await t.said(words.map((word) => `@${word}`).join("\n"));
    expect(content.slice(1).map((block: { text: string }) => block.text.split("\n", 1)[0])).toEqual([
      "Attached: early",
      "Attached: sure.ts",
    ]);
  });

  it("stays unchanged when it only looks like one", async () => {
    await using t = await world({ "a.ts": "" });
    for (const words of ["Write to me@example.com", "Use @types/node and @someone", "a @ b", "`x@a.ts`"])
      expect(await t.said(words)).toEqual({ content: words, shown: words });
  });

  it("attaches nothing if its client does not want it, and no client can mark its own text as attached", async () => {
    await using t = await world({ "a.ts": "alpha\n" });
    expect(await t.said("See @a.ts", { mentions: false })).toEqual({ content: "See @a.ts", shown: "See @a.ts" });
    const hidden = [{ type: "text" as const, text: "Hello. ", attachment: true as const }];
    expect((await t.said(hidden as never)).shown).toBe("Hello. ");
  });

  it("is queued with its files, is shown as it was typed, and attaches those that it mentions after an edit", async () => {
    const answering = gate();
    await using t = await world({ "a.ts": "alpha\n", "b.ts": "beta\n" }, [
      [delayUntil(answering.promise), text("first")],
      text("second"),
    ]);
    await t.send("go");
    const { id } = await t.send("Read @a.ts");
    const { items } = await t.client.request("get_queue", { sessionId: t.sessionId });
    expect(items).toMatchObject([{ id, content: "Read @a.ts" }]);
    await t.client.request("rewrite_queue", { sessionId: t.sessionId, items: [{ id, content: "Read @b.ts" }] });
    answering.open();
    await t.client.request("wait_turn", { sessionId: t.sessionId, id });
    const last = t.server.requests.at(-1)?.body.messages.at(-1);
    expect(JSON.stringify(last)).toContain("beta");
    expect(JSON.stringify(last)).not.toContain("alpha");
  });
});

it("mentions are words that begin with @", () => {
  const paths = (words: string) => mentionsIn(words).map(({ forms }) => forms.at(-1));
  expect(paths("@a.ts, (@b/c.ts) @a.ts.")).toEqual([{ path: "a.ts" }, { path: "b/c.ts" }]);
  expect(paths("@x.ts#L7 @y.ts#L7-L9")).toEqual([
    { path: "x.ts", lines: { from: 7, to: 7 } },
    { path: "y.ts", lines: { from: 7, to: 9 } },
  ]);
  expect(paths('@x.ts:7, @y.ts:7-9 @z.ts:7:12 @"w x.ts":3')).toEqual([
    { path: "x.ts", lines: { from: 7, to: 7 }, isOfFile: true },
    { path: "y.ts", lines: { from: 7, to: 9 }, isOfFile: true },
    { path: "z.ts", lines: { from: 7, to: 7 }, isOfFile: true },
    { path: "w x.ts", lines: { from: 3, to: 3 }, isOfFile: true },
  ]);
  expect(paths("看 @a.ts。 （@b.ts:7） 「@c.ts」、 @d.ts！")).toEqual([
    { path: "a.ts" },
    { path: "b.ts", lines: { from: 7, to: 7 }, isOfFile: true },
    { path: "c.ts" },
    { path: "d.ts" },
  ]);
  expect(paths("比较@a.ts和，以及@b.ts:7，然后 @c.ts、@d.ts")).toEqual([
    { path: "a.ts和" },
    { path: "b.ts", lines: { from: 7, to: 7 }, isOfFile: true },
    { path: "c.ts" },
    { path: "d.ts" },
  ]);
  expect(paths("me@example.com")).toEqual([]);
  expect(mentionsIn("@host:8080 @src/gone.ts:5").map(({ isPath }) => isPath)).toEqual([false, true]);
});
