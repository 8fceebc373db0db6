import { join } from "node:path";
import type { DisplayAction } from "@scorel/kernel";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { safeText } from "../../plugins/web/page/display/safe.ts";
import { delayUntil, gate, type Reply, text, thinking, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { payloads } from "../plugins/transfer/payloads.ts";
import { browserStage, hostClient } from "./browser.ts";
import { type Drawn, drawingExtension } from "./drawing-extension.ts";
import { guard } from "./page-guard.ts";
import { watched } from "./watched.ts";

/** Characters that hide or reorder the characters around them. */
const DECEIVING = "safe\u202eexe.\u2066\u200b\u200d\u00ad\u3164\u2800end";
const VISIBLE = "safe\\u{202e}exe.\\u{2066}\\u{200b}\\u{200d}\\u{ad}\\u{3164}\\u{2800}end";

/** Every form in which a plugin can show a text. */
const FORMS: Record<string, (words: string) => DisplayAction> = {
  replies: (words) => ({ display: "bubble", role: "assistant", text: words, thinking: words, label: words }),
  messages: (words) => ({ display: "bubble", role: "user", text: words, label: words }),
  notices: (words) => ({ display: "notice", level: "warning", text: words }),
  markers: (words) => ({ display: "marker", text: words }),
  badges: (words) => ({ display: "badge", text: words }),
  folds: (words) => ({ display: "fold", title: words, text: words }),
  diffs: (words) => ({ display: "diff", path: words, text: `@@ -1,2 +1,2 @@\n-${words}\n+${words}` }),
  lists: (words) => ({ display: "list", title: words, items: [{ text: words, state: "done" }], text: words }),
  cards: (words) => ({ display: "card", title: words, status: "error", text: words }),
};

/** A card for each form that shows all texts, a question with them, and the parts as outputs of the tool. */
function drawn(texts: readonly string[], parts: readonly string[]): Drawn {
  const actions = Object.entries(FORMS).map(
    ([title, form]): DisplayAction => ({ display: "card", title, status: "done", text: "", body: texts.map(form) }),
  );
  const details = [DECEIVING, ...texts].flatMap((words) => ["notices", "diffs"].map((name) => FORMS[name]?.(words)));
  const question = { title: `${DECEIVING} ${texts.join(" ")}`, choices: [DECEIVING, ...parts] };
  return { actions, question: { ...question, details: details as DisplayAction[] }, outputs: parts };
}

function inParts(texts: readonly string[], count: number): string[] {
  const size = Math.ceil(texts.length / count);
  return Array.from({ length: count }, (_, at) => texts.slice(at * size, (at + 1) * size).join("\n\n"));
}

/** Expands everything in a part of the page. */
async function unfold(part: Locator) {
  await part.evaluate((element: any) => {
    for (const head of element.querySelectorAll('.card-head[aria-expanded="false"]')) head.click();
    for (const details of element.querySelectorAll("details")) details.open = true;
  });
}

itWith("chromium", "texts that would act if they were markup do nothing in any place of the page", async () => {
  await using web = await watched();
  const texts = payloads(web.url);
  expect(texts.length).toBeGreaterThanOrEqual(200);
  const parts = inParts(texts, 8);
  const held = gate();
  const replies: Reply[] = parts.map((part) => [thinking(part, 50), text(part, 50), toolCall("Show", { text: part })]);
  await using t = await browserStage([...replies, text("All was said."), [delayUntil(held.promise), text("Late.")]]);
  t.s.file("~/.scorel/extensions/drawing.ts", drawingExtension(drawn(texts, parts)));
  const client = await hostClient(t.s.home, texts[7] as string);
  try {
    const page = await t.open({ viewport: { width: 1280, height: 30_000 } });
    await page.getByRole("navigation", { name: "Sessions" }).waitFor();
    const watching = await guard(page, t.address);
    const { sessionId } = await client.request("create_session", { cwd: t.s.project, name: parts[0] as string });
    await page.goto(`${t.address}/#/session/${sessionId}`);
    const conversation = page.getByRole("log");

    // Streamed replies, thinking, and tool calls with their output.
    const { id } = await client.request("send_message", { sessionId, content: texts.join("\n") });
    await client.request("wait_turn", { sessionId, id });
    await conversation.getByText("All was said.").waitFor();
    expect(await watching.seen()).toEqual([]);

    // Queued messages, one for each part of the texts.
    await client.request("send_message", { sessionId, content: "Wait." });
    for (const content of parts) await client.request("send_message", { sessionId, content, running: "follow_up" });
    await expect
      .poll(() => page.getByRole("region", { name: "Waiting messages" }).getByRole("listitem").count())
      .toBe(8);
    expect(await watching.seen()).toEqual([]);
    await client.request("cancel", { sessionId });
    held.open();

    // Names of sessions and of projects.
    const names = texts.map((words) => words.replace(/\p{C}/gu, " ").trim().slice(0, 200));
    for (const name of names) await client.request("rename_session", { sessionId, name });
    for (const [at, name] of names.entries()) {
      if (at % 10 > 0) continue;
      t.s.file(`../project-${at}/a.txt`, "");
      await client.request("register_project", { directory: join(t.s.project, `../project-${at}`), name });
    }
    await client.request("create_session", { cwd: t.s.project, name: "Last" });
    await page.getByRole("link", { name: "Last" }).waitFor();
    expect(await watching.seen()).toEqual([]);

    await formsShown(page, client, t.s.project, texts);
    expect(await watching.seen()).toEqual([]);
    await questionShown(page);
    expect({ seen: await watching.seen(), asked: web.asked }).toEqual({ seen: [], asked: [] });
    expect(t.complaints).toEqual([]);

    // Checks that the guard notices these attempts.
    await page.evaluate((url) => {
      const { document } = globalThis as any;
      const image = document.createElement("img");
      image.setAttribute("src", `${url}/heard.png`);
      document.body.append(image);
    }, web.url);
    await expect
      .poll(() => watching.seen())
      .toEqual(expect.arrayContaining([`img ${web.url}/heard.png`, "policy img-src"]));
    expect(web.asked).toEqual([]);
  } finally {
    await client.close();
  }
});

type Client = Awaited<ReturnType<typeof hostClient>>;

/** Shows all texts in each form, with everything expanded. */
async function formsShown(page: Page, client: Client, cwd: string, texts: readonly string[]) {
  const { sessionId } = await client.request("create_session", { cwd, name: "Forms" });
  await client.request("run_command", { sessionId, name: "draw", args: "" });
  await page.evaluate((id) => (globalThis as any).location.assign(`#/session/${id}`), sessionId);
  const conversation = page.getByRole("log");
  for (const title of Object.keys(FORMS).reverse()) {
    const head = page.getByRole("button", { name: new RegExp(`^done ${title}$`) });
    const card = conversation.locator(".card").filter({ has: head }).first();
    await head.click();
    await unfold(card);
    if (title === "notices")
      expect(await card.locator(".notice").allTextContents()).toEqual(texts.map((words) => safeText(words.trimEnd())));
    await head.click();
  }
  await client.request("run_command", { sessionId, name: "ask", args: "" });
}

async function questionShown(page: Page) {
  const question = page.getByRole("region", { name: "Your answer is needed" });
  await unfold(question);
  await question.getByRole("button", { name: VISIBLE }).waitFor();
  expect(await question.getByRole("heading").textContent()).toContain(VISIBLE);
  expect(await question.locator(".notice").first().textContent()).toBe(VISIBLE);
  expect(await question.locator(".diff ins").first().textContent()).toContain(VISIBLE);
}

itWith("chromium", "colours of code come right after the page, and leave code as it was written", async () => {
  const code = 'const a = "<img src=x onerror=alert(1)>"; // </code><script>alert(1)</script>';
  await using t = await browserStage([text("No code."), text(`Here:\n\n\`\`\`js\n${code}\n\`\`\`\n`, 7)]);
  await t.s.run(["-p", "first"]);
  const loaded: string[] = [];
  const before = async (fresh: Page) => void fresh.on("request", (request) => loaded.push(request.url()));
  const page = await t.open({ before });
  await page.getByRole("link", { name: /first/ }).waitFor();
  const watching = await guard(page, t.address);
  await page.getByRole("link", { name: /first/ }).click();
  const conversation = page.getByRole("log");
  await conversation.getByText("No code.").waitFor();
  const colours = () => loaded.filter((url) => url.includes("highlighter")).length;
  await expect.poll(colours).toBeGreaterThan(0);
  const atFirst = colours();

  await page.getByRole("textbox", { name: "Message" }).fill("Show code.");
  await page.keyboard.press("Control+Enter");
  await conversation.locator(".code-comment").waitFor();
  await expect.poll(() => conversation.locator("pre code").textContent()).toBe(code);
  const kinds = ["keyword", "string", "comment"];
  const shown = await Promise.all(kinds.map((kind) => conversation.locator(`.code-${kind}`).textContent()));
  expect(shown).toEqual(["const", '"<img src=x onerror=alert(1)>"', "// </code><script>alert(1)</script>"]);
  expect(colours()).toBe(atFirst);
  expect({ seen: await watching.seen(), complaints: t.complaints }).toEqual({ seen: [], complaints: [] });
});

itWith("chromium", "a question that is longer than its place says so above it, and is whole", async () => {
  const command = `echo begin\n${"echo more\n".repeat(410)}rm end\ufe0f${"e\u0301".repeat(3)}x${"\u0301".repeat(2_000)}`;
  await using t = await browserStage([
    toolCall("Bash", { command: "touch a" }),
    text("First."),
    toolCall("Bash", { command }),
    text("Second."),
  ]);
  const page = await t.open({ viewport: { width: 360, height: 740 } });
  const client = await hostClient(t.s.home, "writer");
  try {
    const { sessionId } = await client.request("create_session", {
      cwd: t.s.project,
      name: "Asked",
      permission: "ask",
    });
    await page.evaluate((id) => (globalThis as any).location.assign(`#/session/${id}`), sessionId);
    await page.getByRole("textbox", { name: "Message", exact: true }).waitFor();
    await client.request("send_message", { sessionId, content: "Run something short." });
    const question = page.getByRole("region", { name: "Your answer is needed" });
    await question.getByText("$ touch a").waitFor();
    expect(await question.getByRole("note").count()).toBe(0);
    await question.getByRole("button", { name: "yes, this once" }).click();
    await page.getByRole("log").getByText("First.").waitFor();

    await client.request("send_message", { sessionId, content: "Run something long." });
    await question
      .getByRole("note")
      .getByText(/^4\d\d lines, \d+ characters\. The end is below/)
      .waitFor();
    const shown = await question.locator(".notice").first().textContent();
    expect(shown?.slice(0, 12)).toBe("$ echo begin");
    expect(
      shown?.endsWith(`rm end\\u{fe0f}${"e\u0301".repeat(3)}x${"\u0301".repeat(4)}${"\\u{301}".repeat(1_996)}`),
    ).toBe(true);
    // An answer before the end of the text was visible only scrolls to it, and must be given again.
    const yes = question.getByRole("button", { name: "yes, this once" });
    const tail = question.getByRole("region", { name: "It ends with:" });
    expect(await tail.textContent()).toMatch(/^It ends with:…[^\n]*\\u\{301\}$/);
    const isEndVisible = await tail.locator("pre").evaluate((element) => {
      const text = element.firstChild as Text;
      const range = document.createRange();
      range.setStart(text, text.data.length - 1);
      range.setEnd(text, text.data.length);
      return range.getBoundingClientRect().bottom <= element.getBoundingClientRect().bottom + 1;
    });
    expect(isEndVisible).toBe(true);
    await yes.click();
    await question.getByText("Its end had not been on the screen.").waitFor();
    expect((await client.request("list_requests", { sessionId })).requests).toHaveLength(1);
    await yes.click();
    await page.getByRole("log").getByText("Second.").waitFor();
    await page.getByRole("log").locator(".card-title", { hasText: "begin ⏎ echo more ⏎ echo" }).waitFor();
    expect(t.complaints).toEqual([]);
  } finally {
    await client.close();
  }
});

itWith("chromium", "a question shows all of a very long command, and the page still answers", async () => {
  const command = `echo ${"A".repeat(200_000)}; touch end`;
  await using t = await browserStage([text("First."), toolCall("Bash", { command })]);
  await t.s.run(["-p", "first"]);
  const page = await t.open();
  // In a smaller window, the question leaves no room for the conversation, which then may not be drawn.
  await page.setViewportSize({ width: 1280, height: 1200 });
  await page.getByRole("link", { name: "New session in project" }).click();
  await page.getByRole("textbox", { name: "Message" }).fill("Run it.");
  await page.keyboard.press("Control+Enter");
  const question = page.getByRole("region", { name: "Your answer is needed" });
  await question.waitFor();
  expect(await question.locator(".notice").first().textContent()).toBe(`$ ${command}`);
  expect((await page.getByRole("log").locator(".card-title").first().textContent())?.length ?? 0).toBeLessThan(600);
  expect(t.complaints).toEqual([]);
});
