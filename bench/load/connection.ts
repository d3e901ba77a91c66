import { connect, type Socket } from 'node:net';

const END_OF_HEAD = '\r\n\r\n';

/** One keep-alive connection on which one request is underway at a time, read without keeping the answers. */
export class Connection {
  private socket?: Socket;
  private head = '';
  private status = 0;
  /** Bytes of the body still to come; -1 while the head is. */
  private left = -1;

  /** `answered` is told the status of every answer, `broken` when there will be none any more. */
  constructor(
    private readonly port: number,
    private readonly answered: (status: number) => void,
    private readonly broken: (error: Error) => void,
  ) {}

  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect({
        port: this.port,
        host: '127.0.0.1',
        noDelay: true,
        // One buffer for whatever arrives: it is looked at and forgotten.
        onread: {
          buffer: Buffer.allocUnsafe(256 * 1024),
          callback: (bytes, buffer) => {
            this.read(Buffer.from(buffer.buffer, buffer.byteOffset, bytes));
            return true;
          },
        },
      });
      socket.once('connect', resolve);
      socket.once('error', reject);
      socket.on('error', (error) => this.broken(error));
      socket.on('end', () => this.broken(new Error('the server closed a connection')));
      this.socket = socket;
    });
  }

  send(request: Buffer): void {
    this.socket!.write(request);
  }

  close(): void {
    this.socket
      ?.removeAllListeners('error')
      .removeAllListeners('end')
      .on('error', () => undefined)
      .destroy();
  }

  private read(chunk: Buffer): void {
    if (this.left >= 0) return this.take(chunk.length);
    const end = chunk.indexOf(END_OF_HEAD);
    // A head in pieces is so rare that it may cost a copy.
    if (end < 0 || this.head !== '') return this.readPieces(chunk);
    this.begin(chunk.toString('latin1', 0, end));
    this.take(chunk.length - end - END_OF_HEAD.length);
  }

  private readPieces(chunk: Buffer): void {
    this.head += chunk.toString('latin1');
    const end = this.head.indexOf(END_OF_HEAD);
    if (end < 0) return;
    const rest = this.head.length - end - END_OF_HEAD.length;
    this.begin(this.head.slice(0, end));
    this.head = '';
    this.take(rest);
  }

  private begin(head: string): void {
    this.status = Number(head.slice(9, 12));
    const length = /\ncontent-length: *(\d+)/i.exec(head);
    if (!length) throw new Error(`an answer without a length:\n${head}`);
    this.left = Number(length[1]);
  }

  private take(bytes: number): void {
    this.left -= bytes;
    if (this.left > 0) return;
    if (this.left < 0) throw new Error('more bytes than the answer said');
    this.left = -1;
    this.answered(this.status);
  }
}
