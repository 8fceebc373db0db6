import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startModelServer, text } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { fullScreen } from "./full-screen.ts";
import { scratch } from "./scorel.ts";

describeWith("script", "the terminal application at its start", () => {
  it("sends what was typed before it was there, and before the session was open", async () => {
    using s = scratch();
    await using server = await startModelServer(({ body }) => text(`Answer ${body.messages.length}.`));
    s.useModel(server.baseUrl);
    for (const isAtOnce of [true, false]) {
      await using t = fullScreen(s, [], { columns: 100 });
      if (!isAtOnce) await t.shows("\n>");
      t.type("hello\r");
      await t.shows(/Answer \d/);
      expect(t.screen.text()).toMatch(/\n>\n/);
      t.type("/exit\r");
      expect(await t.code).toBe(0);
    }
  });

  it("shows notices as lines of the conversation, in which the name of a folder cannot add lines", async () => {
    using s = scratch();
    s.useModel("http://127.0.0.1:9");
    const project = join(s.project, "a\tb\nscorel: all is well");
    mkdirSync(join(project, ".scorel"), { recursive: true });
    writeFileSync(join(project, ".scorel", "config.toml"), "# nothing\n");
    await using t = fullScreen({ ...s, project }, [], { columns: 120 });
    await t.shows("Trust it? [y]es, [N]o (continue without it), [s]how:");
    expect(t.screen.text()).toContain("a\\u{9}b\\u{a}scorel: all is well/.scorel: not trusted yet");
    t.type("n\r");
    await t.shows("· ");
    await t.shows(/· \S+a\\u\{9\}b\\u\{a\}scorel:\s+all\s+is\s+well\/\.scorel\s+is\s+not\s+trusted/);
    expect(t.screen.text()).toContain("Model: ");
    expect(t.screen.text()).toMatch(/─{120}\n>\s*\n─{120}/);
    t.type("/quit\r");
    expect(await t.code).toBe(0);
  });

  it("says why this model was chosen, until another one is named", async () => {
    using s = scratch();
    {
      await using t = fullScreen(s, [], { columns: 100, env: { OPENAI_API_KEY: "sk-none-of-anybody" } });
      await t.shows("It was chosen because OPENAI_API_KEY is set.");
      t.type("/quit\r");
      expect(await t.code).toBe(0);
    }
    s.useModel("http://127.0.0.1:9");
    await using t = fullScreen(s, [], { columns: 100, env: { OPENAI_API_KEY: "sk-none-of-anybody" } });
    await t.shows("scripted/scripted-model");
    await t.shows("? ");
    expect(t.screen.text()).not.toContain("It was chosen");
    t.type("/quit\r");
    expect(await t.code).toBe(0);
  });
});
