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
