import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import pg from 'pg';
import { reachServer } from '../../../src/common/db/reach-server.js';
import { serverSettings } from '../../../src/common/db/database.js';
import { BoundedClient } from '../../../src/common/db/postgres/bounded-client.js';
import { WireClient } from '../../../src/common/db/postgres/fast/wire-client.js';
import { ServerConnection } from '../../../src/common/db/postgres/own-connection.js';
import { NoPrimary } from '../../../src/common/db/postgres/server-hosts.js';
import { NoAnswer } from '../../../src/common/errors/unavailable.js';
import { isOutage } from '../../../src/common/db/query/outage.js';

type State = 'primary' | 'standby' | 'silent' | 'starting' | 'hanging up' | 'wrong password' | 'stopping';

/** A server that speaks enough of PostgreSQL's protocol to open a session. */
class FakeServer {
  state: State = 'primary';
  /** Whether each statement fails as a write on a standby does. */
  isReadOnly = false;
  /** Whether it closes a connection at once when it ends the session. */
  closes = true;
  connections = 0;
  private readonly sockets = new Set<Socket>();
  private server!: Server;
  port = 0;

  static async start(): Promise<FakeServer> {
    const fake = new FakeServer();
    fake.server = createServer((socket) => fake.greet(socket));
    await fake.listen();
    return fake;
  }

  async listen(): Promise<void> {
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private greet(socket: Socket): void {
    this.connections++;
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
    if (this.state === 'hanging up') return void socket.end();
    socket.once('data', () => {
      if (this.state === 'silent') return;
      if (this.state === 'starting') return void socket.end(failure('57P03', 'the database system is starting up'));
      if (this.state === 'wrong password') return void socket.end(failure('28P01', 'password authentication failed'));
      const standby = message('S', text('in_hot_standby'), text(this.state === 'standby' ? 'on' : 'off'));
      const greeting = Buffer.concat([message('R', int32(0)), standby, READY]);
      if (this.state === 'stopping') {
        socket.write(Buffer.concat([greeting, failure('57P01', 'terminating')]));
        return void (this.closes && socket.end());
      }
      socket.write(greeting);
      socket.on('data', (bytes) => {
        if (bytes[0] !== 'Q'.charCodeAt(0)) return;
        const answer = this.isReadOnly ? failure('25006', 'cannot execute UPDATE') : message('C', text('SELECT 0'));
        socket.write(Buffer.concat([answer, READY]));
      });
    });
  }
}

const text = (value: string) => Buffer.from(`${value}\0`);
const int32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const message = (type: string, ...parts: Buffer[]) => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
};
const field = (type: string, value: string) => text(type + value);
const failure = (code: string, why: string) =>
  message('E', field('S', 'ERROR'), field('C', code), field('M', why), text(''));
const READY = message('Z', Buffer.from('I'));

describe.each([
  ['plain', BoundedClient],
  ['fast', WireClient],
])('a connection to one of several hosts (%s)', (_, Client) => {
  let one: FakeServer;
  let other: FakeServer;
  const opened: BoundedClient[] = [];
  beforeEach(async () => void ([one, other] = await Promise.all([FakeServer.start(), FakeServer.start()])));
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((client) => client.end()));
    await Promise.all([one.stop(), other.stop()]);
  });

  const settings = (attributes = '') =>
    serverSettings(`postgres://u:hush@127.0.0.1:${one.port},127.0.0.1:${other.port}/x${attributes}`);

  /** Opens a connection and returns the server that it leads to. */
  async function open(from: ReturnType<typeof settings>): Promise<FakeServer> {
    const client = new Client(from);
    client.on('error', () => undefined);
    await client.connect();
    opened.push(client);
    return client.port === one.port ? one : other;
  }

  it.each([true, false])(
    'that ends as it opens is an outage, and the process stays; closed at once: %s',
    async (isClosed) => {
      one.state = 'stopping';
      one.closes = isClosed;
      const client = new Client({ host: '127.0.0.1', port: one.port, statement_timeout: 1_000 });
      const failure = await client
        .connect()
        .then(() => client.query('SELECT'))
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(NoAnswer);
      // an error without a listener ends the process later
      await new Promise((resolve) => setTimeout(resolve, 20));
      client.cut();
    },
  );

  it('leads to the first host that is not a standby', async () => {
    expect(await open(settings())).toBe(one);
    expect(other.connections).toBe(0);
    one.state = 'standby';
    expect(await open(settings())).toBe(other);
  });

  it.each<State>(['silent', 'starting', 'hanging up'])('does not lead to a server that is %s', async (state) => {
    one.state = state;
    const began = performance.now();
    expect(await open(settings())).toBe(other);
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('leads elsewhere when nobody listens, and tries the last good host first from then on', async () => {
    const all = settings();
    await one.stop();
    expect(await open(all)).toBe(other);
    await one.listen();
    const before = one.connections;
    expect(await open(all)).toBe(other);
    expect(one.connections).toBe(before);
  });

  it('takes a standby when any server will do', async () => {
    one.state = 'standby';
    expect(await open(settings('?target_session_attrs=any'))).toBe(one);
  });

  it('is refused as an outage when all are standbys, or gone', async () => {
    one.state = other.state = 'standby';
    const standbys = await open(settings()).catch((error: unknown) => error);
    expect(standbys).toBeInstanceOf(NoPrimary);
    await Promise.all([one.stop(), other.stop()]);
    const nobody = await open(settings()).catch((error: unknown) => error);
    expect(nobody).toMatchObject({ code: 'ECONNREFUSED' });
    expect([standbys, nobody].map(isOutage)).toEqual([true, true]);
  });

  it('is refused within the timeout when all are silent', async () => {
    one.state = other.state = 'silent';
    const began = performance.now();
    await expect(open({ ...settings(), connectionTimeoutMillis: 1_500 })).rejects.toThrow('in time');
    // one after the other, they would take 3 s
    expect(performance.now() - began).toBeLessThan(2_800);
    expect([one.connections, other.connections]).toEqual([1, 1]);
  });

  it('does not try the others after a wrong password', async () => {
    one.state = 'wrong password';
    await expect(open(settings())).rejects.toMatchObject({ code: '28P01' });
    expect(other.connections).toBe(0);
  });

  it('is closed at the first statement that the server refuses as a standby', async () => {
    const all = settings();
    let losses = 0;
    const client = new Client({ ...all, onLoss: () => losses++ });
    client.on('error', () => undefined);
    await client.connect();
    one.isReadOnly = true;
    const ended = once(client, 'end');
    const refused = await client.query('UPDATE').catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: '25006' });
    await ended;
    expect(losses).toBe(1);
    expect(await open(all)).toBe(other);
  });

  it('reports no end of the attempts before it, but its own', async () => {
    // as a balancer without a server does
    one.state = 'hanging up';
    const client = new Client(settings());
    let ends = 0;
    client.on('error', () => undefined);
    client.on('end', () => ends++);
    await client.connect();
    await client.query('SELECT');
    expect(ends).toBe(0);
    await client.end();
    expect(ends).toBe(1);
  });

  it('reads rows as the driver does with one host', async () => {
    const client = new Client(settings());
    await client.connect();
    opened.push(client);
    expect(Object.hasOwn(client.connection, 'attachListeners')).toBe(client instanceof WireClient);
  });

  it('does not try another host once it is closed', async () => {
    one.state = 'silent';
    const client = new Client(settings());
    const opening = client.connect();
    while (one.connections === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    client.cut();
    await expect(opening).rejects.toThrow();
    expect(other.connections).toBe(0);
  });

  it('serves statements for one purpose across a failover', async () => {
    const connection = new ServerConnection(settings(), 1_000);
    const ask = () => connection.run({ text: 'SELECT' });
    expect(await ask()).toEqual([]);
    await one.stop();
    const outcomes = [await ask().catch(isOutage), await ask()];
    expect(outcomes.at(-1)).toEqual([]);
    expect(other.connections).toBe(1);
    await connection.close();
  });
});

describe('a start with several hosts', () => {
  it('names all of them when none answers, or none accepts writes', async () => {
    const [one, other] = await Promise.all([FakeServer.start(), FakeServer.start()]);
    const places = `127.0.0.1:${one.port}, 127.0.0.1:${other.port}`;
    const url = `postgres://u:hush@${places.replace(' ', '')}/x`;
    one.state = other.state = 'standby';
    await expect(reachServer(url)).rejects.toThrow(
      `DATABASE_URL: none of the servers at ${places} accepts writes; promote a standby, or name the primary.`,
    );
    await Promise.all([one.stop(), other.stop()]);
    await expect(reachServer(url)).rejects.toThrow(
      `DATABASE_URL: no PostgreSQL answers at any of ${places} (ECONNREFUSED); start one, or correct the URL.`,
    );
  });

  it('tries again while one of them is starting, as after a failover, until the time is over', async () => {
    const [one, other] = await Promise.all([FakeServer.start(), FakeServer.start()]);
    one.state = other.state = 'starting';
    const reasons: string[] = [];
    const url = `postgres://u:hush@127.0.0.1:${one.port},127.0.0.1:${other.port}/x`;
    const reached = reachServer(url, { timeoutMs: 700, onWait: (why) => reasons.push(why) });
    await expect(reached).rejects.toThrow(/the database system is starting up.+Marquee waited 1 s for it/);
    expect([reasons.length, one.connections, other.connections]).toEqual([1, 3, 3]);
    await Promise.all([one.stop(), other.stop()]);
  });
});

describe('a connection of a pool', () => {
  it('that is lost while it is prepared fails the request for it, and not the process', async () => {
    const server = await FakeServer.start();
    const pool = new pg.Pool({
      connectionString: `postgres://me@127.0.0.1:${server.port}/x`,
      Client: BoundedClient,
      afterConnect: async (client: pg.Client) => {
        const ended = new Promise((resolve) => client.once('end', resolve));
        await server.stop();
        await ended;
        throw new Error('lost');
      },
    } as pg.PoolConfig);
    await expect(pool.connect()).rejects.toThrow('lost');
    expect(pool.totalCount).toBe(0);
    await pool.end();
  });
});
