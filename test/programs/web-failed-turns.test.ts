import { expect } from "vitest";
import { status, text } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { browserStage } from "./browser.ts";

const refused = (why: string) => status(400, { error: { message: why } });

itWith("chromium", "a failed turn is told at its place, from the first message on and after a reload", async () => {
  await using t = await browserStage([text("Ready."), refused("no such key"), text("Answered."), refused("no credit")]);
  await t.s.run(["-p", "an earlier question"]);
  const page = await t.open();
  await page.getByRole("link", { name: "New session in project" }).click();
  const field = page.getByRole("textbox", { name: "Message", exact: true });
  const conversation = page.getByRole("log");
  const lines = () => conversation.locator(".bubble .plain, .bubble .markdown, .notice").allTextContents();
  const send = async (message: string) => {
    await field.fill(message);
    await page.keyboard.press("Control+Enter");
  };
  await send("first");
  await conversation.getByText("The model call failed: 400 no such key").waitFor();
  await send("second");
  await conversation.getByText("Answered.").waitFor();
  await send("third");
  await conversation.getByText("The model call failed: 400 no credit").waitFor();
  const shown = ["first", expect.stringContaining("no such key"), "second", "Answered.", "third"];
  await expect.poll(lines).toEqual([...shown, expect.stringContaining("no credit")]);
  expect(await page.getByRole("region", { name: "Notices" }).count()).toBe(0);

  await page.reload();
  await expect.poll(lines).toEqual([...shown, expect.stringContaining("no credit")]);
  await conversation.getByRole("button", { name: "Retry" }).waitFor();
  expect(t.complaints).toEqual([]);
});
