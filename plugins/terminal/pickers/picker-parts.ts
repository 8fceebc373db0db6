import type { KeyAction } from "../keys.ts";
import type { Surroundings } from "../parts.ts";
import type { PickerWords } from "../words/pickers.ts";
import type { PickList } from "./list.ts";

/** The parts of the application that pickers use. */
export type PickerPlace = Pick<Surroundings, "theme" | "keys" | "rows" | "redraw"> & {
  readonly pickerWords: PickerWords;
};

/** How an item is shown. */
export interface PickerRow {
  label: string;
  /** Text at the right, or after the label. Of several parts, the first are left out where there is little room. */
  detail?: string | readonly string[] | undefined;
  /** A path before the detail. Its beginning is left out where there is little room. */
  place?: string | undefined;
  /** Whether it is the item in use, such as the shown session. */
  isCurrent?: boolean | undefined;
}

/** A part of a preview: plain text, Markdown, or a diff. */
export type PreviewPart = { text: string } | { markdown: string } | { diff: string };

export interface PickerOptions<Item> {
  /** The title, which may depend on what is listed. */
  title(): string;
  /** The text for an empty list, which may depend on what is listed. */
  empty: string | (() => string);
  load(signal: AbortSignal): Promise<readonly Item[]> | readonly Item[];
  row(item: Item): PickerRow;
  /** Identifies an item when the list is loaded again. */
  id(item: Item): string;
  /** The item that is chosen when the list opens. Default: the first one. */
  startsAt?(item: Item): boolean;
  /** The text that the search looks at. Default: label and detail. */
  searched?(item: Item): string;
  /**
   * Finds items that the search does not find in their texts. They are shown below the others. It is asked after a pause in typing, and
   * cancelled when the search changes.
   */
  findMore?(query: string, signal: AbortSignal): Promise<readonly Item[]>;
  /** The preview of an item: beside the list in a wide window, else below it. */
  preview?(item: Item, signal: AbortSignal): Promise<string | readonly PreviewPart[]> | string | readonly PreviewPart[];
  /** Whether a preview that is too long shows its first part and its last lines. Default: it shows its first lines. */
  previewsEnd?: boolean | undefined;
  /** Further keys for the chosen item. `hint` returns the text for a key in the last line. */
  more?: readonly { action: KeyAction; hint(key: string): string; run(item: Item): void }[];
  /** Further keys that need no item. A key whose hint is empty is not shown in the last line. */
  general?: readonly { action: KeyAction; hint(key: string): string; run(): void }[];
}

/** A question about an item within the list: for text, or for yes or no. */
export interface Asking {
  label: string;
  /** The text so far; undefined for a yes-or-no question. */
  text?: string | undefined;
  give(text: string): void;
}

/** Whether the picker's items are loaded. */
export type PickerState = { kind: "loading" | "ready" } | { kind: "failed"; why: string };

/** The state of a picker that is drawn. */
export interface PickerPicture<Item> {
  readonly at: PickerPlace;
  readonly options: PickerOptions<Item>;
  readonly list: PickList<Item>;
  readonly state: PickerState;
  /** Whether more items are being searched for. */
  readonly isFindingMore: boolean;
  readonly asking: Asking | undefined;
  /** A line above the list about the last change. */
  readonly said: string;
}
