import { messageOf } from "@scorel/kit/values/coded-error";
import type { Surroundings } from "../parts.ts";
import type { Words } from "../words/words.ts";
import type { FieldParts } from "./field-parts.ts";

/** The parts of the application that are used to attach a picture from the clipboard. */
export interface ClipboardPlace extends Pick<Surroundings, "env" | "tell"> {
  readonly words: Pick<Words, "clipboard" | "imagesInMessages" | "readingFiles">;
}

/** Returns a function that attaches the picture in the clipboard to the message, or tells the user why there is none. */
export function clipboardPaste({ env, tell, words }: ClipboardPlace): NonNullable<FieldParts["pasteImage"]> {
  let count = 0;
  return async (field) => {
    if (field.mode !== "message") return tell(words.imagesInMessages, "warning");
    try {
      const { clipboardImage } = await import("./clipboard-image.ts");
      const found = await clipboardImage(env);
      if ("image" in found) field.attach({ mark: `[image #${++count}]`, image: found.image });
      else tell(words.clipboard[found.problem], "warning");
    } catch (thrown) {
      tell(messageOf(thrown), "error");
    }
  };
}
