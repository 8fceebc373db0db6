import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { text, thinking, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { barriers } from "./axe.ts";
import { browserStage } from "./browser.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const RICH = [
  "# A title\n\nWords with `code`, [a link](https://example.com/x) and **weight**.",
  "- [x] done\n- [ ] open\n\n> A quotation.",
  "```ts\nconst a: number = 1; // a comment\n```",
  "| a | b |\n|---|---|\n| 1 | 2 |",
].join("\n\n");
const STEPS = [
  { content: "Look", status: "completed", activeForm: "Looking" },
  { content: "Change", status: "in_progress", activeForm: "Changing" },
];

const field = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });

async function send(page: Page, message: string): Promise<void> {
  await field(page).fill(message);
  await page.keyboard.press("Control+Enter");
}

/** A page with a project, and replies that show every kind of card and then ask. */
async function richStage() {
  const t = await browserStage(
    [
      [thinking("Let me look."), text(RICH), toolCall("Bash", { command: "echo seen; exit 3" })],
      toolCall("Write", { file_path: "plan.txt", content: "one\ntwo\n" }),
      toolCall("Edit", { file_path: "plan.txt", old_string: "one", new_string: "three" }),
      toolCall("TodoWrite", { todos: STEPS }),
      text("All is done."),
      text("Seen the picture."),
      toolCall("Bash", { command: "touch made.txt && echo hello" }),
      text("It is made. There was nothing else to do"),
    ],
    { more: 'input = ["text", "image"]\n' },
  );
  await t.s.run(["project", "add", t.s.project]);
  const page = await t.open();
  return { t, page, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

/** Adds every kind of card to a conversation. */
async function converse(page: Page): Promise<void> {
  const conversation = page.getByRole("log");
  await page.getByLabel("Permission mode").selectOption("full");
  await send(page, "Show everything.");
  await conversation.getByText("All is done.").waitFor();
  await field(page).evaluate((element, base64) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], "pixel.png"));
    element.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData: transfer }));
  }, PIXEL);
  await page.getByRole("list", { name: "Pictures of this message" }).getByRole("img").waitFor();
  await send(page, "See this.");
  await conversation.getByText("Seen the picture.").waitFor();
}

/**
 * Scrolls to the end of a conversation until `shown` is visible; the conversation grows while its messages are laid
 * out.
 */
async function toTheEnd(conversation: Locator, shown: Locator): Promise<void> {
  await expect
    .poll(async () => {
      await conversation.evaluate((log) => log.scrollTo(0, log.scrollHeight));
      return shown.count();
    })
    .toBe(1);
}

const DESKTOP = { width: 1280, height: 800 };

itWith(
  "chromium",
  "no screen has a barrier",
  async () => {
    await using stage = await richStage();
    const { t, page } = stage;
    const found: string[] = [];
    const look = async (screen: string, of = page) => {
      found.push(...(await barriers(of, screen)));
      await of.setViewportSize(DESKTOP);
    };
    const dialog = async (name: string) => {
      await page.getByRole("dialog", { name }).waitFor();
      await look(name);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog", { name }).waitFor({ state: "detached" });
    };
    const choose = async (menu: string, command: string) => {
      await page.getByRole("button", { name: menu, exact: true }).first().click();
      await page.getByRole("menuitem", { name: command, exact: true }).click();
    };
    const entrance = await t.open({ link: t.address });
    await entrance.getByRole("heading").waitFor();
    await look("entrance", entrance);
    await entrance.close();
    await page.getByRole("link", { name: "New session in project" }).waitFor();
    await look("empty");
    await page.getByRole("link", { name: "New session in project" }).click();
    await page.getByRole("button", { name: /^Model/ }).waitFor();
    await look("new session");
    await converse(page);
    const closed = page.getByRole("log").getByRole("button", { expanded: false });
    while ((await closed.count()) > 0) await closed.first().click();
    await look("conversation, end");
    await page.getByRole("log").evaluate((log) => log.scrollTo(0, 0));
    await look("conversation, beginning");
    await page.getByRole("button", { name: "Actions for Show everything." }).last().click();
    await page.getByRole("menu").waitFor();
    await look("menu");
    await page.keyboard.press("Escape");
    await choose("Actions for Show everything.", "Rename");
    await dialog("Rename the session");
    await choose("More", "Deleted sessions");
    await dialog("Deleted sessions");
    await choose("More", "Add a project");
    await page.getByRole("dialog").getByRole("button", { name: "Add this directory" }).waitFor();
    await dialog("Add a project");
    await page.getByRole("button", { name: /^Model/ }).click();
    await dialog("Choose a model");
    await page.getByRole("button", { name: "Go back…" }).last().click();
    await dialog("Go back to before this message");
    await toTheEnd(page.getByRole("log"), page.getByRole("button", { name: "Show Picture 1" }));
    await page.getByRole("button", { name: "Show Picture 1" }).click();
    await dialog("Picture 1");
    await page.getByLabel("Permission mode").focus();
    await page.getByLabel("Permission mode").selectOption("ask");
    await send(page, "Make it.");
    await page.getByRole("region", { name: "Your answer is needed" }).waitFor();
    await look("question");
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole("button", { name: "Menu" }).click();
    expect(await page.getByRole("navigation", { name: "Sessions" }).evaluate((nav) => nav.matches(":focus"))).toBe(
      true,
    );
    found.push(...(await barriers(page, "drawer")));
    expect(found).toEqual([]);
    expect(t.complaints).toEqual([]);
  },
  180_000,
);

const focused = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement;
    return at?.getAttribute("aria-label") ?? at?.textContent ?? "";
  });

itWith("chromium", "replies are told in whole sentences, and a question once", async () => {
  await using stage = await richStage();
  const { t, page } = stage;
  await page.getByRole("link", { name: "New session in project" }).click();
  await converse(page);
  // Everything that a screen reader speaks, in order: all texts that were ever in a live region.
  await page.evaluate(() => {
    const spoken: string[] = [];
    Object.assign(globalThis, { spoken });
    const tell = (node: Node) => {
      const region = (node instanceof Element ? node : node.parentElement)?.closest("[aria-live=polite], [role=alert]");
      if (region && node.textContent !== "") spoken.push(node.textContent ?? "");
    };
    new MutationObserver((records) => {
      for (const { type, target, addedNodes } of records)
        if (type === "characterData") tell(target);
        else for (const node of addedNodes) tell(node);
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
  });
  await page.getByLabel("Permission mode").focus();
  await page.getByLabel("Permission mode").selectOption("ask");
  await send(page, "Make it.");
  const question = page.getByRole("region", { name: "Your answer is needed" });
  const title = await question.getByRole("heading").textContent();
  await question.getByRole("button", { name: "yes, this once" }).click();
  await page.getByRole("log").getByText("It is made.").waitFor();
  const spoken = () => page.evaluate(() => (globalThis as unknown as { spoken: string[] }).spoken);
  const told = [`Your answer is needed: ${title?.trim()}`, "It is made.", "There was nothing else to do"];
  await expect.poll(spoken).toEqual(told);
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "the focus goes into dialogs and back, and to the next one when a session is deleted", async () => {
  await using t = await browserStage([text("First."), text("Second.")]);
  await t.s.run(["-p", "the first question"]);
  await t.s.run(["-p", "the second question"]);
  const page = await t.open();
  await page.getByRole("link", { name: /the second question/ }).waitFor();
  await page.keyboard.press("Tab");
  expect(await focused(page)).toBe("Skip to the conversation");
  await page.keyboard.press("Enter");
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("MAIN");

  const menu = page.getByRole("button", { name: "Actions for the second question" });
  await menu.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Rename" }).waitFor();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Rename the session" });
  await dialog.waitFor();
  expect(await focused(page)).toBe("Name");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(await focused(page)).toBe("Actions for the second question");

  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Delete" }).focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(page)).toContain("the first question");
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "a token is offered only what it may do, with the reason for the rest", async () => {
  await using t = await browserStage([text("The answer.")]);
  await t.s.run(["-p", "a question"]);
  const enter = async (scope: string) => {
    await t.s.run(["host", "token", "rotate", "limited", "--scope", scope]);
    const page = await t.open({ link: t.address });
    const token = readFileSync(join(t.s.home, ".scorel/host/limited.token"), "utf8");
    await page.getByLabel("Or enter a token of this host:").fill(token);
    await page.getByRole("button", { name: "Connect" }).click();
    await page.getByRole("link", { name: "a question" }).click();
    await page.getByRole("log").getByText("The answer.").waitFor();
    const names = (role: "button" | "link" | "combobox") =>
      page
        .getByRole(role)
        .evaluateAll((all) =>
          all.map((each) => `${each.ariaLabel ?? each.textContent}${each.matches(":disabled") ? " (off)" : ""}`),
        );
    return {
      page,
      offers: async () => [...(await names("link")), ...(await names("button")), ...(await names("combobox"))],
    };
  };
  const reader = await enter("view");
  expect(await reader.offers()).toEqual([
    expect.stringContaining("a question"),
    "Skip to the conversation",
    "Waiting",
    "More",
    "Details",
    "Copy",
    "Copy",
  ]);
  await reader.page.getByText("This page's token may read sessions.").waitFor();
  await reader.page.goto(`${t.address}/#/new/${encodeURIComponent(t.s.project)}`);
  await reader.page.getByText("This page's token may not begin sessions.").waitFor();
  expect(await barriers(reader.page, "limited token")).toEqual([]);

  const writer = await enter("view,prompt,approve");
  expect(await writer.offers()).toEqual([
    "New session in project",
    expect.stringContaining("a question"),
    "Skip to the conversation",
    "Waiting",
    "More",
    "Details",
    "Copy",
    "Copy",
    "Attach…",
    "Send (off)",
    expect.stringMatching(/^Model: .*\(off\)$/),
    "Permission mode (off)",
    "Thinking level (off)",
  ]);
  expect(await writer.page.getByLabel("Thinking level").getAttribute("title")).toBe(
    "Changing this needs the scope admin.",
  );
  expect(t.complaints).toEqual([]);
});
