import type { KeyAction } from "../keys.ts";
import type { Surroundings } from "../parts.ts";
import type { PickerWords } from "../words/pickers.ts";
import type { PickList } from "./list.ts";

/** What pickers get of the application. */
export type PickerPlace = Pick<Surroundings, "theme" | "keys" | "rows" | "redraw"> & {
  readonly pickerWords: PickerWords;
};

/** How an item is shown. */
export interface PickerRow {
  label: string;
  /** Stands on the right, or after the label. Of several parts the last are kept where there is little room. */
  detail?: string | readonly string[] | undefined;
  /** A path before the detail, whose end is kept where there is little room. */
  place?: string | undefined;
  /** Whether it is the one that is in use. */
  isCurrent?: boolean | undefined;
}

/** A part of what is shown about an item: words as they are, words of a model, or what changes in a file. */
export type PreviewPart = { text: string } | { markdown: string } | { diff: string };

export interface PickerOptions<Item> {
  /** May change with what is listed. */
  title(): string;
  /** Said when there is nothing to list. */
  empty: string;
  load(signal: AbortSignal): Promise<readonly Item[]> | readonly Item[];
  row(item: Item): PickerRow;
  /** Tells an item from others when the list is loaded again. */
  id(item: Item): string;
  /** What the search looks at. Default: label and detail. */
  searched?(item: Item): string;
  /** What is shown about the chosen item: in a wide window beside the list, else below it. */
  preview?(item: Item, signal: AbortSignal): Promise<string | readonly PreviewPart[]> | string | readonly PreviewPart[];
  /** Further keys for the chosen item, and what they say about themselves at the foot. */
  more?: readonly { action: KeyAction; hint(key: string): string; run(item: Item): void }[];
  /** Further keys that need no item. One whose hint is empty is not named. */
  general?: readonly { action: KeyAction; hint(key: string): string; run(): void }[];
}

/** Something that is asked about an item within the list: a text, or yes or no. */
export interface Asking {
  label: string;
  /** The text so far; undefined for a question of yes or no. */
  text?: string | undefined;
  give(text: string): void;
}

/** What the picker has of its items. */
export type PickerState = { kind: "loading" | "ready" } | { kind: "failed"; why: string };

/** What is drawn of a picker. */
export interface PickerPicture<Item> {
  readonly at: PickerPlace;
  readonly options: PickerOptions<Item>;
  readonly list: PickList<Item>;
  readonly state: PickerState;
  readonly asking: Asking | undefined;
  /** What has just been done. */
  readonly said: string;
}
