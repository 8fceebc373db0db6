import { wellFormed } from "@scorel/kit/text/cut";
import { plainText } from "@scorel/kit/text/plain";
import { shownAddress } from "./address.ts";
import type { FetchConfig } from "./config.ts";
import { convert } from "./convert.ts";
import { errors } from "./errors.ts";
import { type Answer, request } from "./request.ts";

/** The number of pages that are kept, so that their later parts are those of the same page. */
const KEPT = 4;
/** Media types of text other than `text/…`. */
const TEXTS = /[/+](?:json|xml|yaml|toml|javascript|ecmascript|x-sh|sql|graphql|x-ndjson|x-yaml)$/;

/** A page as text for the model. */
export interface TextPage {
  url: URL;
  title: string;
  text: string;
  /** Whether the page was longer than the most bytes that are read. */
  isCut: boolean;
}

/** Fetches pages as text, and keeps the last ones. */
export class Pages {
  private readonly config: FetchConfig;
  private readonly kept = new Map<string, TextPage>();

  constructor(config: FetchConfig) {
    this.config = config;
  }

  /** A page that was fetched before, if it is still kept. */
  known(url: URL): TextPage | undefined {
    return this.kept.get(url.href);
  }

  /** Fetches a page; see `request` for `elsewhere`. Throws FETCH errors. */
  async fetch(url: URL, signal: AbortSignal): Promise<TextPage | { elsewhere: URL }> {
    const answer = await request(url, this.config, signal);
    if ("elsewhere" in answer) return answer;
    const page = await textOf(answer, this.config, signal);
    this.kept.delete(url.href);
    this.kept.set(url.href, page);
    for (const [oldest] of this.kept) if (this.kept.size > KEPT) this.kept.delete(oldest);
    return page;
  }
}

async function textOf(answer: Answer, { timeout, maxBytes }: FetchConfig, signal: AbortSignal): Promise<TextPage> {
  const { url, type, isCut } = answer;
  const address = shownAddress(url);
  const source = decoded(answer);
  if (source === undefined) throw errors.FETCH_TYPE({ address, type: nameOf(answer) });
  const isHtml =
    type === "text/html" ||
    type === "application/xhtml+xml" ||
    (type === "" && /^\s*<(?:!doctype html|html)/i.test(source));
  if (!isHtml) return { url, title: "", text: cleaned(source), isCut };
  const page = await convert(source, url, { timeout, most: maxBytes }, signal);
  if (typeof page === "string") throw errors.FETCH_CONVERT({ address, reason: page });
  return { url, title: cleaned(page.title), text: cleaned(page.markdown), isCut: isCut || page.isCut };
}

/** The body as text; undefined if it is none. */
function decoded({ type, charset, bytes }: Answer): string | undefined {
  if (type !== "" && !type.startsWith("text/") && !TEXTS.test(type) && type !== "application/xhtml+xml")
    return undefined;
  if (bytes.subarray(0, 4_096).includes(0)) return undefined;
  return decoderFor(charset ?? charsetIn(bytes)).decode(bytes);
}

function decoderFor(charset: string | undefined): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    // A charset that nobody knows: almost all pages are UTF-8.
    return new TextDecoder();
  }
}

/** The charset that a page names in its first kilobyte, where browsers look for it. */
function charsetIn(bytes: Buffer): string | undefined {
  return /<meta[^>]{0,200}charset\s*=\s*["']?([\w.:-]+)/i.exec(bytes.toString("latin1", 0, 1_024))?.[1];
}

function cleaned(text: string): string {
  return wellFormed(plainText(text)).trim();
}

function nameOf({ type, bytes }: Answer): string {
  const size = bytes.length < 1_000 ? `${bytes.length} bytes` : `${Math.round(bytes.length / 1_000)} KB`;
  return `${/^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : "data of an unknown type"} (${size})`;
}
