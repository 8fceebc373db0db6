import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { FIRST_QUESTION, writeSession } from "../bench/terminal-stage.ts";
import { startModelServer, text } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { fullScreen } from "./full-screen.ts";
import { scratch } from "./scorel.ts";

async function stage(config = "") {
  const s = scratch();
  const server = await startModelServer([text("Hi."), text("Hi again.")]);
  s.useModel(server.baseUrl, config);
  const dispose = async () => {
    s[Symbol.dispose]();
    await server.close();
  };
  return Object.assign(s, { [Symbol.asyncDispose]: dispose });
}

describeWith("script", "lists of the terminal application", () => {
  it("open by keys that the help shows: models, presets, skills and settings", async () => {
    await using s = await stage();
    const skill = join(s.home, ".scorel", "skills", "sums");
    mkdirSync(skill, { recursive: true });
    writeFileSync(join(skill, "SKILL.md"), "---\nname: sums\ndescription: Adds numbers up.\n---\nAdd them.\n");
    await using t = fullScreen(s, [], { columns: 110, rows: 64 });
    await t.shows("scripted-model");
    t.type("\u001bOP");
    for (const words of ["Alt-P", "Alt-N", "Alt-K", "Alt-,"]) await t.shows(words);
    t.type("\u001b");
    await t.hides("Alt-K");
    t.type("\u001bp");
    await t.shows(/scripted-model +this one · \d+k tokens/);
    t.type("\u001b");
    await t.hides("Models");
    t.type("\u001b,");
    await t.shows("Settings and where they come from");
    t.type("agentretries");
    await t.shows(/agent\.retries = \d+ +default/);
    t.type("\u001b");
    await t.hides("Settings and where");
    t.type("\u001bk");
    await t.shows(/sums +Adds numbers up\./);
    t.type("sums\r");
    await t.shows("> $sums");
    t.type("\u0003");
    t.type("\u001bn");
    await t.shows("Presets: choosing one begins a new session");
    t.type("readonly");
    await t.hides("coding");
    t.type("\r");
    await t.hides("Presets:");
    t.type("/tools\r");
    await t.shows("Grep");
    expect(t.screen.text()).not.toContain("Bash");
  });

  it("lead out of a session that is deleted, and back, and are found by the commands that other tools have", async () => {
    await using s = await stage();
    await using t = fullScreen(s, [], { columns: 110, rows: 40 });
    await t.shows("scripted-model");
    t.type("hello there\r");
    await t.shows("Hi.");
    t.type("\u001br");
    await t.shows("Sessions of this project");
    await t.shows(/• hello there|› hello there/);
    t.type("\u0004");
    await t.shows('Move "hello there" to the trash?');
    t.type("y");
    await t.shows("the session you were in, is in the trash, and this is a new one. To restore it: /restore");
    await t.hides("Hi.");
    t.type("/status\r");
    await t.shows("state      idle");
    t.type("/restore\r");
    await t.shows(/› hello there/);
    t.type("\r");
    await t.shows("Hi.");
    t.type("/config\r");
    await t.shows('There is no command "/config". Did you mean /settings?');
    // The field is empty for the next command, and Up brings the one back that could not run.
    await t.shows(/─\n> *\n/);
    t.type("\u001b[A");
    await t.shows(/─\n\/config *\n/);
    t.type("\u0003");
    await t.shows(/─\n> *\n/);
    t.type("/confi");
    await t.shows(/\/settings +settings, where each comes from/);
    t.type("\u0003");
    t.type("/settings\r");
    await t.shows("Settings and where they come from");
    t.type("\u001b");
    await t.hides("Settings and where");
    t.type("/model\r");
    await t.shows(/scripted-model +this one/);
    t.type("\u001b");
    await t.hides("this one");
    t.type("/rename Sums\r");
    await t.shows('The session is named "Sums".');
    expect(t.screen.text()).not.toContain("Session renamed to");
    t.type("/exit\r");
    expect(await t.code).toBe(0);
    expect(t.screen.text()).toContain("To continue: scorel --session");
  });

  it("include none of a session that was deleted elsewhere, which says so until it is restored", async () => {
    await using s = await stage();
    await using t = fullScreen(s, [], { columns: 110, rows: 40 });
    await t.shows("scripted-model");
    t.type("hello there\r");
    await t.shows("Hi.");
    const [id = ""] = s.logs().map((path) => basename(path, ".jsonl"));
    const session = async (action: string) => (await s.run(["session", action, id])).code;
    expect(await session("delete")).toBe(0);
    await t.shows("This session was deleted, and is in the trash. To restore it: /restore");
    t.type("/restore\r");
    await t.shows(/Session \S+ is back\./);
    await t.hides("This session was deleted");
    expect(await session("delete")).toBe(0);
    await t.shows("This session was deleted");
    expect(await session("restore")).toBe(0);
    t.type("again\r");
    await t.shows("Hi again.");
  });

  it("changes between the modes that may be chosen, without those that are locked", async () => {
    await using s = await stage('[permissions]\nmode = "ask"\n');
    const file = join(s.home, ".scorel", "config.toml");
    writeFileSync(file, `locked = ["permissions.mode"]\n${readFileSync(file, "utf8")}`);
    await using t = fullScreen(s);
    await t.shows("scripted-model");
    t.type("\u001b[Z");
    await t.shows("plan · ");
    t.type("\u001b[Z");
    await t.shows("ask · ");
  });

  it("are a key away from the very beginning of a conversation of 800 rounds", async () => {
    await using s = await stage();
    await using t = fullScreen(s, ["--session", writeSession(s.home, 800)], { rows: 60 });
    await t.shows("Question 3196");
    t.type("\u001b[1;5H");
    await t.shows(FIRST_QUESTION);
    await t.hides("Loading earlier messages");
    t.type("\u001b[1;5F");
    await t.shows("Question 3196");
  });
});
