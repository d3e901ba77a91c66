/** A response with a sentence instead of data: `message` in the envelope. */
export class Message {
  constructor(readonly text: string) {}
}
