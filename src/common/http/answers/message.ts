/** An answer that is a sentence instead of data: the envelope has it as `message`. */
export class Message {
  constructor(readonly text: string) {}
}
