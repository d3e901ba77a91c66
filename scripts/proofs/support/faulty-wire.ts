import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Stage } from './stage.js';

/** A TCP connection to a server that can go silent: bytes are no longer passed on, and nobody is told. */
export class FaultyWire {
  readonly port: number;
  private readonly pairs = new Set<{ sockets: [Socket, Socket]; dead: boolean }>();
  private readonly held = new Set<Socket>();
  private cut = false;

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    private target: number,
  ) {
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (client: Socket) => this.accept(client));
  }

  static async to(stage: Pick<Stage, 'atEnd'>, port: number): Promise<FaultyWire> {
    const server = createServer({ noDelay: true, pauseOnConnect: true });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const wire = new FaultyWire(server, port);
    stage.atEnd(() => wire.close());
    return wire;
  }

  /** The connections there are pass on nothing any more, for good; new ones work. */
  silence(): void {
    for (const pair of this.pairs) {
      pair.dead = true;
      this.hold(pair.sockets);
    }
  }

  /** New connections lead to another port. Those there are end, unless they are to stay. */
  leadTo(port: number, { stay = false } = {}): void {
    this.target = port;
    if (!stay) for (const { sockets } of this.pairs) sockets.forEach((socket) => socket.destroy());
  }

  /** Nothing is passed on any more, and new connections hear nothing, until `mend`. */
  sever(): void {
    this.cut = true;
    for (const { sockets } of this.pairs) this.hold(sockets);
  }

  /** What `sever` held back goes on. */
  mend(): void {
    this.cut = false;
    for (const { sockets, dead } of this.pairs) if (!dead) this.join(sockets);
    for (const client of this.held) this.accept(client);
    this.held.clear();
  }

  private accept(client: Socket): void {
    client.on('error', () => client.destroy());
    if (this.cut) {
      this.held.add(client);
      client.once('close', () => this.held.delete(client));
      return;
    }
    if (client.destroyed) return;
    const server = connect({ port: this.target, host: '127.0.0.1', noDelay: true });
    server.on('error', () => server.destroy());
    const pair = { sockets: [client, server] as [Socket, Socket], dead: false };
    this.pairs.add(pair);
    for (const [one, other] of [pair.sockets, [server, client] as const]) {
      one.once('close', () => {
        this.pairs.delete(pair);
        // A dead wire does not tell the other end that this one has hung up.
        if (!pair.dead) other.destroy();
        else if (one === client) server.destroy();
      });
    }
    this.join(pair.sockets);
  }

  private join([client, server]: [Socket, Socket]): void {
    client.pipe(server);
    server.pipe(client);
  }

  private hold([client, server]: [Socket, Socket]): void {
    client.unpipe(server).pause();
    server.unpipe(client).pause();
  }

  private close(): void {
    this.server.close();
    for (const { sockets } of this.pairs) sockets.forEach((socket) => socket.destroy());
    for (const client of this.held) client.destroy();
  }
}
