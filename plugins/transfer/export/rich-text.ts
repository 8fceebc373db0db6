import { highlighted, isHighlightable } from "@scorel/kit/markdown/highlighted";
import hljs from "highlight.js/lib/common";
import MarkdownIt from "markdown-it";
import { escaped, visible } from "./html-text.ts";

/** Milliseconds of highlighting for one page. Nothing else can run meanwhile. */
const MOST_MS = 2_000;
const LINK = /^(?:https?:\/\/|mailto:)[^\s\\]+$/i;
const AWAY = 'rel="noreferrer noopener"';

/** The time that was spent on the highlighting of a page so far. */
export interface Highlighting {
  spentMs: number;
}

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false, maxNesting: 50 });
markdown.validateLink = (url) => LINK.test(url);
markdown.renderer.rules.fence = (tokens, at, _options, env) =>
  preformatted(coloured(tokens[at]?.content ?? "", tokens[at]?.info ?? "", env?.highlighting as Highlighting));
markdown.renderer.rules.code_block = (tokens, at) => preformatted(escaped(tokens[at]?.content ?? ""));
markdown.renderer.rules.link_open = (tokens, at) => `<a href="${escaped(urlOf(tokens[at], "href"))}" ${AWAY}>`;
// Images would be fetched from elsewhere, so show a link instead.
markdown.renderer.rules.image = (tokens, at) => {
  const url = urlOf(tokens[at], "src");
  return `<a href="${escaped(url)}" ${AWAY}>${escaped(`[image: ${tokens[at]?.content || url}]`)}</a>`;
};

/** Renders Markdown to HTML that contains no tag, attribute or URL from the text itself. */
export function richText(text: string, highlighting: Highlighting): string {
  // An object for each text: the library stores the link references of the text in it.
  return markdown.render(visible(text), { highlighting });
}

function preformatted(html: string): string {
  return `<pre><code>${html}</code></pre>\n`;
}

/** Code as HTML, with colours if its language is known and there is time for it. */
function coloured(text: string, info: string, highlighting: Highlighting): string {
  const language = /^[\w+#-]{1,30}/.exec(info.trim())?.[0]?.toLowerCase() ?? "";
  if (highlighting.spentMs > MOST_MS || !isHighlightable(text)) return escaped(text);
  const began = performance.now();
  const found = highlighted(hljs, visible(text), language);
  highlighting.spentMs += performance.now() - began;
  return found ? found.markup + escaped(found.rest) : escaped(text);
}

function urlOf(token: { attrGet(name: string): string | number | null } | undefined, name: string): string {
  const url = String(token?.attrGet(name) ?? "");
  return LINK.test(url) ? url : "#";
}
