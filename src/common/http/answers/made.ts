/**
 * What a POST answers that finds the same thing there already: 201 where it is new, and 200 where it was found.
 */
export class Made<T> {
  constructor(
    readonly result: T,
    readonly isNew: boolean,
  ) {}

  map<U>(present: (result: T) => U): Made<U> {
    return new Made(present(this.result), this.isNew);
  }
}
