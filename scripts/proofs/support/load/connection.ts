import { connect, type Socket } from 'node:net';

const END_OF_HEAD = '\r\n\r\n';
const NOTHING = Buffer.alloc(0);

/** What is told of a request: its answer, or `undefined` where the connection ended before. */
export type Told = (answer?: { status: number; head: string; body: Buffer }) => void;

/** One keep-alive connection on which one request is underway at a time. */
export class Connection {
  private readonly socket: Socket;
  private received: Buffer = NOTHING;
  private told?: Told;

  /** `idle` is called when it may be used again, `gone` when it never may. */
  constructor(
    port: number,
    private readonly idle: (connection: Connection) => void,
    private readonly gone: (connection: Connection) => void,
  ) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.on('data', (chunk) => this.read(chunk));
    this.socket.on('error', () => undefined);
    this.socket.on('end', () => this.ended());
    this.socket.on('close', () => this.ended());
  }

  send(request: string, told: Told): void {
    this.told = told;
    this.socket.write(request, 'latin1');
  }

  close(): void {
    this.socket.destroy();
  }

  private read(chunk: Buffer): void {
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
    const end = this.received.indexOf(END_OF_HEAD);
    if (end < 0) return;
    const head = this.received.toString('latin1', 0, end + 2);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head);
    // Without a length the answer ends with the connection.
    if (!length) return;
    const body = this.received.subarray(end + END_OF_HEAD.length);
    if (body.length >= Number(length[1])) this.answered(head, body);
  }

  private answered(head: string, body: Buffer): void {
    const { told } = this;
    this.told = undefined;
    this.received = NOTHING;
    if (/\r\nconnection: *close/i.test(head)) this.close();
    else this.idle(this);
    told?.({ status: Number(head.slice(9, 12)), head, body });
  }

  private ended(): void {
    const end = this.received.indexOf(END_OF_HEAD);
    const head = this.received.toString('latin1', 0, Math.max(end + 2, 0));
    const { told } = this;
    this.told = undefined;
    this.socket.destroy();
    this.gone(this);
    const whole = end >= 0 && !/\r\n(content-length|transfer-encoding):/i.test(head);
    told?.(whole ? { status: Number(head.slice(9, 12)), head, body: this.received.subarray(end + 4) } : undefined);
  }
}
