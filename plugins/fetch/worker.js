/**
 * Converts the HTML of a page to Markdown, on a thread of its own. Plain JavaScript, because threads of Node 20 run no TypeScript.
 */
import { parentPort, workerData } from "node:worker_threads";
import domino from "@mixmark-io/domino";
import Turndown from "turndown";

/** Elements without text for a reader of this page: scripts, pictures, menus, controls and hidden parts. */
const LEFT_OUT =
  "script, style, noscript, template, svg, canvas, iframe, object, nav, footer, button, input, select, textarea, dialog, [hidden], [aria-hidden=true]";
/** Texts that people do not see are left out: they are often meant to mislead models. */
const INVISIBLE = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;
/** Texts of links to a heading from itself. */
const ANCHOR = /^[\s#¶§🔗\u200b]*$/u;

/** Most levels of elements within each other. */
const DEEPEST = 500;
/** The attribute of rows in tables with data. */
const ROW = "data-scorel-row";

const { html, address, most } = workerData;
const page = domino.createDocument(html, true);
const title = page.title.trim().replace(/\s+/g, " ");
const base = baseOf(page);
// A page of frames has no body.
const body = page.body ?? page.createElement("body");
assertFlat(body);
for (const element of all(body, LEFT_OUT)) element.remove();
for (const element of all(body, "[style]")) if (INVISIBLE.test(element.getAttribute("style"))) element.remove();
// Chosen last, since the main part may be invisible.
const content = contentOf(body);
markTables(content);
const markdown = converter()
  .turndown(content)
  .replace(/[ \t]+$/gm, "");
// Markdown can be hundreds of times longer than the HTML, since it has links with whole addresses.
parentPort.postMessage({ title, markdown: markdown.slice(0, most), isCut: markdown.length > most });

/** The address that links are relative to. */
function baseOf(document) {
  const href = document.querySelector("base[href]")?.getAttribute("href");
  return href && URL.canParse(href, address) ? new URL(href, address).href : address;
}

/** Throws a RangeError for deep nesting, since the time of the conversion grows with the square of the depth. */
function assertFlat(content) {
  let depth = 0;
  for (let node = content; node; ) {
    if (node.firstChild) {
      node = node.firstChild;
      if (++depth > DEEPEST) throw new RangeError("nested too deeply");
      continue;
    }
    while (node !== content && !node.nextSibling) {
      node = node.parentNode;
      depth--;
    }
    node = node === content ? null : node.nextSibling;
  }
}

/** The element with the content: the only `main` or `article`, else the whole body. */
function contentOf(body) {
  for (const selector of ["main, [role=main]", "article"]) {
    const found = all(body, selector);
    if (found.length === 1) return found[0];
  }
  return body;
}

/**
 * Marks tables with data and their first rows. Tables that contain others only arrange a page. Marks are attributes, since the converter
 * works on a copy.
 */
function markTables(content) {
  const found = all(content, "table");
  const layouts = new Set();
  for (const table of found)
    for (let up = table.parentNode; up && up !== content; up = up.parentNode)
      if (up.nodeName === "TABLE") layouts.add(up);
  for (const table of found.filter((each) => !layouts.has(each))) {
    const [first, ...others] = all(table, "tr");
    first?.setAttribute(ROW, "first");
    for (const row of others) row.setAttribute(ROW, "further");
  }
}

function converter() {
  const turndown = new Turndown({ headingStyle: "atx", bulletListMarker: "-", codeBlockStyle: "fenced", hr: "---" });
  // Models read unescaped text as well, and code in it stays as it is.
  turndown.escape = (text) => text;
  turndown.addRule("code block", { filter: "pre", replacement: (_, pre) => fenced(pre) });
  turndown.addRule("link", { filter: "a", replacement: linked });
  turndown.addRule("image", {
    filter: "img",
    replacement: (_, image) =>
      image.getAttribute("alt")?.trim() ? `[image: ${oneLine(image.getAttribute("alt"))}]` : "",
  });
  turndown.addRule("deleted", { filter: ["del", "s"], replacement: (text) => (text ? `~~${text}~~` : "") });
  turndown.addRule("cell", {
    filter: (node) => isCell(node) && node.parentNode.hasAttribute(ROW),
    replacement: (text) => `| ${oneLine(text).replaceAll("|", "\\|")} `,
  });
  turndown.addRule("row", {
    filter: (node) => node.nodeName === "TR" && node.hasAttribute(ROW),
    replacement: (text, row) => (text === "" ? "" : `${text}|\n${rulerBelow(row)}`),
  });
  turndown.addRule("part of a table", { filter: ["thead", "tbody", "tfoot"], replacement: (text) => text });
  turndown.addRule("table", { filter: "table", replacement: (text) => `\n\n${text}\n\n` });
  return turndown;
}

function isCell({ nodeName }) {
  return nodeName === "TD" || nodeName === "TH";
}

/** The line between the first row of a table and the others. */
function rulerBelow(row) {
  if (row.getAttribute(ROW) !== "first") return "";
  const cells = Array.from(row.childNodes).filter(isCell);
  return `${cells.map(() => "| --- ").join("")}|\n`;
}

function fenced(pre) {
  const text = pre.textContent.replace(/\n$/, "");
  const longest = Math.max(2, ...[...text.matchAll(/^ {0,3}(`{3,})/gm)].map(([, ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `\n\n${fence}${languageOf(pre)}\n${text}\n${fence}\n\n`;
}

/** The language of a code block, as the usual highlighters name it in classes. */
function languageOf(pre) {
  const classes = [pre, pre.querySelector("code"), pre.parentNode].map((element) => element?.className ?? "").join(" ");
  return /(?:^|\s)(?:lang|language|highlight-source)-([\w+#-]+)/.exec(classes)?.[1] ?? "";
}

/** A link with its whole address. Links within the page and without a text keep only their text. */
function linked(text, anchor) {
  const href = anchor.getAttribute("href");
  if (ANCHOR.test(text)) return "";
  if (!href || href.startsWith("#") || !URL.canParse(href, base)) return text;
  const { protocol, href: whole } = new URL(href, base);
  return protocol === "http:" || protocol === "https:" ? `[${text.trim()}](${whole})` : text;
}

/** The library's lists are not iterable. */
function all(element, selector) {
  return Array.from(element.querySelectorAll(selector));
}

function oneLine(text) {
  return text.trim().replace(/\s+/g, " ");
}
