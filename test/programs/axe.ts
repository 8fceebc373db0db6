import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

/** axe-core as a script that any page can run. */
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** The rules of WCAG 2.2, levels A and AA, and those of good practice. */
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const SIZES = [
  { width: 1280, height: 800 },
  { width: 360, height: 740 },
];

type Found = { id: string; impact: string | null; nodes: { target: string[]; failureSummary?: string }[] };

/**
 * Serious and critical accessibility problems of the page as it is now, on a phone and a desktop, with light and dark
 * colours.
 */
export async function barriers(page: Page, screen: string): Promise<string[]> {
  const found: string[] = [];
  const before = page.viewportSize();
  for (const size of SIZES)
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const where = `${screen}, ${size.width}, ${colorScheme}`;
      found.push(...(await findings(page)).map((finding) => `${where}: ${finding}`));
    }
  if (before) await page.setViewportSize(before);
  return found;
}

async function findings(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const violations = (await page.evaluate(async (rules) => {
    // @ts-expect-error: the script above has defined it.
    const axe = globalThis.axe as { run(context: unknown, options: object): Promise<{ violations: unknown[] }> };
    const runOnly = { type: "tag", values: rules };
    return (await axe.run(document, { runOnly, rules: { "target-size": { enabled: true } } })).violations;
  }, RULES)) as Found[];
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary = "" }) => `${id} ${target}: ${failureSummary}`));
}
