import { mkdirSync } from "node:fs";
import { join } from "node:path";
import history from "@scorel/history";
import type { Operations, SessionStatus } from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import projects from "@scorel/projects";
import search from "@scorel/search";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { History } from "../../../../plugins/terminal/input/history.ts";
import { HistoryWalk } from "../../../../plugins/terminal/input/history-walk.ts";
import type { KeyAction } from "../../../../plugins/terminal/keys.ts";
import type { Component, Surroundings } from "../../../../plugins/terminal/parts.ts";
import { createPickers, type PickerHost } from "../../../../plugins/terminal/pickers/actions.ts";
import { pickersEn } from "../../../../plugins/terminal/words/pickers.ts";
import { FIRST_QUESTION, writeSession } from "../../../bench/terminal-stage.ts";
import { eventually } from "../../../eventually.ts";
import { ask, echoAgent, type TestHome, type TestHost, testHome, testHost } from "../../host/home.ts";
import { png, quarters } from "../../images/pictures.ts";
import { desk, key, press } from "../input/desk.ts";

let home: TestHome;
let running: TestHost;
let sessionId: string;

beforeEach(async () => {
  home = testHome();
  running = await testHost([echoAgent], [], [history]);
  sessionId = (await running.client.request("create_session", { cwd: home.cwd })).sessionId;
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

/** An application that shows one picker at a time. */
function application({ client } = running, more: Partial<Surroundings> = {}) {
  const { field, at } = desk({}, { client, cwd: home.cwd, sessionId, rows: 16, ...more });
  let open: Component | undefined;
  const failed: unknown[] = [];
  const entered: SessionStatus[] = [];
  const host: PickerHost = {
    ...at,
    tell: at.tell,
    pickerWords: pickersEn,
    show: (part) => {
      open = part;
    },
    attempt: (work) => void work().catch((thrown) => failed.push(thrown)),
    load: (id) => client.request("load_session", { sessionId: id }),
    enter: async (status) => void entered.push(status),
    begin: async () => void entered.push(await client.request("create_session", { cwd: home.cwd })),
    say: at.tell,
  };
  const walk = new HistoryWalk(new History(home.session("../prompts/p.jsonl")), () => {});
  const pickers = createPickers(host, field, walk);
  return {
    field,
    walk,
    pickers,
    failed,
    entered,
    told: at.told,
    open: (action: KeyAction) => pickers.actions[action]?.(),
    isOpen: () => open !== undefined,
    type: (...inputs: string[]) => open && press(open, ...inputs),
    line: (at: number) => (open?.render(80) ?? [])[at],
    foot: (width = 80) => open?.render(width).at(-1),
    rows: (width = 80) => (open?.render(width) ?? []).slice(3, -2).filter((line) => line !== ""),
  };
}

/** A session with one message, after which these files were changed. */
async function withChanges(changes: Operations["preview_files"]["result"]["changes"]): Promise<void> {
  const target = { sessionId: z.string(), targetEventId: z.string() };
  const keeper = definePlugin({
    ...{ id: "keeper", name: "Keeper", version: "1.0.0" },
    operations: () => ({
      preview_files: { params: z.strictObject(target), run: () => ({ changes, notCovered: [] }) },
    }),
  });
  await running[Symbol.asyncDispose]();
  running = await testHost([echoAgent, keeper], [], [history]);
  sessionId = (await running.client.request("create_session", { cwd: home.cwd })).sessionId;
  await ask(running.client, sessionId, "first");
}

describe("the picker of sessions", () => {
  it("lists those of this project, then of all, and goes to one without its id being typed", async () => {
    const { client } = running;
    await ask(client, sessionId, "fix the parser");
    const other = await client.request("create_session", { cwd: home.cwd });
    await ask(client, other.sessionId, "write the docs");
    const elsewhere = await client.request("create_session", { cwd: home.home });
    await ask(client, elsewhere.sessionId, "tidy up");
    const app = application();
    app.open("sessions");
    await eventually(() =>
      expect(app.rows()).toEqual([
        expect.stringMatching(/^› write the docs +2 messages · just now$/),
        expect.stringMatching(/^• fix the parser +2 messages · this one · just now$/),
      ]),
    );
    app.type(key.tab);
    await eventually(() => expect(app.rows().join("\n")).toContain("tidy up"));
    app.type("docs", key.enter);
    await eventually(() => expect(app.entered.map((status) => status.sessionId)).toEqual([other.sessionId]));
    expect(app.isOpen()).toBe(false);
  });

  it("lists those of all folders of the project, with the way to another folder", async () => {
    await running[Symbol.asyncDispose]();
    running = await testHost([echoAgent], [], [history, projects]);
    const { client } = running;
    const folders = ["", "big/.git", "big/pkg3/src", "big/pkg5"].map((path) => join(home.cwd, path));
    for (const folder of folders) mkdirSync(folder, { recursive: true });
    const [outside = "", , inner = "", shown = ""] = folders;
    for (const [cwd, text] of [
      [outside, "tidy up"],
      [inner, "fix the parser"],
      [join(home.cwd, "big"), "plan it"],
      [shown, "write the docs"],
    ] as const) {
      ({ sessionId } = await client.request("create_session", { cwd }));
      await ask(client, sessionId, text);
    }
    const app = application(running, { status: await client.request("get_status", { sessionId }) });
    app.open("sessions");
    await eventually(() =>
      expect(app.rows()).toEqual([
        expect.stringMatching(/^› write the docs +2 messages · this one · just now$/),
        expect.stringMatching(/^ {2}plan it +\.\. · 2 messages · just now$/),
        expect.stringMatching(/^ {2}fix the parser +\.\.\/pkg3\/src · 2 messages · just now$/),
      ]),
    );
    // In the narrow list beside a preview, the way stands in place of the number of messages.
    expect(app.rows(100)[2]).toMatch(/^ {2}fix the parser +\.\.\/pkg3\/src · just now │/);
  });

  it("also searches the messages, and shows where a session has the words below those with them in the title", async () => {
    await running[Symbol.asyncDispose]();
    running = await testHost([echoAgent], [], [history, projects, search]);
    const { client } = running;
    const begun = async (...texts: string[]) => {
      ({ sessionId } = await client.request("create_session", { cwd: home.cwd }));
      for (const text of texts) await ask(client, sessionId, text);
      return sessionId;
    };
    await begun("plan it", "where is the melon?");
    const titled = await begun("a melon, please");
    await begun("tidy up");
    const app = application(running, { status: await client.request("get_status", { sessionId }) });
    app.open("sessions");
    await eventually(() => expect(app.rows()).toHaveLength(3));
    app.type("melon");
    await eventually(() => {
      expect(app.rows()).toEqual([
        expect.stringMatching(/^› a melon, please /),
        expect.stringMatching(/^ {2}plan it: where is the melon\? /),
      ]);
    });
    app.type(" where");
    expect(app.rows()).toEqual(["Searching the messages…"]);
    await eventually(() => expect(app.rows()).toEqual(['Nothing matches "melon where".']));
    app.type("\x15", "the  melon");
    await eventually(() => expect(app.rows(120).join("\n")).toMatch(/│ Found: where is the melon\?/));
    app.type(key.enter);
    await eventually(() => expect(app.entered.map(({ sessionId }) => sessionId)).toEqual([expect.any(String)]));
    expect(app.entered[0]?.sessionId).not.toBe(titled);
  });

  it("shows the last words of the conversation as it is now, without what was undone", async () => {
    const { client } = running;
    await ask(client, sessionId, "fix the parser");
    await ask(client, sessionId, "write the docs");
    await client.request("undo", { sessionId });
    await ask(client, sessionId, "tidy up");
    const app = application();
    app.open("sessions");
    const said = ["> fix the parser", "echo: fix the parser", "> tidy up", "echo: tidy up"];
    const preview = () => app.rows(120).flatMap((row) => row.split(" │ ")[1] ?? []);
    await eventually(() => expect(preview()).toEqual([home.cwd, ...said]));
  });

  it("shows the last words that were not undone, however much was undone after them", async () => {
    const { client } = running;
    await ask(client, sessionId, "fix the parser");
    const { leafId } = await client.request("get_status", { sessionId });
    for (let round = 0; round < 100; round++) await ask(client, sessionId, `once more, ${round}`);
    await client.request("rewind", { sessionId, targetEventId: leafId });
    const app = application();
    app.open("sessions");
    const preview = () => app.rows(120).flatMap((row) => row.split(" │ ")[1] ?? []);
    await eventually(() => expect(preview()).toEqual([home.cwd, "> fix the parser", "echo: fix the parser"]));
  });

  it("begins with the sessions that are open, and marks them, when one is chosen to start with", async () => {
    const { client } = running;
    await ask(client, sessionId, "fix the parser");
    const closed = await client.request("create_session", { cwd: home.cwd });
    await ask(client, closed.sessionId, "write the docs");
    await client.request("close_session", { sessionId: closed.sessionId });
    const app = application();
    const chosen = app.pickers.choose();
    await eventually(() =>
      expect(app.rows()).toEqual([
        expect.stringMatching(/^› fix the parser +2 messages · open · this one · just now$/),
        expect.stringMatching(/^ {2}write the docs +2 messages · just now$/),
      ]),
    );
    app.type(key.down, key.enter);
    expect(await chosen).toBe(closed.sessionId);
  });

  it("marks the copy of a session, which has the same title", async () => {
    await ask(running.client, sessionId, "fix the parser");
    await running.client.request("clone_session", { sessionId, atOnce: true });
    const app = application();
    app.open("sessions");
    await eventually(() =>
      expect(
        app
          .rows()
          .map((row) => row.slice(2).replace(/ +/g, " "))
          .sort(),
      ).toEqual(["fix the parser 2 messages · this one · just now", "fix the parser copy · 2 messages · just now"]),
    );
  });

  it("says that a session has a question, also in the narrow list beside a preview", async () => {
    const client = Object.create(running.client, {
      request: { value: async (name: "list_sessions", params: object) => withQuestions(name, params) },
    });
    const withQuestions = async (name: "list_sessions", params: object) => {
      const answer = await running.client.request(name, params);
      if (name !== "list_sessions") return answer;
      return { sessions: answer.sessions.map((session) => ({ ...session, questions: ["select"] })) };
    };
    const other = await running.client.request("create_session", { cwd: home.cwd });
    await ask(running.client, other.sessionId, "write the docs");
    const app = application({ ...running, client });
    app.open("sessions");
    await eventually(() => expect(app.rows(120)[0]).toMatch(/^› write the docs +just now · has a question │/));
    expect(app.rows(100)[0]).toMatch(/^› write the docs +has a question │/);
  });

  it("renames a session, and deletes one after a yes", async () => {
    const { client } = running;
    const other = await client.request("create_session", { cwd: home.cwd });
    await ask(client, sessionId, "first");
    await ask(client, other.sessionId, "second");
    const app = application();
    app.open("sessions");
    await eventually(() => expect(app.rows()).toHaveLength(2));
    app.type(key.down, "\x12");
    expect([app.line(1), app.foot()]).toEqual(["New name: first", "Enter saves it · Esc leaves it as it was"]);
    app.type(" work", key.enter);
    await eventually(() => expect(app.rows()[1]).toMatch(/^› first work /));
    app.type(key.up, "\x04", key.escape, "\x04");
    expect(app.foot()).toBe("y confirms · n or Esc cancels");
    app.type("y");
    await eventually(() => expect(app.rows()).toEqual([expect.stringMatching(/^› first work /)]));
    expect(app.line(2)).toBe('"second" is in the trash. Ctrl-Z restores it; /restore lists the trash.');
    app.type("\x1a");
    await eventually(() => expect(app.rows()).toHaveLength(2));
    expect(app.line(2)).toBe('"second" is back.');
    app.type("\x1a");
    expect(app.line(2)).toBe("Nothing was deleted in this list. /restore lists the trash.");
    expect(other.sessionId).not.toBe(sessionId);
  });

  it("archives a session, lists those that are archived, and takes them back", async () => {
    const { client } = running;
    await ask(client, sessionId, "first");
    const other = await client.request("create_session", { cwd: home.cwd });
    await ask(client, other.sessionId, "second");
    const app = application();
    app.open("sessions");
    await eventually(() => expect(app.rows()).toHaveLength(2));
    app.type("\x01");
    await eventually(() => expect(app.rows()).toEqual([expect.stringMatching(/^› first /)]));
    expect(app.line(2)).toBe('"second" is archived. It comes back when something is said in it.');
    app.type(key.tab, key.tab);
    await eventually(() => expect(app.rows()).toEqual([expect.stringMatching(/^› second /)]));
    expect([app.line(0), app.foot(120)]).toEqual([
      "Archived sessions of all projects",
      "Enter chooses · Tab this project · Ctrl-R renames · Ctrl-D deletes · Ctrl-A takes it back · Esc closes · 1/1",
    ]);
    app.type("\x01");
    await eventually(() => expect(app.rows()).toEqual(["No session is archived."]));
    app.type(key.tab);
    await eventually(() => expect(app.rows()).toHaveLength(2));
  });

  it("restores two sessions when the key is pressed twice at once", async () => {
    const { client } = running;
    for (const text of ["first", "second"]) {
      const { sessionId } = await client.request("create_session", { cwd: home.cwd });
      await ask(client, sessionId, text);
    }
    const app = application();
    app.open("sessions");
    for (const left of [2, 1, 0]) {
      await eventually(() => expect(app.rows()[0]).toMatch(left === 0 ? /^There is no other session/ : /^› /));
      await eventually(() => expect(app.rows()).toHaveLength(Math.max(1, left)));
      if (left > 0) app.type("\x04", "y");
    }
    app.type("\x1a", "\x1a");
    await eventually(() => expect(app.rows()).toHaveLength(2));
  });

  it("moves on to a new session when the one that is shown is deleted", async () => {
    await ask(running.client, sessionId, "first");
    const app = application();
    app.open("sessions");
    await eventually(() => expect(app.rows()[0]).toMatch(/^• first|^› first/));
    app.type("\x04", "y");
    await eventually(() => expect(app.told).toHaveLength(1));
    expect([app.isOpen(), app.entered.length, app.told]).toEqual([
      false,
      1,
      ['"first", the session you were in, is in the trash, and this is a new one. To restore it: /restore'],
    ]);
  });

  it("shows all projects when this one has no session, and keeps names and ages in a narrow window", async () => {
    const { client } = running;
    const elsewhere = await client.request("create_session", { cwd: home.home });
    await ask(client, elsewhere.sessionId, "tidy up");
    const app = application();
    app.open("sessions");
    await eventually(() => expect(app.rows()).toEqual(["There is no other session yet."]));
    expect(app.rows(160).join("")).not.toContain("Loading");
    app.type(key.tab);
    await eventually(() => expect(app.rows()[0]).toMatch(/^› tidy up +…\S+ · 2 messages · just now$/));
    expect(app.rows(40)[0]).toMatch(/^› tidy up +…\S+ · just now$/);
    expect(app.foot(40)).toBe("Enter chooses · Esc closes");
  });
});

describe("going back", () => {
  it("lists the messages of a person, shows what would be lost, and returns the text to the field", async () => {
    const { client } = running;
    const long = `second ${"word ".repeat(60)}end`;
    for (const text of ["first", long, "third"]) await ask(client, sessionId, text);
    const app = application();
    app.pickers.rewind();
    await eventually(() => expect(app.rows()[0]).toMatch(/^› third/));
    app.type(key.down);
    await eventually(() => expect(app.rows(160).join("\n")).toContain("echo: third"));
    app.type(key.enter);
    await eventually(() => expect(app.field.text).toBe(long));
    expect([app.field.mode, app.failed]).toEqual(["message", []]);
    expect(app.told).toEqual([expect.stringMatching(/echo: first.* \/redo undoes this\.$/)]);
    const { messages } = await client.request("get_context", { sessionId });
    expect(messages).toHaveLength(2);
  });

  it("attaches the pictures of the message, not those of another one with the same marks", async () => {
    const { client } = running;
    const image = png(2, 2, quarters(2, 2));
    const picture = { type: "image" as const, mimeType: "image/png", data: image.toString("base64") };
    const content = [{ type: "text" as const, text: "[image #1] why red?" }, picture];
    const { id } = await client.request("send_message", { sessionId, content });
    await client.request("wait_turn", { sessionId, id });
    const app = application();
    app.field.attach({ mark: "[image #1]", image: Buffer.from("another") });
    app.pickers.rewind();
    await eventually(() => expect(app.rows()[0]).toMatch(/why red/));
    app.type(key.enter);
    await eventually(() => expect(app.field.text).toBe("[image #1] why red?"));
    expect(app.field.attachments).toEqual([{ mark: "[image #1]", image }]);
  });

  it("says which file is kept as it is, and what replaces it, and does not offer to restore it", async () => {
    const conflict = "it was changed afterwards by another program";
    const changes = [{ path: "cart.js", kind: "modified" as const, diff: "-two\n+one\n", conflict }];
    await withChanges(changes);
    const app = application();
    app.pickers.rewind();
    await eventually(() => expect(app.rows(160).join("\n")).toContain("cart.js"));
    const shown = app.rows(160).join("\n");
    expect([shown.includes("would change"), shown.includes("+one")]).toEqual([false, false]);
    expect(shown).toContain("1 file is kept as it is (to replace it: /rewind start --files");
    app.type(key.enter);
    await eventually(() => expect(app.field.text).toBe("first"));
    expect([app.isOpen(), app.failed]).toEqual([false, []]);
  });

  it("says beside each choice how many files it restores, also in a window without room for their list", async () => {
    const created = (path: string) => ({ path, kind: "created" as const });
    await withChanges([created("cart.js"), created("shop.js")]);
    const app = application();
    app.pickers.rewind();
    await eventually(() => expect(app.rows(60).join("\n")).toContain("first"));
    app.type(key.enter);
    await eventually(() => expect(app.rows(60)).toHaveLength(3));
    expect(app.rows(60).map((row) => row.trim().replace(/ +/g, " "))).toEqual([
      "› The conversation and the files 2 files",
      "The conversation only",
      "The files only 2 files",
    ]);
  });

  it("finds the first message of a conversation that has more events than one answer", async () => {
    sessionId = writeSession(home.home, 1_300);
    const app = application();
    app.pickers.rewind();
    app.type(FIRST_QUESTION);
    await eventually(() => expect(app.rows()).toEqual([expect.stringContaining(`› ${FIRST_QUESTION}`)]));
  });

  it("goes back to the very start", async () => {
    await ask(running.client, sessionId, "/only");
    const app = application();
    app.pickers.rewind();
    await eventually(() => expect(app.rows()).toEqual([expect.stringMatching(/^› \/only/)]));
    app.type(key.enter);
    await eventually(() => expect(app.field.text).toBe("/only"));
    expect(app.field.mode).toBe("message");
    const { messages } = await running.client.request("get_context", { sessionId });
    expect(messages).toEqual([]);
  });

  it("shows the parts between branch points as a tree from the present one on, and goes to the end of one", async () => {
    const { client } = running;
    await ask(client, sessionId, "start");
    const { leafId } = await client.request("get_status", { sessionId });
    await ask(client, sessionId, "one way");
    await ask(client, sessionId, "further");
    await client.request("rewind", { sessionId, targetEventId: leafId });
    const app = application();
    await ask(client, sessionId, "another way");
    app.open("branches");
    await eventually(() =>
      expect(app.rows().map((row) => row.replace(/ +(\d messages · )?just now$/, " $1"))).toEqual([
        "• start ",
        "    one way 2 messages · ",
        "›   another way ",
      ]),
    );
    app.type("further", key.enter);
    await eventually(() => expect(app.told).toHaveLength(1));
    const { messages } = await client.request("get_context", { sessionId });
    expect(messages).toHaveLength(6);
  });
});

describe("the picker of the history", () => {
  it("lists what was sent, and puts it into the field without running it", async () => {
    const app = application();
    app.walk.add({ mode: "message", text: "/permission full" });
    app.walk.add({ mode: "message", text: "two\nlines" });
    app.walk.add({ mode: "command", text: "help" });
    app.open("history");
    await eventually(() => expect(app.rows()).toEqual(["› /help", "  two lines", "  /permission full"]));
    app.type("perm", key.enter);
    await eventually(() => expect([app.field.mode, app.field.text]).toEqual(["message", "/permission full"]));
    app.open("history");
    await eventually(() => expect(app.rows()).toHaveLength(3));
    app.type(key.enter);
    await eventually(() => expect([app.field.mode, app.field.text]).toEqual(["command", "help"]));
  });
});
