import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { type Words, wordsOf } from "../../plugins/web/page/words/words.ts";
import { type BrowserStage, browserStage } from "../programs/browser.ts";
import { cartReplies, commitCart } from "./cart.ts";

/** How a screen of the page is displayed: size, colours and language. */
export interface Look {
  size: "desktop" | "phone";
  scheme: "light" | "dark";
  language: "en" | "zh";
}

/** The main screens, in the order in which a person sees them. */
export const screens = ["list", "question", "work", "changes", "help", "palette", "device", "begin"] as const;
export type Screen = (typeof screens)[number];

/** The pictures in docs/guide/web.md. */
export const guidePictures: readonly (Look & { screen: Screen })[] = [
  { screen: "work", size: "desktop", scheme: "light", language: "en" },
  { screen: "question", size: "phone", scheme: "dark", language: "en" },
];

export const everyLook: readonly Look[] = (["desktop", "phone"] as const).flatMap((size) =>
  (["light", "dark"] as const).flatMap((scheme) =>
    (["en", "zh"] as const).map((language) => ({ size, scheme, language })),
  ),
);

export const fileOf = (screen: Screen, { size, scheme, language }: Look) =>
  `page-${screen}-${size}-${scheme}-${language}.png`;

/** Works through a small task in Chromium, and returns what each screen looks like, as PNG. */
export async function drawScreens(look: Look): Promise<Map<Screen, Buffer>> {
  await using t = await browserStage(cartReplies);
  const shop = join(t.s.project, "shop");
  mkdirSync(shop);
  commitCart(shop);
  await t.s.run(["-p", "Why does the build fail?"], { cwd: shop });
  const drawn = new Map<Screen, Buffer>();
  const page = await t.open(optionsOf(look));
  const take = async (screen: Screen) => drawn.set(screen, await page.screenshot({ animations: "disabled" }));
  await repair(page, look, take);
  return drawn;
}

async function repair(page: Page, { size, language }: Look, take: (screen: Screen) => Promise<unknown>) {
  const { words } = wordsOf([language]);
  // On a phone, the list of sessions is behind a button.
  if (size === "phone") await page.getByRole("button", { name: words.menu }).click();
  await page.getByRole("link", { name: /build fail/ }).waitFor();
  await take("list");
  await page.getByRole("link", { name: words.newSessionIn("shop") }).click();
  await page.getByRole("textbox", { name: words.message }).fill("The total of a cart is wrong. Repair it.");
  await page.keyboard.press("Control+Enter");
  const question = page.getByRole("region", { name: words.asked });
  await question.getByText("src/cart.js").first().waitFor();
  await take("question");
  await question.getByRole("button", { name: language === "zh" ? "是，仅此一次" : "yes, this once" }).click();
  await page.getByRole("log").getByText("covers the first item now.").waitFor();
  await take("work");
  await beside(page, size, words, take);
}

/** Takes pictures of what a person opens beside a conversation, and of the page without a conversation. */
async function beside(page: Page, size: Look["size"], words: Words, take: (screen: Screen) => Promise<unknown>) {
  await page.getByRole("button", { name: words.details, exact: true }).click();
  await page.getByText(words.changedFiles(1)).waitFor();
  await take("changes");
  await page.getByRole("button", { name: words.close, exact: true }).last().click();
  for (const [screen, key, name] of [
    ["help", "?", words.help],
    ["palette", "Control+k", words.palette],
  ] as const) {
    // While a field has the focus, keys type letters instead of being shortcuts.
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press(key);
    await page.getByRole("dialog", { name }).waitFor();
    await take(screen);
    await page.keyboard.press("Escape");
  }
  if (size === "phone") await page.getByRole("button", { name: words.menu }).click();
  await page.getByRole("button", { name: words.moreActions }).first().click();
  await page.getByRole("menuitem", { name: words.deviceAdd }).click();
  await page.getByRole("dialog", { name: words.deviceAdd }).waitFor();
  await take("device");
  await page.keyboard.press("Escape");
  if (size === "phone") await page.keyboard.press("Escape");
  // The browser leaves the entries of the dialog and the list in its history a moment later, which would undo an earlier change of the address.
  await page.waitForFunction(() => history.state?.overlay === undefined);
  await page.evaluate(() => {
    location.hash = "#/";
  });
  await page.getByText(words.choose).waitFor();
  await take("begin");
}

function optionsOf({ size, scheme, language }: Look): NonNullable<Parameters<BrowserStage["open"]>[0]> {
  return {
    viewport: size === "phone" ? { width: 390, height: 760 } : { width: 1200, height: 760 },
    colorScheme: scheme,
    locale: language === "zh" ? "zh-CN" : "en-US",
    ...(size === "phone" && { hasTouch: true, isMobile: true, deviceScaleFactor: 2 }),
  };
}
