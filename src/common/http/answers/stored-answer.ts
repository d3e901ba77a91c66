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
