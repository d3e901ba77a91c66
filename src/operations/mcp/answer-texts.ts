import { randomUUID } from 'node:crypto';
import { AnswerTooLarge } from '../../workbench/mcp/operation-tools.js';

/** Maximum number of bytes of an answer: of all messages of a batch together. */
export const MAX_ANSWER_BYTES = 4_000_000;
/** Maximum number of bytes of answers to a user that this process has not sent yet. */
export const MAX_BYTES_OF_USER = 8_000_000;

/** The end of the placeholder of an object. */
const END_OF_OBJECT = '":0}';

/** Counts the bytes of answers that are on their way, by user. */
export class UnreadBytes {
  private readonly byUser = new Map<string, number>();

  /** True if there is room for a whole answer more. Otherwise the user reads others first. */
  hasRoom(userId: string): boolean {
    return this.of(userId) + MAX_ANSWER_BYTES <= MAX_BYTES_OF_USER;
  }

  of(userId: string): number {
    return this.byUser.get(userId) ?? 0;
  }

  add(userId: string, bytes: number): void {
    const total = this.of(userId) + bytes;
    if (total > 0) this.byUser.set(userId, total);
    else this.byUser.delete(userId);
  }
}

/**
 * The large texts of one answer. The protocol's package gets a short placeholder for each, and `filled` replaces it with
 * the bytes while they are sent. Otherwise the package would serialize and copy every text for each answer.
 */
export class AnswerTexts {
  private readonly mark = `text-${randomUUID()}-`;
  private readonly placed: Buffer[] = [];
  private bytes = 0;
  private hasEnded = false;

  constructor(
    private readonly underWay: UnreadBytes,
    private readonly userId: string,
  ) {}

  /** Throws unless the answer has room for this many bytes more. */
  requireRoom(bytes: number): void {
    if (this.hasEnded) throw new AnswerTooLarge('The connection is closed.');
    if (this.bytes + bytes > MAX_ANSWER_BYTES)
      throw new AnswerTooLarge(
        `An answer has at most ${MAX_ANSWER_BYTES} bytes. Ask for less, or in several requests.`,
      );
    if (this.underWay.of(this.userId) + bytes > MAX_BYTES_OF_USER)
      throw new AnswerTooLarge(
        `Answers with ${MAX_BYTES_OF_USER} bytes are on their way to you. Read them, then ask again.`,
      );
  }

  /** The placeholder of a value, which is JSON already. */
  place(json: Buffer): string {
    this.requireRoom(json.length);
    this.bytes += json.length;
    this.underWay.add(this.userId, json.length);
    return `${this.mark}${this.placed.push(json) - 1}`;
  }

  /** The same for a value that is an object: its placeholder is one, too, as the protocol's package wants it. */
  placeObject(json: Buffer): Record<string, unknown> {
    return { [this.place(json)]: 0 };
  }

  /** The answer with the bytes in place of the placeholders. Lines of it are complete: JSON has no line breaks. */
  async *filled(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of body) {
      rest += decoder.decode(chunk, { stream: true });
      const end = rest.lastIndexOf('\n') + 1;
      yield* this.replaced(rest.slice(0, end));
      rest = rest.slice(end);
    }
    yield* this.replaced(rest);
  }

  /** The answer is sent, or nobody reads it any more. */
  end(): void {
    this.hasEnded = true;
    this.underWay.add(this.userId, -this.bytes);
    this.bytes = 0;
  }

  private *replaced(text: string): Generator<Buffer> {
    const [first, ...others] = text.split(`"${this.mark}`);
    let before = first;
    // each part begins with the number of a value, behind which are the end of its placeholder and more of the text
    for (const other of others) {
      const end = other.indexOf('"');
      const isObject = other.startsWith(END_OF_OBJECT, end);
      if (isObject) before = before.slice(0, -'{'.length);
      if (before !== '') yield Buffer.from(before);
      yield this.placed[Number(other.slice(0, end))];
      before = other.slice(end + (isObject ? END_OF_OBJECT.length : 1));
    }
    if (before !== '') yield Buffer.from(before);
  }
}
