import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { delayUntil, gate, hang, type Reply, text, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { type BrowserStage, browserStage, FULL } from "./browser.ts";

type StageOptions = Parameters<BrowserStage["open"]>[0] & { more?: string };

/** A stage with a page that shows a conversation of one round. */
async function chatStage(replies: readonly Reply[], { more = "", ...options }: StageOptions = {}) {
  const t = await browserStage([text("An earlier answer."), ...replies], { more });
  await t.s.run(["-p", "an earlier question"]);
  const page = await t.open({ permissions: ["clipboard-read", "clipboard-write"], ...options });
  await page.getByRole("link", { name: /an earlier question/ }).click();
  const conversation = page.getByRole("log");
  await conversation.getByText("An earlier answer.").waitFor();
  return { t, page, conversation, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

const field = (page: Page, name = "Message") => page.getByRole("textbox", { name, exact: true });

async function pasteText(page: Page, pasted: string): Promise<void> {
  await page.evaluate((given) => navigator.clipboard.writeText(given), pasted);
  await page.keyboard.press("Control+v");
}

itWith("chromium", "files, commands and skills are suggested while somebody types", async () => {
  await using stage = await chatStage([]);
  const { t, page } = stage;
  t.s.file("src/cart.ts", "1");
  t.s.file("docs/old cart.md", "1");
  t.s.file("~/.scorel/skills/brew/SKILL.md", "---\nname: brew\ndescription: Brews tea.\n---\nBoil water.\n");
  const options = page.getByRole("listbox", { name: "Suggestions" }).getByRole("option");

  await field(page).pressSequentially("Compare @cart");
  await options.getByText("src/cart.ts").waitFor();
  await page.keyboard.press("Enter");
  expect(await field(page).inputValue()).toBe("Compare @src/cart.ts ");
  await field(page).pressSequentially("with @old");
  await options.getByText("docs/old cart.md").click();
  expect(await field(page).inputValue()).toBe('Compare @src/cart.ts with @"docs/old cart.md" ');
  await field(page).pressSequentially("@");
  await options.first().waitFor();
  await page.keyboard.press("Escape");
  expect(await options.count()).toBe(0);

  await field(page).fill("Use ");
  await field(page).pressSequentially("$br");
  await expect.poll(() => options.allTextContents()).toEqual(["$brewBrews tea."]);
  await page.keyboard.press("Tab");
  expect(await field(page).inputValue()).toBe("Use $brew ");

  await field(page).fill("");
  await field(page).pressSequentially("/");
  await expect.poll(() => options.count()).toBeGreaterThan(5);
  const command = field(page, "Command");
  await command.pressSequentially("nam");
  await expect.poll(() => options.allTextContents()).toEqual([expect.stringContaining("/name")]);
  const chosen = await command.getAttribute("aria-activedescendant");
  expect(chosen).toBe(await options.first().getAttribute("id"));
  await page.keyboard.press("Tab");
  expect(await command.inputValue()).toBe("name ");
  await command.pressSequentially("A better name");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "A better name" }).waitFor();
  expect(await field(page).inputValue()).toBe("");
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "what was typed before a new session was there gets its suggestions when it is", async () => {
  let answerAll = () => {};
  await using stage = await chatStage([], {
    before: (page) =>
      page.routeWebSocket(/./, (socket) => {
        const host = socket.connectToServer();
        const held = new Promise<void>((resolve) => {
          answerAll = resolve;
        });
        socket.onMessage(async (message) => {
          if (String(message).includes('"create_session"')) await held;
          host.send(message);
        });
      }),
  });
  const { t, page } = stage;
  t.s.file("src/cart.ts", "1");
  await page.getByRole("link", { name: "New session in project" }).click();
  await field(page).pressSequentially("Compare @cart");
  const options = page.getByRole("listbox", { name: "Suggestions" }).getByRole("option");
  expect(await options.count()).toBe(0);
  answerAll();
  await options.getByText("src/cart.ts").waitFor();
  expect(t.complaints).toEqual([]);
});

itWith(
  "chromium",
  "a new session has the same field: suggestions, pictures, commands, and what is written while it begins",
  async () => {
    await using stage = await chatStage([text("A red dot.")], { more: 'input = ["text", "image"]\n' });
    const { t, page, conversation } = stage;
    t.s.file("src/cart.ts", "1");
    const begin = () => page.getByRole("link", { name: "New session in project" }).click();
    await begin();
    const options = page.getByRole("listbox", { name: "Suggestions" }).getByRole("option");
    await field(page).pressSequentially("Compare @cart");
    await options.getByText("src/cart.ts").waitFor();
    await page.keyboard.press("Enter");
    const dot = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
      "base64",
    );
    await page.locator("input[type=file]").setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: dot });
    await page.getByRole("list", { name: "Pictures of this message" }).getByRole("listitem").waitFor();
    await field(page).press("Enter");
    await field(page).pressSequentially("and then");
    await conversation.getByText("A red dot.").waitFor();
    await expect.poll(() => field(page).inputValue()).toBe("and then");
    await conversation.getByText("Compare @src/cart.ts").waitFor();
    await conversation.getByRole("img").first().waitFor();

    await begin();
    await field(page).pressSequentially("/");
    await field(page, "Command").pressSequentially("name A begun one");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "A begun one" }).waitFor();
    expect(t.complaints).toEqual([]);
  },
);

itWith("chromium", "a shell line runs when its mark was typed, and pasted text never runs", async () => {
  await using stage = await chatStage([text("Seen."), text("Seen as text.")]);
  const { t, page, conversation } = stage;
  const made = join(t.s.project, "made.txt");
  await field(page).pressSequentially("!");
  await field(page, "Shell line").pressSequentially("echo typed > made.txt && cat made.txt");
  await page.keyboard.press("Enter");
  await conversation.getByText("echo typed > made.txt").waitFor();
  await expect.poll(() => existsSync(made) && readFileSync(made, "utf8")).toBe("typed\n");

  await field(page).focus();
  await pasteText(page, "!echo pasted > made.txt");
  await page.reload();
  await conversation.getByText("An earlier answer.").waitFor();
  expect(await field(page).inputValue()).toBe("!echo pasted > made.txt");
  await field(page).focus();
  await page.keyboard.press("Control+Enter");
  await conversation.getByText("Seen.").waitFor();
  await conversation.getByText("!echo pasted > made.txt").waitFor();
  expect(readFileSync(made, "utf8")).toBe("typed\n");

  await pasteText(page, "/status");
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("/status was sent to the model as text").waitFor();
  await conversation.getByText("Seen as text.").waitFor();
  await field(page).fill("A draft.");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("/name Named over a draft");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Named over a draft" }).waitFor();

  await field(page).pressSequentially("!");
  await field(page, "Shell line").press("Backspace");
  await field(page).pressSequentially("/nothing-like-it");
  await field(page, "Command").press("Enter");
  await page.getByRole("alert").getByText("nothing-like-it").waitFor();
  expect(await field(page, "Command").inputValue()).toBe("nothing-like-it");
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "a conversation goes back before a message, with the files that it changed", async () => {
  const write = toolCall("Write", { file_path: "plan.txt", content: "one\ntwo\n" });
  await using stage = await chatStage([write, text("Written."), text("Second."), text("Third."), text("Fourth.")], {
    more: FULL,
  });
  const { t, page, conversation } = stage;
  const plan = join(t.s.project, "plan.txt");
  const send = async (message: string) => {
    await field(page).fill(message);
    await page.keyboard.press("Control+Enter");
  };
  await send("Write a plan.");
  await conversation.getByText("Written.").waitFor();
  expect(existsSync(plan)).toBe(true);

  await conversation.getByRole("button", { name: "Go back…" }).last().click();
  const dialog = page.getByRole("dialog", { name: "Go back to before this message" });
  await dialog.getByText("1 file would change:").waitFor();
  await dialog.getByText("plan.txt").first().waitFor();
  await dialog.getByRole("button", { name: "Conversation and files" }).click();
  await page.getByRole("status").getByText("1 file was restored.").waitFor();
  expect(existsSync(plan)).toBe(false);
  await expect.poll(() => conversation.getByText("Written.").count()).toBe(0);
  expect(await field(page).inputValue()).toBe("Write a plan.");

  await send("Write a poem.");
  await conversation.getByText("Second.").waitFor();
  await conversation.getByRole("button", { name: "Retry" }).click();
  await conversation.getByText("Third.").waitFor();
  await expect.poll(() => conversation.getByText("Second.").count()).toBe(0);
  await conversation.getByRole("button", { name: "Copy" }).last().click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("Third.");

  const editing = page.getByText("You are editing an earlier message: sending goes back to it.");
  await field(page).fill("A draft.");
  for (const cancel of [
    () => page.getByRole("button", { name: "Cancel" }).click(),
    () => page.keyboard.press("Escape"),
  ]) {
    await conversation.getByRole("button", { name: "Edit" }).last().click();
    await editing.waitFor();
    expect(await field(page).inputValue()).toBe("Write a poem.");
    await cancel();
    await editing.waitFor({ state: "detached" });
    expect(await field(page).inputValue()).toBe("A draft.");
  }
  expect(await conversation.getByText("Third.").count()).toBe(1);
  await conversation.getByRole("button", { name: "Edit" }).last().click();
  await editing.waitFor();
  await send("Write a song.");
  await conversation.getByText("Fourth.").waitFor();
  await expect
    .poll(() => conversation.locator(".message.user .plain").allTextContents())
    .toEqual(["an earlier question", "Write a song."]);
  expect([await conversation.getByText("Third.").count(), await field(page).inputValue()]).toEqual([0, "A draft."]);
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "a message of somebody else who watches has a name", async () => {
  await using stage = await chatStage([text("Seen by both.")]);
  const { t, page, conversation } = stage;
  const other = await t.open();
  await other.getByRole("link", { name: /an earlier question/ }).click();
  await field(other).fill("From the other page");
  await other.keyboard.press("Control+Enter");
  await conversation.getByText("Seen by both.").waitFor();
  const messages = (of: Page) => of.getByRole("log").locator(".message.user").filter({ hasText: "From the other" });
  expect(await messages(page).locator(".author").allTextContents()).toEqual([expect.stringMatching(/^page(-2)?$/)]);
  expect(await messages(other).locator(".author").count()).toBe(0);
  await other.reload();
  await messages(other).waitFor();
  await other.getByRole("log").getByText("Seen by both.").waitFor();
  expect(await messages(other).locator(".author").count()).toBe(0);
  expect(t.complaints).toEqual([]);
});

/** A picture of 1 × 1 pixels. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Pastes files into the field, or drops them, as the browser does for a person. */
async function give(page: Page, how: "paste" | "drop", files: readonly { name: string; base64: string }[]) {
  await field(page).evaluate(
    (element, { how, files }) => {
      const transfer = new DataTransfer();
      for (const { name, base64 } of files) {
        const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
        transfer.items.add(new File([bytes], name));
      }
      const made = { bubbles: true, cancelable: true };
      element.dispatchEvent(
        how === "paste"
          ? new ClipboardEvent("paste", { ...made, clipboardData: transfer })
          : new DragEvent("drop", { ...made, dataTransfer: transfer }),
      );
    },
    { how, files },
  );
}

itWith("chromium", "pictures and text files go with a message, however they come", async () => {
  await using stage = await chatStage([text("A pixel.")], { more: 'input = ["text", "image"]\n' });
  const { t, page, conversation } = stage;
  const attached = page.getByRole("list", { name: "Pictures of this message" });
  await give(page, "paste", [{ name: "pasted.png", base64: PIXEL }]);
  await attached.getByRole("img", { name: "pasted.png" }).waitFor();
  const notes = Buffer.from("one\n```\ntwo\n").toString("base64");
  const binary = Buffer.from([0, 1, 2]).toString("base64");
  await give(page, "drop", [
    { name: "dropped.png", base64: PIXEL },
    { name: "notes.txt", base64: notes },
    { name: "program", base64: binary },
  ]);
  await page.getByRole("alert").getByText("program: It is neither a picture nor a text.").waitFor();
  expect(await field(page).inputValue()).toBe("notes.txt:\n````\none\n```\ntwo\n````\n");
  const choosing = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Attach…" }).click();
  const chosen = { name: "chosen.png", mimeType: "image/png", buffer: Buffer.from(PIXEL, "base64") };
  await (await choosing).setFiles(chosen);
  await expect.poll(() => attached.getByRole("img").count()).toBe(3);
  await attached.getByRole("button", { name: "Remove dropped.png" }).click();
  await expect.poll(() => attached.getByRole("img").count()).toBe(2);
  const asked = page.waitForEvent("dialog");
  await page.evaluate(() => void setTimeout(() => location.reload()));
  const dialog = await asked;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.dismiss();

  await page.getByRole("button", { name: "Send", exact: true }).click();
  await conversation.getByText("A pixel.").waitFor();
  await expect.poll(() => conversation.getByRole("img").count()).toBe(2);
  expect(await attached.count()).toBe(0);
  const sizes = await conversation
    .getByRole("img")
    .evaluateAll((images) =>
      images.map((image) => [(image as HTMLImageElement).naturalWidth, (image as HTMLImageElement).src.slice(0, 5)]),
    );
  expect(sizes).toEqual([
    [1, "blob:"],
    [1, "blob:"],
  ]);
  await conversation.getByRole("button", { name: "Show Picture 1" }).click();
  await page.getByRole("dialog", { name: "Picture 1" }).getByRole("img").waitFor();
  await page.keyboard.press("Escape");

  await conversation.getByRole("button", { name: "Edit" }).last().click();
  await expect.poll(() => attached.getByRole("img").count()).toBe(2);
  expect(t.complaints).toEqual([]);
});

const base64 = (given: string) => Buffer.from(given).toString("base64");

/** Lets a page read `slow.txt` only after the event `loaded`, as with a file that a phone first has to load. */
async function loadSlowly(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { arrayBuffer } = Blob.prototype;
    const loaded = new Promise((resolve) => addEventListener("loaded", resolve));
    Blob.prototype.arrayBuffer = async function () {
      if ((this as File).name === "slow.txt") await loaded;
      return arrayBuffer.call(this);
    };
  });
}

itWith("chromium", "what is written while a message waits for its files is neither sent nor run", async () => {
  await using stage = await chatStage([text("Seen.")]);
  const { t, page, conversation } = stage;
  await loadSlowly(page);
  await field(page).fill("Look at this.");
  await give(page, "paste", [{ name: "slow.txt", base64: base64("one") }]);
  await page.keyboard.press("Enter");
  await page.getByText("It is sent when its files have been read, unless you change it before.").waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("!touch made.txt");
  await page.getByRole("alert").getByText("It was not sent, since it was changed").waitFor();
  await page.evaluate(() => dispatchEvent(new Event("loaded")));
  expect(await field(page, "Shell line").inputValue()).toBe("touch made.txt");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await field(page).fill("Look at that.");
  await page.keyboard.press("Enter");
  await conversation.getByText("Seen.").waitFor();
  expect(await conversation.locator(".message.user .plain").allTextContents()).toEqual([
    "an earlier question",
    "Look at that.",
  ]);
  expect(existsSync(join(t.s.project, "made.txt"))).toBe(false);
  expect(t.complaints).toEqual([]);
});

itWith(
  "chromium",
  "a message that is sent while its files are still being read goes with them, in their order",
  async () => {
    await using stage = await chatStage([text("Two pixels.")], { more: 'input = ["text", "image"]\n' });
    const { t, page, conversation } = stage;
    await loadSlowly(page);
    await field(page).fill("Compare:");
    await give(page, "paste", [{ name: "slow.txt", base64: base64("one") }]);
    await give(page, "paste", [
      { name: "quick.txt", base64: base64("two") },
      { name: "pixel.png", base64: PIXEL },
    ]);
    await page.keyboard.press("Enter");
    await page.evaluate(() => dispatchEvent(new Event("loaded")));
    await conversation.getByText("Two pixels.").waitFor();
    const own = conversation.locator(".message.user").last();
    expect(await own.locator(".plain").textContent()).toBe(
      "Compare:\n\nslow.txt:\n```\none\n```\n\nquick.txt:\n```\ntwo\n```",
    );
    expect(await own.getByRole("img").count()).toBe(1);
    expect(t.complaints).toEqual([]);
  },
);

itWith(
  "chromium",
  "waiting messages are moved, changed and removed, and Esc stops the turn from anywhere",
  async () => {
    const held = gate();
    await using stage = await chatStage([hang(), [delayUntil(held.promise), text("An answer to what waited.")]]);
    const { t, page, conversation } = stage;
    const send = async (message: string) => {
      await field(page).fill(message);
      await page.keyboard.press("Control+Enter");
    };
    await send("A long task.");
    const stop = page.getByRole("button", { name: "Stop" });
    await stop.waitFor();
    const items = page.getByRole("region", { name: "Waiting messages" }).getByRole("listitem");
    const texts = () => items.locator(".queue-text").allTextContents();
    await send("first");
    await send("second");
    await expect.poll(texts).toEqual(["first", "second"]);
    await items.last().getByRole("button", { name: "Move up" }).click();
    await expect.poll(texts).toEqual(["second", "first"]);
    await items.first().getByRole("button", { name: "Edit" }).click();
    await expect.poll(() => field(page).inputValue()).toBe("second");
    await expect.poll(texts).toEqual(["first"]);
    await send("second, changed");
    await expect.poll(texts).toEqual(["first", "second, changed"]);
    await items.first().getByRole("button", { name: "Remove" }).click();
    await expect.poll(texts).toEqual(["second, changed"]);
    expect(await conversation.getByText("first").count()).toBe(0);

    await conversation.focus();
    await page.keyboard.press("Escape");
    await expect.poll(() => stop.count()).toBe(0);
    await page.getByRole("status").getByText("The turn has ended.").waitFor({ state: "attached" });
    await items.getByText("with the next message").waitFor();
    await items.getByRole("button", { name: "Send now" }).click();
    // The page announces the end of a turn only if it has shown the turn; one that is shorter than a frame is not
    // announced.
    await stop.waitFor();
    await expect.poll(() => items.count()).toBe(0);
    held.open();
    await conversation.getByText("An answer to what waited.").waitFor();
    await page.getByRole("status").getByText("The reply is complete.").waitFor({ state: "attached" });
    expect(t.complaints).toEqual([]);
  },
);

itWith("chromium", "the field has the keyboard again when a question was answered", async () => {
  await using stage = await chatStage([toolCall("Bash", { command: "touch made.txt" }), text("Made.")]);
  const { t, page, conversation } = stage;
  await page.getByRole("link", { name: "New session in project" }).click();
  await field(page).fill("Make a file.");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("button", { name: "yes, this once" }).click();
  await conversation.getByText("Made.", { exact: true }).waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Message");
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "whoever sends a message while an earlier part is shown sees it and its reply", async () => {
  const long = Array.from({ length: 80 }, (_, at) => `Paragraph ${at}.`).join("\n\n");
  await using stage = await chatStage([text(long), text("A reply at the end.")]);
  const { t, page, conversation } = stage;
  await field(page).fill("Much, please.");
  await page.keyboard.press("Control+Enter");
  await conversation.getByText("Paragraph 79.").waitFor();
  await conversation.hover();
  await page.mouse.wheel(0, -1_000);
  const jump = page.getByRole("button", { name: "Jump to the end" });
  await jump.waitFor();
  await field(page).fill("And now?");
  await page.keyboard.press("Control+Enter");
  await conversation.getByText("A reply at the end.").waitFor();
  await expect
    .poll(() => conversation.evaluate((log) => Math.round(log.scrollHeight - log.scrollTop - log.clientHeight)))
    .toBeLessThan(2);
  expect(await jump.count()).toBe(0);
  expect(t.complaints).toEqual([]);
});
