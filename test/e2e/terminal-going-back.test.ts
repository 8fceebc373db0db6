import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startModelServer, status, text, toolCall } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { fullScreen } from "./full-screen.ts";
import { scratch } from "./scorel.ts";

describeWith("script", "going back in the terminal application", () => {
  it("says how many files were restored, and tells the other terminals; branches are marked in their list", async () => {
    using s = scratch();
    await using server = await startModelServer(({ body }) => {
      const { role, content } = body.messages.at(-1);
      if (role === "tool") return text("Written.");
      return String(content).includes("write")
        ? toolCall("Write", { file_path: "note.txt", content: "hello\n" })
        : text("Another.");
    });
    s.useModel(server.baseUrl);
    const host = s.start(["host", "serve", "--foreground"]);
    await host.line((line) => line.startsWith("socket: "));
    await using t = fullScreen(s, ["--permission", "full"], { columns: 100 });
    await t.shows("full · scripted-model");
    t.type("hello there\r");
    await t.shows("Another.");
    t.type("write it\r");
    await t.shows("Written.");
    await using other = fullScreen(s, ["--continue"], { columns: 100 });
    await other.shows("Written.");
    expect(existsSync(join(s.project, "note.txt"))).toBe(true);
    t.type("\u001b");
    t.type("\u001b");
    await t.shows(/› write it/);
    t.type("\r");
    await t.shows("› The conversation and the files");
    t.type("\r");
    await t.shows("1 file was restored.");
    expect(existsSync(join(s.project, "note.txt"))).toBe(false);
    await other.shows("went to another place in the conversation,");
    await other.hides("Written.");
    expect(t.screen.text()).not.toContain("went to another place");
    await t.shows("> write it");
    t.type("\u0003");
    t.type("go another way\r");
    await other.shows("go another way");
    t.type("/branches\r");
    await t.shows(/›.*go another way/);
    expect(t.screen.text()).toContain("write it");
    t.type("\u001b");
    await t.hides("write it");
    for (const each of [t, other]) {
      each.type("\u0004");
      expect(await each.code).toBe(0);
    }
    host.child.kill("SIGTERM");
    await host.finished;
  }, 90_000);

  it("asks at the first Esc before the second one clears what is typed, which comes back from the history", async () => {
    using s = scratch();
    await using server = await startModelServer([text("Hello.")]);
    s.useModel(server.baseUrl);
    await using t = fullScreen(s);
    await t.shows("scripted-model");
    t.type("hi\r");
    await t.shows("Hello.");
    await t.hides("interrupt");
    t.type("a long draft");
    await t.shows("> a long draft");
    t.type("\u001b");
    await t.shows("Press Esc again to clear what you have typed.");
    await t.shows("> a long draft");
    t.type("\u001b");
    await t.shows("Cleared. Up brings it back.");
    await t.hides("> a long draft");
    t.type("\u001b[A");
    await t.shows("> a long draft");
    t.type("\u0003");
    await t.hides("> a long draft");
    t.type("\u001b[A");
    await t.shows("> a long draft");
  });

  it("offers /retry after a turn that failed, and shows no price that is not known", async () => {
    using s = scratch();
    let isDown = true;
    await using server = await startModelServer(() =>
      isDown ? status(400, { error: { message: "no such thing" } }) : text("Answered."),
    );
    s.useModel(server.baseUrl);
    await using t = fullScreen(s, [], { columns: 100 });
    await t.shows("ask · scripted-model");
    t.type("hello\r");
    await t.shows("/retry sends the last message again.");
    isDown = false;
    t.type("/retry\r");
    await t.shows("Answered.");
    expect(t.screen.text()).not.toContain("$0");
    t.type("/exit\r");
    expect(await t.code).toBe(0);
  });
});
