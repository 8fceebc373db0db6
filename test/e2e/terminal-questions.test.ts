import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { delayUntil, gate, startModelServer, text, toolCall } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { fullScreen, typingOver } from "./full-screen.ts";
import { scratch } from "./scorel.ts";

describeWith("script", "a question in the terminal application", () => {
  it.each([
    ["the field is empty", "", "Esc declines and stops"],
    ["a message is being written", "half a mess", "Esc declines and stops"],
    ["a message was left to answer", "half a mess\t", "Tab goes back to your draft"],
  ])("is declined by Esc, which stops the turn and keeps the field, while %s", async (_what, typed, hint) => {
    using s = scratch();
    const asking = gate();
    await using server = await startModelServer([
      [text("Wait."), delayUntil(asking.promise), toolCall("Bash", { command: "touch no" })],
      text("Never."),
    ]);
    s.useModel(server.baseUrl);
    await using t = fullScreen(s, [], { columns: 110 });
    await t.shows("scripted-model");
    t.type("go\r");
    await t.shows("Wait.");
    t.type(typed.replace("\t", ""));
    asking.open();
    await t.shows("yes, this once");
    await typingOver();
    if (typed.endsWith("\t")) t.type("\t");
    await t.shows(hint);
    t.type("\u001b");
    await t.shows("! Interrupted.");
    await t.hides("yes, this once");
    expect(t.screen.text()).toContain(`> ${typed}`.trim());
    expect(server.requests).toHaveLength(1);
    expect(existsSync(join(s.project, "no"))).toBe(false);
  });
});
