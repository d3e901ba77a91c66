/** One item with keys that a few endpoints add beside `data`, such as `data_type`. */
export class Item<T> {
  constructor(
    readonly item: T,
    readonly extra: Record<string, unknown>,
  ) {}
}
