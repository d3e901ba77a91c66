const INITIAL_BYTES = 1 << 20;
/** A larger buffer is released after use. */
const MAX_KEPT_BYTES = 8 << 20;
const MAX_BYTES_PER_UNIT = 3;

/** Collects text as UTF-8 in a buffer that it keeps for the next answer: new memory costs more than writing to it. */
export class ByteWriter {
  private bytes?: Buffer;
  private length = 0;

  /** Number of bytes written since `start`. */
  get position(): number {
    return this.length;
  }

  /** Forgets what was written. */
  start(): void {
    this.length = 0;
    if (!this.bytes || this.bytes.length > MAX_KEPT_BYTES) this.bytes = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  }

  write(text: string): void {
    const bytes = this.withRoomFor(text.length * MAX_BYTES_PER_UNIT);
    this.length += bytes.write(text, this.length);
  }

  /** Writes bytes again that are already there. */
  repeat(from: number, to: number): void {
    this.withRoomFor(to - from).copyWithin(this.length, from, to);
    this.length += to - from;
  }

  /** Takes back the last character, an ASCII one. */
  takeBack(): void {
    this.length--;
  }

  /** Replaces an ASCII character by another. */
  replace(at: number, character: string): void {
    this.bytes![at] = character.charCodeAt(0);
  }

  /** A copy of what was written. */
  copy(): Buffer {
    return Buffer.from(this.bytes!.subarray(0, this.length));
  }

  private withRoomFor(size: number): Buffer {
    if (this.length + size > this.bytes!.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (this.length + size));
      this.bytes!.copy(larger, 0, 0, this.length);
      this.bytes = larger;
    }
    return this.bytes!;
  }
}
