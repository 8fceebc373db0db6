import { messageOf } from "@scorel/kit/values/coded-error";
import type { Surroundings } from "../parts.ts";
import type { Words } from "../words/words.ts";
import type { FieldParts } from "./field-parts.ts";
import { freeMark } from "./picture-marks.ts";

/** The parts of the application that are used to attach a picture from the clipboard. */
export interface ClipboardPlace extends Pick<Surroundings, "env" | "tell"> {
  readonly words: Pick<Words, "clipboard" | "imagesInMessages" | "readingFiles" | "noFiles">;
}

/** Returns a function that attaches the picture in the clipboard to the message, or tells the user why there is none. */
export function clipboardPaste(at: ClipboardPlace): NonNullable<FieldParts["pasteImage"]> {
  const { env, words } = at;
  let count = 0;
  return async (field) => {
    if (field.mode !== "message") return at.tell(words.imagesInMessages, "warning");
    try {
      const { clipboardImage } = await import("./clipboard-image.ts");
      const found = await clipboardImage(env);
      if (!("image" in found)) return at.tell(words.clipboard[found.problem], "warning");
      count++;
      // A text that was recalled or typed may contain marks of other pictures.
      field.attach({ mark: freeMark(field.text, count), image: found.image });
    } catch (thrown) {
      at.tell(messageOf(thrown), "error");
    }
  };
}
