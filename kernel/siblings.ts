/** Which path events hang at which; made when it is first asked for, as a conversation that only goes on needs none. */
export class Siblings {
  private readonly children = new Map<number, number[]>();

  add(row: number, parent: number): void {
    const known = this.children.get(parent);
    if (known) known.push(row);
    else this.children.set(parent, [row]);
  }
  of(row: number): readonly number[] {
    return this.children.get(row) ?? [];
  }
}
