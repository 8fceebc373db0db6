import { decodePrintableKey } from "@mariozechner/pi-tui/dist/keys.js";
import { segmentsOf } from "../input/graphemes.ts";
import { cleanText, pastedText } from "../input/paste.ts";
import type { Keys } from "../keys.ts";

/** A line of text, such as a search, after a key was pressed: it is edited only at its end. Undefined if the key does not edit it. */
export function typedInto(text: string, data: string, keys: Keys): string | undefined {
  const pasted = pastedText(data);
  if (pasted !== undefined) return text + cleanText(pasted).replace(/\s+/g, " ");
  if (keys.is(data, "deleteBackward"))
    return [...segmentsOf(text)]
      .slice(0, -1)
      .map((each) => each.segment)
      .join("");
  if (keys.is(data, "deleteWordBackward")) return /^[\s\S]*\s(?=\S)/.exec(text)?.[0] ?? "";
  if (keys.is(data, "deleteToStart")) return "";
  const character = decodePrintableKey(data) ?? data;
  return /\p{Cc}/u.test(character) ? undefined : text + character;
}
