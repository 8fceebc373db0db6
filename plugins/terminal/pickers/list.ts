import { matchingItems } from "./matching.ts";

/** The items of a picker, the items that match the search, and the chosen one. */
export class PickList<Item> {
  private readonly searched: (item: Item) => string;
  private all: readonly Item[] = [];
  private matching: readonly Item[] = [];
  /** Items that were found in another way, and are shown below the others. */
  added: readonly Item[] = [];
  private index = 0;
  query = "";

  constructor(searched: (item: Item) => string) {
    this.searched = searched;
  }

  get items(): readonly Item[] {
    return this.matching;
  }
  get total(): number {
    return this.all.length;
  }
  get chosenIndex(): number {
    return this.index;
  }
  get chosen(): Item | undefined {
    return this.matching[this.index];
  }

  /** Replaces the items; the chosen one stays chosen if `isSame` finds it among the new ones. */
  fill(items: readonly Item[], isSame: (a: Item, b: Item) => boolean): void {
    const { chosen } = this;
    this.all = items;
    this.added = [];
    this.filter();
    const kept = chosen === undefined ? -1 : this.matching.findIndex((item) => isSame(item, chosen));
    this.index = kept >= 0 ? kept : Math.min(this.index, Math.max(0, this.matching.length - 1));
  }

  /** Replaces the items, but keeps the order of those that were there; new ones come first. */
  refill(items: readonly Item[], id: (item: Item) => string): void {
    const places = new Map(this.all.map((item, at) => [id(item), at]));
    const placeOf = (item: Item) => places.get(id(item)) ?? -1;
    this.fill(
      [...items].sort((a, b) => placeOf(a) - placeOf(b)),
      (a, b) => id(a) === id(b),
    );
  }

  search(query: string): void {
    if (query === this.query) return;
    this.query = query;
    this.added = [];
    this.filter();
    this.index = 0;
  }

  /** Adds items that were found for the present search in another way, below the others. The chosen one stays chosen. */
  add(items: readonly Item[]): void {
    this.added = items;
    this.filter();
  }

  /** Moves the choice. A single step past an end goes to the other end; larger steps stop at the end. */
  move(by: number): void {
    const { length } = this.matching;
    if (length === 0) return;
    const to = this.index + by;
    this.index = Math.abs(by) === 1 ? (to + length) % length : Math.max(0, Math.min(to, length - 1));
  }

  choose(index: number): void {
    this.index = Math.max(0, Math.min(index, this.matching.length - 1));
  }

  private filter(): void {
    this.matching = [...matchingItems(this.all, this.query, this.searched), ...this.added];
  }
}
