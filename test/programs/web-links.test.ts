import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { delayUntil, gate, text } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { browserStage } from "./browser.ts";

/** What browsers say of a host that does not answer, on purpose here. */
const isOfCut = (complaint: string) => /WebSocket connection|ERR_CONNECTION/.test(complaint);

itWith(
  "chromium",
  "a page goes on when its host was replaced during a turn: nothing is lost or doubled, and what waits still waits",
  async () => {
    const never = gate();
    await using t = await browserStage([
      text("An earlier answer."),
      [text("Half of an answer."), delayUntil(never.promise)],
    ]);
    await t.s.run(["-p", "an earlier question"]);
    const page = await t.open();
    await page.getByRole("link", { name: "New session in project" }).click();
    const field = page.getByRole("textbox", { name: "Message" });
    await field.fill("The first question.");
    await page.keyboard.press("Control+Enter");
    const conversation = page.getByRole("log");
    await conversation.getByText("Half of an answer.").waitFor();
    await field.fill("What waits.");
    await page.keyboard.press("Control+Enter");
    const waiting = page.getByRole("region", { name: "Waiting messages" });
    await waiting.getByText("What waits.").waitFor();

    const said = page.getByText("The host has stopped. The page goes on when it is started again.").waitFor();
    const replaced = await t.s.run(["host", "serve", "--replace", "--port", new URL(t.address).port]);
    const back = performance.now();
    expect([replaced.code, replaced.stdout]).toEqual([0, expect.stringContaining(t.address)]);
    await said;
    await page.getByText("The host has stopped.").waitFor({ state: "detached" });
    expect(performance.now() - back).toBeLessThan(2_500);
    await waiting.getByText("What waits.").waitFor();
    expect(await conversation.getByText("The first question.").count()).toBe(1);
    expect(await conversation.getByText("Half of an answer.").count()).toBe(1);

    const file = readFileSync(join(t.s.home, ".scorel/host/tokens.json"), "utf8");
    const token = await page.evaluate(() => sessionStorage.getItem("scorel.token"));
    expect(token).toMatch(/^scorel_/);
    expect(file).not.toContain(token);
    expect((await t.s.run(["host", "token", "list"])).stdout).toMatch(/^page {2}admin {2}until \S+Z$/m);
    expect((await t.s.run(["host", "token", "remove", "page"])).code).toBe(0);
    await page.getByText("The host does not accept this page's token any more.").waitFor();
    never.open();
    expect(t.complaints.filter((each) => !isOfCut(each))).toEqual([]);
  },
);
