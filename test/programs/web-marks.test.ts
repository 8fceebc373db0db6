import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { text, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { barriers } from "./axe.ts";
import { browserStage, hostClient } from "./browser.ts";

/** The link of a session, optionally with this mark. */
const row = (page: Page, name: string, mark?: string) =>
  page
    .getByRole("navigation", { name: "Sessions" })
    .getByRole("link", { name: mark === undefined ? new RegExp(`^${name} `) : `${name} ${mark}`, exact: true });

const dialogOf = (page: Page) => page.getByRole("dialog", { name: "Waiting for you" });

const touch = (file: string) => toolCall("Bash", { command: `touch ${file}` });

/** The title of the tab without that of the session. */
async function titleOf(page: Page): Promise<string> {
  return (await page.title()).replace(/^(\(\d+\) )?.* – /, "$1");
}

itWith("chromium", "two browsers mark sessions that work, wait or are unread, and list all that wait", async () => {
  await using t = await browserStage([
    text("A first answer."),
    touch("beta.txt"),
    touch("alpha.txt"),
    text("Beta is made."),
    text("Alpha is made."),
    toolCall("Bash", { command: Array.from({ length: 200 }, (_, at) => `touch ${at}.txt`).join("\n") }),
    text("Nothing more."),
  ]);
  const client = await hostClient(t.s.home, "writer");
  try {
    const create = async (name: string) => {
      const session = { cwd: t.s.project, name, permission: "ask" } as const;
      const { sessionId } = await client.request("create_session", session);
      await client.request("attend_requests", { sessionId });
      return sessionId;
    };
    const [alpha, beta] = [await create("Alpha"), await create("Beta")];
    const say = async (sessionId: string, content: string) => {
      const { id } = await client.request("send_message", { sessionId, content });
      return () => client.request("wait_turn", { sessionId, id });
    };
    const one = await t.open();
    const two = await t.open();
    await row(one, "Alpha").click();
    await one.getByRole("textbox", { name: "Message", exact: true }).waitFor();
    await row(two, "Beta").click();
    await two.getByRole("textbox", { name: "Message", exact: true }).waitFor();

    // A reply is marked as new until somebody has looked at it, on any page.
    const ended = await say(alpha, "Answer me.");
    await ended();
    await row(two, "Alpha", "new").waitFor();
    await two.getByRole("status").getByText("Alpha has something new.").waitFor();
    await one.getByRole("log").getByText("A first answer.").waitFor();
    expect(await row(one, "Alpha", "new").count()).toBe(0);
    expect(await barriers(two, "something new")).toEqual([]);
    await row(two, "Alpha", "new").click();
    await row(two, "Alpha", "new").waitFor({ state: "detached" });
    await two.getByRole("status").getByText("Alpha has something new.").waitFor({ state: "detached" });
    await row(two, "Beta").click();
    await two.reload();
    await row(two, "Beta").waitFor();
    await one.reload();
    await row(one, "Beta").waitFor();
    expect([await row(one, "Alpha", "new").count(), await row(two, "Alpha", "new").count()]).toEqual([0, 0]);

    // Both pages know the open questions, and show their number in the title and the icon.
    await say(beta, "Make beta.");
    await row(one, "Beta", "waiting for you").waitFor();
    await one.getByRole("status").getByText("Beta waits for your answer.").waitFor();
    await expect.poll(() => titleOf(one)).toBe("(1) Scorel");
    await say(alpha, "Make alpha.");
    await expect.poll(async () => [await titleOf(one), await titleOf(two)]).toEqual(["(2) Scorel", "(2) Scorel"]);
    expect(await one.locator("link[rel=icon]").getAttribute("href")).toMatch(/icon-asking\.svg$/);
    await two.getByRole("button", { name: "2 waiting" }).waitFor();

    // The list contains exactly the open questions, and answers them from anywhere.
    await two.keyboard.press("Control+k");
    await two.getByRole("combobox", { name: "A session, project or action" }).fill("Waiting for you");
    await two.keyboard.press("Enter");
    const first = dialogOf(two).getByRole("listitem", { name: "Alpha" });
    const second = dialogOf(two).getByRole("listitem", { name: "Beta" });
    await first.getByText("$ touch alpha.txt").waitFor();
    await second.getByText("$ touch beta.txt").waitFor();
    await second.getByText("in project").waitFor();
    expect(await barriers(two, "all that waits")).toEqual([]);
    await second.getByRole("button", { name: "yes, this once" }).click();
    await second.getByText("Answered.").waitFor();
    await expect.poll(() => existsSync(join(t.s.project, "beta.txt"))).toBe(true);
    await expect.poll(() => titleOf(one)).toBe("(1) Scorel");

    // A question that was answered elsewhere cannot be answered any more, and stays in its place.
    const question = one.getByRole("region", { name: "Your answer is needed" });
    await question.getByRole("button", { name: "yes, this once" }).click();
    await first.getByText("Answered.").waitFor();
    expect(await first.getByRole("button", { name: "yes, this once" }).isDisabled()).toBe(true);
    await expect.poll(() => titleOf(two)).toBe("Scorel");
    expect(await two.locator("link[rel=icon]").getAttribute("href")).toMatch(/icon\.svg$/);
    await two.keyboard.press("Escape");
    await two.keyboard.press("q");
    await dialogOf(two).getByText("Nothing waits for you").waitFor();

    // A question that is too long for the list is answered in its session.
    await row(one, "Beta", "new").waitFor();
    await say(beta, "Make many.");
    await second.getByText(/^\d{3} lines, /).waitFor();
    expect(await second.getByRole("button").count()).toBe(0);
    await second.getByRole("link", { name: "Open the session to answer" }).click();
    await two.getByRole("article", { name: "Beta" }).waitFor();
    expect(await dialogOf(two).count()).toBe(0);
    await two.getByRole("button", { name: /^no/i }).click();
    await expect.poll(() => titleOf(two)).toBe("Scorel");
    expect(t.complaints).toEqual([]);
  } finally {
    await client.close();
  }
});

/**
 * Runs in the page before its scripts: records notifications, grants the permission, and lets the test hide the tab.
 */
function record() {
  const all = globalThis as any;
  all.notices = [];
  all.askedForNotices = 0;
  let permission = "default";
  const Real = all.Notification;
  all.Notification = class extends Real {
    static get permission() {
      return permission;
    }
    static async requestPermission() {
      all.askedForNotices++;
      permission = "granted";
      return permission;
    }
    constructor(title: string, options: { body: string }) {
      super(title, options);
      this.record = { title, body: options.body, isClosed: false };
      all.notices.push(this.record);
    }
    close() {
      this.record.isClosed = true;
      super.close();
    }
  };
  Object.defineProperty(all.document, "hidden", { get: () => all.isHidden === true });
}

const hide = (page: Page, isHidden: boolean) =>
  page.evaluate((now) => {
    const all = globalThis as any;
    all.isHidden = now;
    all.document.dispatchEvent(new all.Event("visibilitychange"));
  }, isHidden);

const noticesOf = (page: Page) => page.evaluate<unknown[]>("globalThis.notices");

itWith("chromium", "after a yes, the browser notifies of waiting sessions while the page is not in sight", async () => {
  await using t = await browserStage([1, 2, 3, 4].flatMap((at) => [touch(`${at}.txt`), text(`Made ${at}.`)]));
  const client = await hostClient(t.s.home, "writer");
  try {
    const { sessionId } = await client.request("create_session", {
      cwd: t.s.project,
      name: "Secret",
      permission: "ask",
    });
    await client.request("attend_requests", { sessionId });
    const page = await t.open({ permissions: ["notifications"] });
    await page.addInitScript(record);
    // The link's code works only once, so a page that is left before it has its token needs another link.
    await row(page, "Secret").waitFor();
    await page.reload();
    await row(page, "Secret").waitFor();
    const ask = async () => {
      const { id } = await client.request("send_message", { sessionId, content: "Make it." });
      await expect.poll(() => titleOf(page)).toBe("(1) Scorel");
      return id;
    };
    const answer = async (id: string) => {
      const { requests } = await client.request("list_requests", { sessionId });
      const requestId = requests[0]?.requestId ?? "";
      await client.request("answer_request", { sessionId, requestId, answer: "y" });
      await expect.poll(() => titleOf(page)).toBe("Scorel");
      await client.request("wait_turn", { sessionId, id });
    };

    // Until the user wants notifications, there are none, and the browser is not asked for the permission.
    await hide(page, true);
    await answer(await ask());
    expect([await noticesOf(page), await page.evaluate("globalThis.askedForNotices")]).toEqual([[], 0]);
    await hide(page, false);
    await page.keyboard.press("q");
    await dialogOf(page).getByRole("button", { name: "Notify me…" }).click();
    await dialogOf(page).getByRole("button", { name: "Do not notify me any more" }).waitFor();
    expect(await page.evaluate("globalThis.askedForNotices")).toBe(1);
    expect(await barriers(page, "notifications")).toEqual([]);

    // No notification while the page is visible; while it is hidden, one without the session's name.
    await answer(await ask());
    expect(await noticesOf(page)).toEqual([]);
    await hide(page, true);
    const id = await ask();
    const notice = { title: "Scorel", body: "A session waits for your answer.", isClosed: false };
    await expect.poll(() => noticesOf(page)).toEqual([notice]);
    await answer(id);
    await expect.poll(() => noticesOf(page)).toEqual([{ ...notice, isClosed: true }]);

    // The name is shown if the user chose this, and the notification is closed when the page is visible again.
    await hide(page, false);
    await dialogOf(page).getByRole("checkbox", { name: "Name the session, also where others may see it" }).check();
    await hide(page, true);
    await ask();
    const named = { title: "Scorel", body: "Secret waits for your answer.", isClosed: false };
    await expect.poll(async () => (await noticesOf(page))[1]).toEqual(named);
    await hide(page, false);
    expect((await noticesOf(page))[1]).toEqual({ ...named, isClosed: true });
    expect(t.complaints).toEqual([]);
  } finally {
    await client.close();
  }
});
