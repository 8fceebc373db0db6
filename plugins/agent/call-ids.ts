import { newId } from "@scorel/kernel";

/** Call ids of one reply, by place: never empty, never one that is taken. */
export class CallIds {
  private readonly byIndex = new Map<number, string>();
  private readonly taken: Set<string>;

  constructor(taken: ReadonlySet<string>) {
    this.taken = new Set(taken);
  }

  of(index: number, given: string): string {
    let id = this.byIndex.get(index);
    if (id === undefined) {
      id = given === "" || this.taken.has(given) ? `call_${newId()}` : given;
      this.taken.add(id);
      this.byIndex.set(index, id);
    }
    return id;
  }
}
