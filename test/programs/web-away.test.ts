import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { eventually } from "../eventually.ts";
import { text } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { type BrowserStage, browserStage, keysOf } from "./browser.ts";

/** Whether an error on the console is about a host that does not answer, which is intended here. */
const isOfCut = (complaint: string) => /WebSocket connection|net::ERR_/.test(complaint);
const SHOTS = process.env.SCOREL_SHOTS;

const log = (page: Page) => page.getByRole("log");
const field = (page: Page) => page.getByRole("textbox", { name: "Message" });
const list = (page: Page) => page.getByRole("navigation", { name: "Sessions" });

async function shot(page: Page, name: string): Promise<void> {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png` });
}

/** Opens a page and shows two sessions, so that the browser saves them. */
async function seen(t: BrowserStage, change: (page: Page) => Promise<unknown> = async () => {}): Promise<Page> {
  await t.s.run(["-p", "the first question"]);
  await t.s.run(["-p", "the second question"]);
  const page = await t.open({ before: change });
  await list(page).getByRole("link", { name: "the first question" }).click();
  await log(page).getByText("The first answer.").waitFor();
  await list(page).getByRole("link", { name: "the second question" }).click();
  await log(page).getByText("The second answer.").waitFor();
  return page;
}

/** Resolves when the lists and both sessions are saved. */
const areKept = (page: Page) => eventually(async () => expect(await keysOf(page)).toHaveLength(3));

const replies = [
  text("The first answer."),
  text("The second answer."),
  text("The third answer."),
  text("The fourth answer."),
];

itWith(
  "chromium",
  "a host that is away: what was seen can be read, what is written stays, and all goes on by itself",
  async () => {
    await using t = await browserStage(replies);
    const page = await seen(t);
    await areKept(page);

    t.network.refuse(true);
    await page.getByText("The connection was lost. You see what was there at").waitFor();
    await list(page).getByRole("link", { name: "the first question" }).click();
    await log(page).getByText("The first answer.").waitFor();
    await page.getByRole("note").getByText("From this browser, as of").waitFor();
    await field(page).fill("Written while it was away.");
    await page.keyboard.press("Control+Enter");
    await page.getByText("This is sent as soon as it is back, unless you change it before.").waitFor();
    expect(await page.getByText("The host cannot be reached.").count()).toBe(1);
    await page.getByText("If the host does not run, start it on its computer: scorel up").waitFor();
    expect(await field(page).inputValue()).toBe("Written while it was away.");
    await shot(page, "away");
    expect(await t.s.run(["-c", "-p", "a question of somebody else"], { guarded: true })).toMatchObject({
      code: 0,
      stderr: "",
    });

    t.network.refuse(false);
    await page
      .getByRole("button", { name: "Connect now" })
      .click({ timeout: 2_000 })
      .catch(() => {});
    await page.getByText("The connection was lost.").waitFor({ state: "detached" });
    await page.getByRole("note").waitFor({ state: "detached" });
    expect(await log(page).getByText("The first answer.").count()).toBe(1);
    await log(page).getByText("Written while it was away.").waitFor();
    await log(page).getByText("The fourth answer.").waitFor();
    expect(await field(page).inputValue()).toBe("");
    await list(page).getByRole("link", { name: "the second question" }).click();
    await log(page).getByText("The third answer.").waitFor();
    expect(await log(page).getByText("The second answer.").count()).toBe(1);
    await list(page).getByRole("link", { name: "the first question" }).click();
    await log(page).getByText("Written while it was away.").waitFor();
    expect(await page.getByText("The host cannot be reached.").count()).toBe(0);
    expect(t.complaints.filter((each) => !isOfCut(each))).toEqual([]);
  },
);

itWith(
  "chromium",
  "what waits for the host is sent when it is back, though another session is shown by then",
  async () => {
    await using t = await browserStage(replies);
    const page = await seen(t);
    await areKept(page);
    t.network.refuse(true);
    await page.getByText("The connection was lost. You see what was there at").waitFor();
    const link = (name: string) => list(page).getByRole("link", { name });
    await link("the first question").click();
    await log(page).getByText("The first answer.").waitFor();
    const text = "Written while it was away.";
    await field(page).fill(text);
    await page.keyboard.press("Control+Enter");
    const promise = page.getByText("This is sent as soon as it is back, unless you change it before.");
    await promise.waitFor();
    await link("the second question").click();
    await log(page).getByText("The second answer.").waitFor();
    expect([await field(page).inputValue(), await promise.count()]).toEqual(["", 0]);
    await link("the first question").click();
    await promise.waitFor();
    expect(await field(page).inputValue()).toBe(text);
    await link("the second question").click();
    await log(page).getByText("The second answer.").waitFor();

    t.network.refuse(false);
    await link("the first question new").waitFor();
    await link("the first question").click();
    await log(page).getByText("The third answer.").waitFor();
    expect([await log(page).getByText(text).count(), await field(page).inputValue()]).toEqual([1, ""]);
    expect(t.complaints.filter((each) => !isOfCut(each))).toEqual([]);
  },
);

itWith(
  "chromium",
  "Enter in an empty field while the host is away does not send what is then put into it",
  async () => {
    await using t = await browserStage(replies);
    const page = await seen(t);
    t.network.refuse(true);
    await page.getByText("The connection was lost. You see what was there at").waitFor();
    await field(page).press("Control+Enter");
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const choosing = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Attach…" }).click();
    await (await choosing).setFiles({ name: "a.png", mimeType: "image/png", buffer: Buffer.from(pixel, "base64") });
    const attached = page.getByRole("list", { name: "Pictures of this message" }).getByRole("img", { name: "a.png" });
    await attached.waitFor();
    t.network.refuse(false);
    await page.getByText("The connection was lost.").waitFor({ state: "detached" });
    // A message that was sent by then would be in the conversation before this one.
    await field(page).fill("Compare them.");
    expect(await attached.count()).toBe(1);
    await field(page).press("Control+Enter");
    await log(page).getByText("The third answer.").waitFor();
    expect(await log(page).locator(".message.user").count()).toBe(2);
    expect(t.complaints.filter((each) => !isOfCut(each))).toEqual([]);
  },
);

itWith("chromium", "a log that became another one replaces what was kept of it", async () => {
  await using t = await browserStage(replies);
  const page = await seen(t);
  await areKept(page);
  // Changes the saved rows, to check that the page shows the host's data instead of saved data.
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const opening = indexedDB.open("scorel");
        opening.onsuccess = () => {
          const change = opening.result.transaction("texts", "readwrite");
          const cursors = change.objectStore("texts").openCursor();
          cursors.onsuccess = () => {
            const { result } = cursors;
            if (!result) return;
            const kept = String(result.value).replace(/The first answer\./g, "A forged answer.");
            result.update(kept.replace(/"epoch":"[^"]*"/g, '"epoch":"another"'));
            result.continue();
          };
          change.oncomplete = () => {
            opening.result.close();
            resolve();
          };
        };
      }),
  );
  await list(page).getByRole("link", { name: "the first question" }).click();
  await log(page).getByText("The first answer.").waitFor();
  expect(await log(page).getByText("A forged answer.").count()).toBe(0);
  expect(t.complaints).toEqual([]);
});

const damages: [string, () => void][] = [
  ["has no database", () => Object.defineProperty(window, "indexedDB", { value: undefined })],
  [
    "forbids its database",
    () => {
      IDBFactory.prototype.open = () => {
        throw new DOMException("not here", "SecurityError");
      };
    },
  ],
  [
    "never opens its database",
    () => {
      IDBFactory.prototype.open = () => ({}) as IDBOpenDBRequest;
    },
  ],
  [
    "has no room",
    () => {
      IDBObjectStore.prototype.put = function () {
        this.transaction.abort();
        throw new DOMException("no room", "QuotaExceededError");
      };
    },
  ],
  [
    "has the database of a newer page",
    () => {
      const { open } = IDBFactory.prototype;
      IDBFactory.prototype.open = function (name) {
        return open.call(this, name, 1_000);
      };
    },
  ],
];

itWith("chromium", "the page works in a browser that allows no storage, until it is loaded anew", async () => {
  await using t = await browserStage(replies);
  const forbid = () => {
    const get = () => {
      throw new DOMException("Access is denied for this document.", "SecurityError");
    };
    for (const name of ["sessionStorage", "localStorage", "indexedDB"]) Object.defineProperty(window, name, { get });
  };
  const page = await seen(t, (fresh) => fresh.addInitScript(forbid));
  await page.reload();
  await page.getByRole("heading", { name: "Open this page with a link" }).waitFor();
  expect(t.complaints).toEqual([]);
});

for (const [name, damage] of damages)
  itWith("chromium", `the page works in a browser that ${name}`, async () => {
    await using t = await browserStage(replies);
    const page = await seen(t, (fresh) => fresh.addInitScript(damage));
    await page.reload();
    await log(page).getByText("The second answer.").waitFor();
    await field(page).fill("A third question.");
    await page.keyboard.press("Control+Enter");
    await log(page).getByText("The third answer.").waitFor();
    expect(t.complaints).toEqual([]);
  });

itWith("chromium", "damaged entries and a foreign database cost only what was kept", async () => {
  await using t = await browserStage(replies);
  const page = await seen(t);
  await areKept(page);
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const opening = indexedDB.open("scorel");
        opening.onsuccess = () => {
          const change = opening.result.transaction("texts", "readwrite");
          const cursors = change.objectStore("texts").openCursor();
          cursors.onsuccess = () => {
            cursors.result?.update('{"form":1,"events":[{}]');
            cursors.result?.continue();
          };
          change.oncomplete = () => {
            opening.result.close();
            resolve();
          };
        };
      }),
  );
  await page.reload();
  await log(page).getByText("The second answer.").waitFor();
  await areKept(page);
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        indexedDB.deleteDatabase("scorel").onsuccess = () => {
          const opening = indexedDB.open("scorel", 1);
          opening.onupgradeneeded = () => void opening.result.createObjectStore("something else");
          opening.onsuccess = () => {
            opening.result.close();
            resolve();
          };
        };
      }),
  );
  await page.reload();
  await log(page).getByText("The second answer.").waitFor();
  await eventually(async () => expect(await keysOf(page)).toHaveLength(2));
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "signing out in one tab ends all, and leaves nothing in the browser", async () => {
  await using t = await browserStage(replies);
  const page = await seen(t);
  await field(page).fill("A draft.");
  await areKept(page);
  const other = await page.context().newPage();
  await other.goto(await t.link());
  await list(other).getByRole("link", { name: "the first question" }).click();
  await log(other).getByText("The first answer.").waitFor();

  await list(page).getByRole("button", { name: "More" }).first().click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  for (const each of [page, other]) await each.getByRole("heading", { name: "Open this page with a link" }).waitFor();
  expect(await keysOf(page)).toEqual([]);
  const left = () => [sessionStorage, localStorage].map((storage) => Object.keys(storage));
  expect(await page.evaluate(left)).toEqual([[], []]);
  expect(await other.evaluate(left)).toEqual([[], []]);
  // The page does not wait for a slow host when it signs out.
  await eventually(async () => expect((await t.s.run(["host", "token", "list"])).stdout).not.toMatch(/^page /m));
  expect(t.complaints).toEqual([]);
});

itWith(
  "chromium",
  "a token that has ended takes what was kept with it, and the next one lets the page go on",
  async () => {
    await using t = await browserStage(replies);
    const page = await seen(t);
    await areKept(page);
    const help = page.getByRole("dialog", { name: "Keys", exact: true });
    await log(page).focus();
    await page.keyboard.press("?");
    await help.waitFor();
    await t.s.run(["host", "token", "remove", "page"]);
    await page.getByText("The host does not accept this page's token any more.").waitFor();
    await eventually(async () => expect(await keysOf(page)).toEqual([]));

    await t.s.run(["host", "token", "rotate", "again", "--scope", "admin"]);
    const token = readFileSync(join(t.s.home, ".scorel/host/again.token"), "utf8");
    await page.getByLabel("Or enter a token of this host:").fill(token);
    await page.getByRole("button", { name: "Connect" }).click();
    await help.waitFor();
    await page.keyboard.press("Escape");
    await log(page).getByText("The second answer.").waitFor();
    await log(page).focus();
    await page.keyboard.press("n");
    await page.getByRole("article", { name: "New session" }).waitFor();
    expect(t.complaints.filter((each) => !isOfCut(each))).toEqual([]);
  },
);

itWith(
  "chromium",
  "a link lets in whatever place is gone to right after it, and in a tab that has the page open",
  async () => {
    await using t = await browserStage(replies);
    const page = await t.open({
      before: (fresh) =>
        fresh.addInitScript(() => {
          addEventListener("DOMContentLoaded", () => {
            if (sessionStorage.getItem("scorel.token") === null) location.hash = "#/new/%2Ftmp";
          });
        }),
    });
    await page.getByRole("article", { name: "New session" }).waitFor();
    await page.evaluate(() => sessionStorage.clear());
    await page.reload();
    await page.getByRole("heading", { name: "Open this page with a link" }).waitFor();
    await page.goto(await t.link());
    await list(page).waitFor();
    expect(t.complaints).toEqual([]);
  },
);

itWith("chromium", "a message that the host does not take is shown as such, and arrives once", async () => {
  await using t = await browserStage(replies);
  const page = await seen(t);
  t.network.silence();
  await field(page).fill("Sent into the silence.");
  await page.keyboard.press("Control+Enter");
  const untaken = page.getByRole("status").filter({ hasText: "On its way; the host has not taken it yet:" });
  await untaken.getByText("Sent into the silence.").waitFor();
  expect(await field(page).inputValue()).toBe("");
  await shot(page, "untaken");
  // The page notices the silence, and reconnects.
  await log(page).getByText("The third answer.").waitFor();
  await untaken.waitFor({ state: "detached" });
  expect(await page.getByText("Sent into the silence.").count()).toBe(1);
});
