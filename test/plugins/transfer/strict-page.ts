const ATTRIBUTES: Readonly<Record<string, RegExp>> = {
  lang: /^en$/,
  charset: /^utf-8$/,
  "http-equiv": /^Content-Security-Policy$/,
  content: /^[\w\s',;:=.-]+$/,
  name: /^(viewport|referrer|color-scheme)$/,
  class: /^[\w -]+$/,
  href: /^(#|https?:\/\/[^\s"'<>]*|mailto:[^\s"'<>]*)$/i,
  rel: /^noreferrer noopener$/,
  alt: /^$/,
  src: /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]*={0,2}$/,
  open: /^$/,
  start: /^\d+$/,
  style: /^text-align:(left|right|center)$/,
};
const TAGS = new Set(
  `html head meta title style body header main h1 h2 h3 h4 h5 h6 dl dt dd article b small time div details summary code pre
  p img figure figcaption span section ul ol li a em strong s blockquote hr br table thead tbody tr th td`.split(/\s+/),
);
const TOKEN = /<!doctype html>|<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+(?:="[^"<>]*")?)*)>|[^<]+|</gy;

/**
 * Everything in an exported page that the export does not write itself, found by a strict tokenizer without a browser.
 */
export function oddities(page: string, style: string): string[] {
  const found: string[] = [];
  const begun = page.indexOf("<style>") + "<style>".length;
  if (page.slice(begun, begun + style.length) !== style) found.push("another style");
  const plain = page.slice(0, begun) + page.slice(begun + style.length);
  for (const [token, closing, tag, attributes] of plain.matchAll(TOKEN)) {
    if (token === "<") found.push("a stray <");
    if (tag !== undefined && !TAGS.has(tag)) found.push(`the tag ${tag}`);
    if (closing === "/" && attributes) found.push("a closing tag with attributes");
    for (const [, name = "", value = ""] of (attributes ?? "").matchAll(/ ([a-z-]+)(?:="([^"]*)")?/g))
      if (!ATTRIBUTES[name]?.test(value)) found.push(`${name}="${value}"`);
    if (tag === undefined && /&(?!amp;|lt;|gt;|quot;|#39;|#x27;)/.test(token))
      found.push(`an entity in ${token.slice(0, 60)}`);
  }
  if ((page.match(/<style>/g) ?? []).length !== 1) found.push("styles");
  return found;
}
