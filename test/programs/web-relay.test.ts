import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { errors } from "../../plugins/relay/errors.ts";
import { scratch } from "../e2e/scorel.ts";
import { eventually } from "../eventually.ts";
import { text } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { gitEnv } from "../plugins/worktrees/repository.ts";
import { barriers } from "./axe.ts";
import { behindRelay } from "./behind-relay.ts";
import { browserStage, hostClient, keysOf } from "./browser.ts";

/** The name under which the host is paired. */
const desk = hostname().split(".")[0] as string;

const listed = (page: Page) => page.getByRole("region", { name: "Devices" });
const state = (page: Page, said: string) => listed(page).getByRole("link", { name: desk }).getByText(said);

/** Opens the dialog for a pairing code. */
async function pairing(page: Page) {
  await page.getByRole("button", { name: "More" }).first().click();
  await page.getByRole("menuitem", { name: "Add a device" }).click();
  await page.getByRole("button", { name: "Pair with a code instead" }).click();
  return page.getByRole("dialog", { name: "Add a device" });
}

async function pair(page: Page, code: string, relay: string) {
  const dialog = await pairing(page);
  await dialog.getByLabel("Code, or the whole link").fill(code);
  await dialog.getByLabel("Relay").fill(relay);
  await dialog.getByLabel("Name of this browser").fill("phone");
  await dialog.getByRole("button", { name: "Pair", exact: true }).click();
}

/**
 * Makes the host ask before each tool call in the shown session, since a page with these scopes cannot change the mode.
 */
async function askAt(home: string, page: Page) {
  const owner = await hostClient(home, "owner");
  const [, sessionId = ""] = /session\/([\w-]+)/.exec(page.url()) ?? [];
  await owner.request("set_permission", { sessionId, mode: "ask" });
  await owner.close();
}

/** The pairings and keys that the browser has saved. */
const keysIn = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<unknown>((resolve, reject) => {
        const opening = indexedDB.open("scorel.relay");
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const database = opening.result;
          const reading = database.transaction("keys").objectStore("keys").get("own");
          reading.onsuccess = () => {
            database.close();
            const { signing, agreement } = reading.result;
            resolve([signing, agreement].map(({ privateKey: { type, extractable } }) => ({ type, extractable })));
          };
        };
      }),
  );

itWith("chromium", "a page pairs with a host behind a relay, works there, misses it, and is revoked", async () => {
  await using t = await browserStage([text("The answer here.")]);
  await using r = await behindRelay();
  await t.s.run(["-p", "a question here"]);
  await r.host.run(["-p", "a question there"]);
  const page = await t.open();

  const { code, finished } = await r.offer();
  await pair(page, code, r.address);
  expect((await finished).stdout).toContain('"phone" is paired, and may use this host (view, prompt, approve).');
  await state(page, "connected").waitFor();
  expect(await barriers(page, "a paired device")).toEqual([]);
  const secret = { type: "private", extractable: false };
  expect(await keysIn(page)).toEqual([secret, secret]);

  await page.getByRole("link", { name: "a question there" }).click();
  await page.getByRole("log").getByText("The answer there.").waitFor();
  await askAt(r.host.home, page);
  await page.getByRole("textbox", { name: "Message" }).fill("Write a file.");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("button", { name: "yes, this once" }).waitFor();
  // The host offers only one-time answers, since this browser may neither change the mode nor add rules.
  const answers = page.getByRole("region", { name: "Your answer is needed" }).locator(".choices button");
  expect((await answers.allInnerTexts()).map((label) => label.replace(/^\d\s*/, ""))).toEqual(["Yes, this once", "No"]);
  await page.getByText("This browser may read sessions, write in them, answer questions.").waitFor();
  await page.getByRole("button", { name: "yes, this once" }).first().click();
  await page.getByRole("log").getByText("Written there.").waitFor();
  expect(readFileSync(join(r.host.project, "there.txt"), "utf8")).toBe("Hello.\n");

  await r.kill();
  await state(page, "away").waitFor();
  await r.serveAgain();
  await page.getByRole("textbox", { name: "Message" }).fill("Go on.");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("log").getByText("The answer after the relay.").waitFor();
  // The data that a browser has saved is still there after a reload, and so is the pairing.
  await page.reload();
  await page.getByRole("log").getByText("The answer after the relay.").waitFor();
  await state(page, "connected").waitFor();

  expect(await r.host.run(["device", "revoke", "phone"])).toMatchObject({ code: 0 });
  await page.getByRole("alert").getByText("was revoked").waitFor();
  await eventually(async () => expect((await keysOf(page)).filter((key) => key.includes("relay:"))).toEqual([]));
  await page.getByRole("link", { name: "Back to this host" }).click();
  await state(page, "revoked").waitFor();
  await page.getByRole("link", { name: "a question here" }).click();
  await page.getByRole("log").getByText("The answer here.").waitFor();

  // A lost pairing is renewed in its own place with a new code.
  await listed(page).getByRole("link", { name: desk }).click();
  const again = await r.offer();
  await page.getByRole("textbox", { name: "Code", exact: false }).first().fill(again.code);
  await page.getByRole("button", { name: "Pair", exact: true }).click();
  await state(page, "connected").waitFor();
  await again.finished;
});

itWith("chromium", "a browser that stores nothing says so instead of forgetting what was to be paired", async () => {
  await using t = await browserStage([]);
  const forbid = () => {
    const get = () => {
      throw new DOMException("Access is denied for this document.", "SecurityError");
    };
    for (const name of ["sessionStorage", "localStorage", "indexedDB"]) Object.defineProperty(window, name, { get });
  };
  const page = await t.open({ before: (fresh) => fresh.addInitScript(forbid) });
  await pair(page, "7Q2-K9FV-0CXE", "wss://relay.example/relay");
  const dialog = page.getByRole("dialog", { name: "Add a device" });
  await dialog.getByRole("alert").getByText("This browser stores nothing for this page").waitFor();
  expect(await dialog.getByLabel("Code, or the whole link").inputValue()).toBe("7Q2-K9FV-0CXE");
  expect(t.complaints).toEqual([]);
});

itWith("chromium", "a link pairs after a yes in the page, and only with the host that it names", async () => {
  await using t = await browserStage([]);
  await using r = await behindRelay();
  const page = await t.open();
  const { hostId } = await hostOf(r);
  const follow = async (host: string) => {
    const { code, finished } = await r.offer();
    await page.goto(`${t.address}/#pair=${code}&relay=${encodeURIComponent(r.address)}&host=${host}`);
    const dialog = page.getByRole("dialog", { name: "Add a device" });
    await dialog.getByText(`behind the relay ${r.address}`).waitFor();
    expect(new URL(page.url()).hash).toBe("");
    return { dialog, finished, agree: () => dialog.getByRole("button", { name: "Pair", exact: true }).click() };
  };

  const foreign = await follow("A".repeat(43));
  expect(await barriers(page, "a link to pair with")).toEqual([]);
  await foreign.agree();
  await foreign.dialog.getByRole("alert").getByText("The link belongs to the host 0000-0000-0000-0000, but ").waitFor();
  await foreign.finished;
  expect(await listed(page).count()).toBe(0);

  const own = await follow(hostId);
  await own.agree();
  await state(page, "connected").waitFor();

  // The next user of the browser finds no keys.
  await page.getByRole("button", { name: "More" }).first().click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByLabel("Token").waitFor();
  expect((await page.evaluate(() => indexedDB.databases())).map(({ name }) => name)).not.toContain("scorel.relay");
});

itWith("chromium", "a paired browser begins sessions in a project's own folder, not in a worktree of it", async () => {
  await using t = await browserStage([]);
  await using r = await behindRelay();
  const git = (...args: string[]) => execFileSync("git", ["-C", r.host.project, ...args], { env: gitEnv() });
  git("init", "--quiet", "--initial-branch=main");
  git("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "--allow-empty", "--quiet", "-m", "Begin");
  expect(await r.host.run(["--worktree", "fix", "-p", "a question there"])).toMatchObject({ code: 0 });
  const page = await t.open();
  const { code, finished } = await r.offer();
  await pair(page, code, r.address);
  await finished;
  await listed(page).getByRole("link", { name: desk }).click();
  await page.getByRole("button", { name: `Begin a session in ${basename(r.host.project)}` }).click();
  await page.getByText(r.host.project, { exact: true }).waitFor();
  await page.getByRole("textbox", { name: "Message" }).fill("Begin here.");
  await page.keyboard.press("Control+Enter");
  await eventually(async () => {
    const { stdout } = await r.host.run(["session", "list", "--json", "--all"]);
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ title: "Begin here.", cwd: r.host.project }));
  });
});

itWith("chromium", "says what is wrong with a code and a relay", async () => {
  await using t = await browserStage([]);
  await using r = await behindRelay();
  const page = await t.open();
  const alert = page.getByRole("dialog").getByRole("alert");
  await pair(page, "nonsense", r.address);
  await alert.getByText(errors.RELAY_CODE_FORM().message).waitFor();
  await page.keyboard.press("Escape");
  await pair(page, "7Q2-K9FV-0CXE", r.address);
  await alert.getByText(errors.RELAY_CODE_ENDED({ reason: "no host waits at it" }).message).waitFor();
  await page.keyboard.press("Escape");
  await r.kill();
  await pair(page, "7Q2-K9FV-0CXE", r.address);
  await alert.getByText(`The relay ${r.address} cannot be reached`).waitFor();
});

/** The id of a host, as in links. */
async function hostOf(r: Awaited<ReturnType<typeof behindRelay>>): Promise<{ hostId: string }> {
  const { code, finished } = await r.offer();
  const laptop = scratch();
  await laptop.run(["pair", code, "--relay", r.address]);
  await finished;
  const { hosts } = JSON.parse((await laptop.run(["device", "list", "--json"])).stdout);
  laptop[Symbol.dispose]();
  return { hostId: hosts[0].id };
}
