/** A page of a list, as the envelope takes it. */
export class Page<T> {
  constructor(
    readonly items: T[],
    readonly nextCursor: string | null,
    readonly totalCount?: number,
    /** Keys that a few endpoints add beside `data`, such as `data_type`. */
    readonly extra?: Record<string, unknown>,
  ) {}

  map<U>(present: (item: T) => U): Page<U> {
    return new Page(
      this.items.map((item) => present(item)),
      this.nextCursor,
      this.totalCount,
      this.extra,
    );
  }
}
