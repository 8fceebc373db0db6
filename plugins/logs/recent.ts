/**
 * Values that were used lately, by number, up to a weight: when the younger half is full the older half is forgotten,
 * so that keeping costs the same whatever is kept.
 */
export class Recent<V> {
  private readonly limit: number;
  private young = new Map<number, V>();
  private old = new Map<number, V>();
  private weight = 0;

  /** `limit` is in the unit of the weights; at most twice as much is kept. */
  constructor(limit: number) {
    this.limit = limit;
  }

  get(key: number): V | undefined {
    return this.young.get(key) ?? this.old.get(key);
  }

  set(key: number, value: V, weight: number): void {
    if (this.weight + weight > this.limit) {
      this.old = this.young;
      this.young = new Map();
      this.weight = 0;
    }
    this.young.set(key, value);
    this.weight += weight;
  }
}
