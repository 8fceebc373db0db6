import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { imageType } from "@scorel/kit/files/image-type";
import { lineOf } from "@scorel/kit/text/one-line";
import type { ImageBlock, UserMessage } from "@scorel/messages/contract";
import { codeBlock } from "./clean.ts";
import { errors } from "./errors.ts";

/** A prompt from an editor: the text of the person, with attached files and images. */
export interface Prompt {
  content: UserMessage["content"];
  /** Whether `@path` in the text attaches that file. Only if a person has written the text. */
  mentions: boolean;
  /** The text, if the prompt consists only of text that the person typed. */
  typed?: string;
}

/** The first bytes of an image that are needed to detect its type. */
const IMAGE_HEAD = 64;

/** Converts a prompt of an editor. Throws ACP_EMPTY, ACP_CONTENT, ACP_IMAGE. */
export function promptOf(blocks: readonly ContentBlock[]): Prompt {
  let typed = "";
  const added: Exclude<UserMessage["content"], string> = [];
  for (const block of blocks) {
    if (block.type === "text") typed += block.text;
    else if (block.type === "resource_link") typed += `${/\S$/.test(typed) ? " " : ""}${mentionOf(block)}`;
    else added.push(addedBy(block));
  }
  if (typed.trim() === "" && added.length === 0) throw errors.ACP_EMPTY();
  if (added.length === 0) return { content: typed, mentions: true, typed };
  const isTyped = typed.trim() !== "";
  return { content: [...(isTyped ? [{ type: "text" as const, text: typed }] : []), ...added], mentions: isTyped };
}

function mentionOf({ uri, name }: { uri: string; name: string }): string {
  const path = pathOf(uri);
  if (path === undefined) return `[${lineOf(name)}](${lineOf(uri)})`;
  return `@"${path}"`;
}

/** The path of a file in a form that a mention can contain. Undefined for a URI that is not of a local file. */
function pathOf(uri: string): string | undefined {
  try {
    const path = fileURLToPath(uri);
    return /["\n\r\0]/.test(path) ? undefined : path;
  } catch {
    // The URI is not of a file on this computer.
    return undefined;
  }
}

function addedBy(block: Exclude<ContentBlock, { type: "text" | "resource_link" }>) {
  if (block.type === "image") return imageOf(block);
  if (block.type !== "resource") throw errors.ACP_CONTENT({ type: lineOf(block.type) });
  const { resource } = block;
  if ("text" in resource) {
    const name = pathOf(resource.uri) ?? lineOf(resource.uri);
    return { type: "text" as const, text: `${name}\n${codeBlock(resource.text)}` };
  }
  return imageOf({ data: resource.blob, mimeType: resource.mimeType ?? "unknown" });
}

/** Converts an image. Its type is detected from the data, since the editor's may be wrong. */
function imageOf({ data, mimeType }: { data: string; mimeType: string }): ImageBlock {
  const found = imageType(Buffer.from(data.slice(0, IMAGE_HEAD), "base64"));
  if (found === undefined) throw errors.ACP_IMAGE({ mimeType: lineOf(mimeType) });
  return { type: "image", data, mimeType: found };
}
