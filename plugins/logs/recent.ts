/**
 * A cache of recently added values by number, limited by weight. It has a young and an old half; when the young half is full, it
 * becomes the old half, and the previous old half is dropped.
 */
export class Recent<V> {
  private readonly limit: number;
  private young = new Map<number, V>();
  private old = new Map<number, V>();
  private weight = 0;

  /** `limit` is the weight of one half. */
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
