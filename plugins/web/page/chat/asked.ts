import { chosenFor, type OpenRequest } from "@scorel/host/client";
import type { DisplayAction } from "@scorel/kernel";
import { decided, decidedText } from "../display/decided.ts";
import { safeLine } from "../display/safe.ts";
import type { Words } from "../words/words.ts";

/** A question in the form in which it is shown: translated as far as possible, and with invisible characters made visible. */
export interface Asked {
  title: string;
  /** The plugin that asks; undefined for the plugin `permissions`, whose titles say what they are about. */
  asker: string | undefined;
  parts: DisplayAction[];
  options: { value: string; label: string; agrees: boolean }[];
  /** The answer that is shown as the usual one. */
  chosen: string | undefined;
}

/** Prepares a question for display. */
export function askedIn(request: OpenRequest, words: Words): Asked {
  const { kind, title, body = [], options = [], plugin } = request;
  // Only the words of these questions are Scorel's own, and can be translated.
  const isKnown = plugin === "permissions";
  const known = (text: string) => (isKnown ? words.known(text) : text);
  const line = (text: string) => safeLine(decidedText(known(text)));
  const yesOrNo = [
    { value: "y", label: words.yes, agrees: true },
    { value: "n", label: words.no, agrees: false },
  ];
  return {
    title: line(title),
    asker: isKnown ? undefined : safeLine(plugin),
    chosen: chosenFor(request),
    parts: body.map((part) => decided(part.display === "notice" ? { ...part, text: known(part.text) } : part)),
    options:
      kind === "confirm"
        ? yesOrNo
        : options.map(({ value, label, kind }) => ({
            value,
            label: line(isKnown ? words.answerLabel(label) : label),
            agrees: !kind?.startsWith("reject") && value !== "n",
          })),
  };
}
