/** The result of a batch, in the order of the request, with the operations as parsed. */
export class BatchResult<T> {
  constructor(
    readonly items: T[],
    readonly request: object[],
    /** Keys that one endpoint adds beside `data`, such as `data_type`. */
    readonly extra?: Record<string, unknown>,
  ) {}

  map<U>(present: (item: T) => U, extra = this.extra): BatchResult<U> {
    return new BatchResult(
      this.items.map((item) => present(item)),
      this.request,
      extra,
    );
  }
}
