import hljs from "highlight.js/lib/common";
import MarkdownIt from "markdown-it";
import { escaped, visible } from "./html-text.ts";

const LONGEST_CODE = 100_000;
const LINK = /^(?:https?:\/\/|mailto:)[^\s\\]+$/i;
const AWAY = 'rel="noreferrer noopener"';

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false, maxNesting: 50 });
markdown.validateLink = (url) => LINK.test(url);
markdown.renderer.rules.fence = (tokens, at) => code(tokens[at]?.content ?? "", tokens[at]?.info ?? "");
markdown.renderer.rules.code_block = (tokens, at) => code(tokens[at]?.content ?? "", "");
markdown.renderer.rules.link_open = (tokens, at) => `<a href="${escaped(urlOf(tokens[at], "href"))}" ${AWAY}>`;
// Images would be fetched from elsewhere, so show a link instead.
markdown.renderer.rules.image = (tokens, at) => {
  const url = urlOf(tokens[at], "src");
  return `<a href="${escaped(url)}" ${AWAY}>${escaped(`[image: ${tokens[at]?.content || url}]`)}</a>`;
};

/** Renders Markdown to HTML that contains no tag, attribute or URL from the text itself. */
export function richText(text: string): string {
  return markdown.render(visible(text));
}

/** Renders code, highlighted when its language is known. */
export function code(text: string, info: string): string {
  const language = /^[\w+#-]{1,30}/.exec(info.trim())?.[0]?.toLowerCase() ?? "";
  return `<pre><code>${marked(text, language)}</code></pre>\n`;
}

function marked(text: string, language: string): string {
  if (text.length > LONGEST_CODE || !hljs.getLanguage(language)) return escaped(text);
  return hljs.highlight(visible(text), { language, ignoreIllegals: true }).value;
}

function urlOf(token: { attrGet(name: string): string | number | null } | undefined, name: string): string {
  const url = String(token?.attrGet(name) ?? "");
  return LINK.test(url) ? url : "#";
}
