import type { BaseContext } from "@scorel/kernel";
import type { ImageBlock, TextBlock } from "@scorel/messages/contract";
import type { Limits } from "./config.ts";
import type { ImagesService, ShownImage } from "./contract.ts";
import { errors } from "./errors.ts";
import { createPreparation, type Prepared } from "./preparation.ts";

/** The service `images` of one session. */
export function createImages(ctx: BaseContext, limits: Limits): ImagesService {
  const prepare = createPreparation(limits);
  const told = new Set<string>();
  const blindModel = () => blind(ctx);
  const tellOnce = (model: string) => {
    if (told.has(model)) return;
    told.add(model);
    ctx.report("", errors.IMAGE_UNSEEN({ model, isDescribed: ctx.find("model")?.isDescribed?.() === true }));
  };
  const prepared = async (bytes: Uint8Array, name: string, signal?: AbortSignal) => {
    const model = blindModel();
    if (model !== undefined) tellOnce(model);
    return prepare(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), name, { model, signal });
  };
  const replaced = async (block: ImageBlock, name: string, signal?: AbortSignal) => {
    const found = await prepared(Buffer.from(block.data, "base64"), name, signal);
    // A model without image input was already reported; any other reason concerns only this image.
    if (!found.image && blindModel() === undefined) ctx.report("", errors.IMAGE_NOT_SHOWN({ text: found.text }));
    if (!found.image) return [unshownBlock(found, name)];
    return found.changed ? blocksOf(found) : [sameBlock(block, found.image)];
  };
  return {
    async show(bytes, name, signal): Promise<ShownImage> {
      const found = await prepared(bytes, name, signal);
      return { content: blocksOf(found), shown: found.image !== undefined, ...found.facts };
    },
    async fit(content, signal) {
      const count = content.filter(isImage).length;
      const fitted: (TextBlock | ImageBlock)[] = [];
      let index = 0;
      for (const block of content) {
        const name = count === 1 ? "the image" : `image ${isImage(block) ? ++index : index} of ${count}`;
        fitted.push(...(isImage(block) ? await replaced(block, name, signal) : [block]));
      }
      return fitted;
    },
  };
}

function isImage(block: TextBlock | ImageBlock): block is ImageBlock {
  return block.type === "image";
}

/** The original block, with a corrected media type if needed. */
function sameBlock(block: ImageBlock, { mimeType }: ImageBlock): ImageBlock {
  return block.mimeType === mimeType ? block : { ...block, mimeType };
}

function blocksOf({ text, image }: Prepared): (TextBlock | ImageBlock)[] {
  return [{ type: "text", text }, ...(image ? [image] : [])];
}

/** Text in place of an image of a message. People see only the reason, and not the advice for the model. */
function unshownBlock({ text, reason }: Prepared, name: string): TextBlock {
  return { type: "text", text, attachment: true, forPeople: `[${name}: not shown, because ${reason}]` };
}

/** The name of a model that takes no images; undefined for any other, and without a model. */
function blind(ctx: BaseContext): string | undefined {
  try {
    const model = ctx.find("model")?.current();
    return !model || model.input.includes("image") ? undefined : `${model.provider}/${model.id}`;
  } catch {
    return undefined; // No model is set; the turn itself reports that.
  }
}
