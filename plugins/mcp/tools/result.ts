import { imageType } from "@scorel/kit/files/image-type";
import { beginningOf, wellFormed } from "@scorel/kit/text/cut";
import { plainText } from "@scorel/kit/text/plain";
import { isTable } from "@scorel/kit/values/table";
import type { ImageBlock, TextBlock, ToolOutput } from "@scorel/tools/contract";
import type { CallResult, ResultPart } from "../wire/connection.ts";

/** Most characters of text, images, and characters of their base64 in a result for the model. */
const MOST_TEXT = 50_000;
const MOST_IMAGES = 8;
const MOST_IMAGE = 10_000_000;
const MOST_PARTS = 1_000;
const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

type Block = TextBlock | ImageBlock;

/** Converts the result of a call for the model. `redact` removes secrets from text. */
export function resultOf(
  { content, structuredContent, isError }: CallResult,
  redact: (text: string) => string,
): ToolOutput {
  const limit = new Limit(redact);
  const blocks = content.slice(0, MOST_PARTS).flatMap((part) => limit.take(part));
  const hasText = blocks.some(({ type }) => type === "text");
  // A server that returns both repeats the structured content as text.
  if (!hasText && structuredContent !== undefined) blocks.push(...limit.text(JSON.stringify(structuredContent)));
  if (content.length > MOST_PARTS) blocks.push(note(`${content.length - MOST_PARTS} further parts are left out`));
  if (limit.omitted > 0)
    blocks.push(
      note(
        `${limit.omitted.toLocaleString("en")} characters are left out, since a result may have ${MOST_TEXT.toLocaleString("en")}; ask for less`,
      ),
    );
  return {
    content: blocks.length > 0 ? blocks : [note("no output")],
    ...(isError === true && { isError }),
  };
}

const note = (text: string): TextBlock => ({ type: "text", text: `[${text}]` });

/** Converts parts of a result into blocks for the model, within the limits. */
class Limit {
  /** Number of characters of text that were left out. */
  omitted = 0;
  private readonly redact: (text: string) => string;
  private characters = MOST_TEXT;
  private images = MOST_IMAGES;

  constructor(redact: (text: string) => string) {
    this.redact = redact;
  }

  take(part: ResultPart): Block[] {
    if (part.type === "text") return this.text(textIn(part.text));
    if (part.type === "image") return [this.image(part)];
    if (part.type === "audio") return [note(`audio, ${nameOf(part.mimeType)}: it cannot be shown to you`)];
    if (part.type === "resource_link") return this.text(`Resource ${textIn(part.name)}: ${textIn(part.uri)}`);
    if (part.type === "resource") return this.resource(isTable(part.resource) ? part.resource : {});
    return [note(`a part of the unknown type ${nameOf(part.type)}`)];
  }

  text(given: string): TextBlock[] {
    // Secrets are removed before the text is cut, since half of one would not be recognized.
    const safe = this.characters > 0 ? this.redact(given) : given;
    const kept = beginningOf(safe, this.characters);
    this.omitted += safe.length - kept.length;
    this.characters -= kept.length;
    const text = wellFormed(plainText(kept));
    return text === "" ? [] : [{ type: "text", text }];
  }

  private resource({ uri, text, blob, mimeType }: Record<string, unknown>): Block[] {
    if (typeof text === "string") return this.text(`Resource ${textIn(uri)}:\n${text}`);
    if (typeof blob === "string" && IMAGES.includes(String(mimeType)))
      return [this.image({ type: "image", data: blob, mimeType })];
    return this.text(`Resource ${textIn(uri)} (${nameOf(mimeType)}): it cannot be shown to you`);
  }

  private image({ data }: ResultPart): Block {
    if (typeof data !== "string" || data.length > MOST_IMAGE) return note("an image that is too large is left out");
    if (this.images === 0) return note(`an image is left out, since a result may have ${MOST_IMAGES}`);
    // Detected from the data, and not taken from the server: a provider refuses the whole request if the type of an image is wrong.
    const mimeType = imageType(Buffer.from(data.slice(0, 64), "base64"));
    if (mimeType === undefined || !IMAGES.includes(mimeType) || !/^[\w+/=-]*$/.test(data))
      return note("an image of a type that cannot be shown to you is left out");
    this.images--;
    return { type: "image", data, mimeType };
  }
}

const textIn = (value: unknown) => (typeof value === "string" ? value : "");
const nameOf = (value: unknown) => plainText(textIn(value)).slice(0, 60) || "of no named type";
