import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { imageType } from "@scorel/kit/files/image-type";
import { lineOf } from "@scorel/kit/text/one-line";
import type { ImageBlock, UserMessage } from "@scorel/messages/contract";
import { fenced } from "./clean.ts";
import { errors } from "./errors.ts";

/** The content of a prompt from an editor: the person's words, and files or images that were attached to them. */
export interface Prompt {
  content: UserMessage["content"];
  /** Whether what is mentioned as `@path` is attached: only words of the person may name files. */
  mentions: boolean;
  /** The words of the person, if there is nothing else. */
  typed?: string;
}

/** As many bytes tell what an image is. */
const IMAGE_HEAD = 64;

/** Converts a prompt of an editor. Throws ACP_EMPTY, ACP_CONTENT and ACP_IMAGE. */
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

/** The path of a file that a mention can name. */
function pathOf(uri: string): string | undefined {
  try {
    const path = fileURLToPath(uri);
    return /["\n\r\0]/.test(path) ? undefined : path;
  } catch {
    // The address of something that is no file of this computer.
    return undefined;
  }
}

function addedBy(block: Exclude<ContentBlock, { type: "text" | "resource_link" }>) {
  if (block.type === "image") return imageOf(block);
  if (block.type !== "resource") throw errors.ACP_CONTENT({ type: lineOf(block.type) });
  const { resource } = block;
  if ("text" in resource) {
    const name = pathOf(resource.uri) ?? lineOf(resource.uri);
    return { type: "text" as const, text: `${name}\n${fenced(resource.text)}` };
  }
  return imageOf({ data: resource.blob, mimeType: resource.mimeType ?? "unknown" });
}

/** An image by what it is, whatever the editor calls it. */
function imageOf({ data, mimeType }: { data: string; mimeType: string }): ImageBlock {
  const found = imageType(Buffer.from(data.slice(0, IMAGE_HEAD), "base64"));
  if (found === undefined) throw errors.ACP_IMAGE({ mimeType: lineOf(mimeType) });
  return { type: "image", data, mimeType: found };
}
