/** The result of a POST that returns an existing item unchanged: 201 for a new item, 200 for an existing one. */
export class Created<T> {
  constructor(
    readonly result: T,
    readonly isNew: boolean,
  ) {}

  map<U>(present: (result: T) => U): Created<U> {
    return new Created(present(this.result), this.isNew);
  }
}

/** One item with keys that a few endpoints add beside `data`, such as `data_type`. */
export class Item<T> {
  constructor(
    readonly item: T,
    readonly extra: Record<string, unknown>,
  ) {}
}

/** A response with a sentence instead of data: `message` in the envelope. */
export class Message {
  constructor(readonly text: string) {}
}

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

/** Thrown to answer a request with a response that was stored before. */
export class StoredAnswer extends Error {
  constructor(
    readonly status: number,
    /** The text of the body; null without one. */
    readonly body: string | null,
    readonly headers: Readonly<Record<string, string>>,
  ) {
    super('answered with a stored response');
  }
}
