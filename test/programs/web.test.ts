import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { text, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { browserStage } from "./browser.ts";

itWith(
  "chromium",
  "a page is let in by a link that works once, and begins a conversation in which a command is asked about",
  async () => {
    await using t = await browserStage([
      text("An earlier answer."),
      [text("I will **make** a file."), toolCall("Bash", { command: "touch made.txt && echo hello" })],
      text("Done: `hello`.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[a link](https://example.com/x)"),
    ]);
    await t.s.run(["-p", "an earlier question"]);

    const page = await t.open();
    await page.getByRole("link", { name: /an earlier question/ }).waitFor();
    expect(page.url()).toBe(`${t.address}/`);
    await page.getByRole("link", { name: "New session in project" }).click();
    await page.getByRole("textbox", { name: "Message" }).fill("Make a file.");
    await page.keyboard.press("Control+Enter");

    const question = page.getByRole("region", { name: "Your answer is needed" });
    await question.getByText("$ touch made.txt && echo hello").waitFor();
    await expect.poll(() => page.title()).toBe("(1) Make a file. – Scorel");
    expect(existsSync(join(t.s.project, "made.txt"))).toBe(false);
    await question.getByRole("button", { name: "yes, this once" }).click();

    const conversation = page.getByRole("log");
    await conversation.getByText("Done:").waitFor();
    expect(existsSync(join(t.s.project, "made.txt"))).toBe(true);
    expect(await question.count()).toBe(0);
    expect(await conversation.getByRole("strong").allTextContents()).toEqual(["make"]);
    expect(await conversation.getByRole("cell").allTextContents()).toEqual(["1", "2"]);
    expect(await conversation.getByRole("link").getAttribute("href")).toBe("https://example.com/x");
    await expect.poll(() => page.title()).toBe("Make a file. – Scorel");

    await page.reload();
    await page.getByRole("log").getByText("Done:").waitFor();
    expect(t.complaints).toEqual([]);
  },
);

itWith(
  "chromium",
  "a new tab is let in by an open one while that one is connected, and by none afterwards",
  async () => {
    await using t = await browserStage([text("An earlier answer.")]);
    await t.s.run(["-p", "an earlier question"]);
    const page = await t.open();
    const link = page.getByRole("link", { name: /an earlier question/ });
    const [second] = await Promise.all([
      page.context().waitForEvent("page"),
      link.click({ modifiers: ["ControlOrMeta"] }),
    ]);
    await second.getByRole("log").getByText("An earlier answer.").waitFor();
    const storedIn = (tab: typeof page) =>
      tab.evaluate(() => [sessionStorage, localStorage].map((storage) => storage.getItem("scorel.token")));
    const [token] = await storedIn(page);
    expect(token).toMatch(/^scorel_/);
    expect(await storedIn(second)).toEqual([token, null]);
    await second.reload();
    await second.getByRole("log").getByText("An earlier answer.").waitFor();

    const open = async () => {
      const tab = await page.context().newPage();
      await tab.goto(page.url());
      return tab;
    };
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
    t.network.refuse(true);
    for (const tab of [page, second]) await tab.getByText("The connection was lost.").waitFor();
    const third = await open();
    await third.getByRole("heading", { name: "Open this page with a link" }).waitFor();
    expect(await storedIn(third)).toEqual([null, null]);

    t.network.refuse(false);
    for (const tab of [page, second]) await tab.getByText("The connection was lost.").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "More" }).first().click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    for (const tab of [page, second, await open()])
      await tab.getByRole("heading", { name: "Open this page with a link" }).waitFor();
  },
);

itWith("chromium", "a page whose link was made in a directory begins with a new session there", async () => {
  await using t = await browserStage([text("Hello.")]);
  const page = await t.open({ link: await t.link(t.s.project) });
  await page.getByRole("textbox", { name: "Message" }).fill("hello");
  await page.keyboard.press("Enter");
  await page.getByRole("log").getByText("Hello.").waitFor();
  const { stdout } = await t.s.run(["session", "list", "--output", "json"]);
  expect(JSON.parse(stdout)).toMatchObject([{ cwd: t.s.project }]);
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "a link that was used says so to the next page, and how to get another one", async () => {
  await using t = await browserStage([]);
  const link = await t.link();
  const first = await t.open({ link });
  await first.getByRole("navigation", { name: "Sessions" }).waitFor();
  const second = await t.open({ link });
  await second.getByText("This link was used already").waitFor();
  await second.getByText("scorel up").waitFor();
  expect(second.url()).toBe(`${t.address}/`);
});

itWith("chromium", "a link that could not be exchanged yet lets the page in when that is tried again", async () => {
  await using t = await browserStage([]);
  const isAccess = "**/access";
  const page = await t.open({ before: (fresh) => fresh.route(isAccess, (route) => route.abort()) });
  const again = page.getByRole("button", { name: "Try again" });
  await again.waitFor();
  expect(page.url()).toBe(`${t.address}/`);
  await page.unroute(isAccess);
  await again.click();
  await page.getByRole("navigation", { name: "Sessions" }).waitFor();
  expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual(["scorel.token"]);
});
