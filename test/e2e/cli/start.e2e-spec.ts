import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
  statSync,
} from 'node:fs';
import { createServer as createPlainServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { type Ended, Place } from './marquee.js';

jest.setTimeout(180_000);

describe('start', () => {
  const NOBODY = 65_534;
  /** A port on which nobody listens. */
  const CLOSED = 1;

  let folder: string;
  /** A data directory with a store, a key and the demo in it, which nobody has open. */
  let good: string;
  let place: Place;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'marquee-start-'));
    place = await Place.make({ LOG_LEVEL: 'warn' });
    good = place.dataDir;
    await place.json(['demo']);
  });
  afterAll(async () => {
    await place?.leave();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A copy of the good data directory, changed. */
  function damaged(change: (dataDir: string) => void): string {
    const dataDir = mkdtempSync(join(folder, 'd'));
    cpSync(good, dataDir, { recursive: true });
    change(dataDir);
    return dataDir;
  }

  const start = (env: Record<string, string>) => place.marquee(['serve'], { env });

  /** One sentence on standard error, no stack, exit code 1. */
  function expectSentence({ exitCode, stdout, stderr }: Ended, words: RegExp) {
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(words);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).not.toMatch(/^\s+at /m);
  }

  describe('a start on an embedded store that is not whole', () => {
    const store = (dataDir: string, path: string) => join(dataDir, 'store', path);

    it.each<[string, (dataDir: string) => void]>([
      ['pg_control is gone', (dataDir) => rmSync(store(dataDir, 'global/pg_control'))],
      ['the write-ahead log is gone', (dataDir) => rmSync(store(dataDir, 'pg_wal'), { recursive: true })],
      [
        'tables are empty',
        (dataDir) => {
          const tables = readdirSync(store(dataDir, 'base/5')).filter((name) => /^16\d{3}$/.test(name));
          for (const table of tables) truncateSync(store(dataDir, `base/5/${table}`));
        },
      ],
      ['its version is gone', (dataDir) => rmSync(store(dataDir, 'PG_VERSION'))],
    ])('says that it is damaged: %s', async (_, change) => {
      const dataDir = damaged(change);
      expectSentence(
        await start({ DATA_DIR: dataDir }),
        /^The store in \S+\/store is damaged \(.+\); restore it from a backup, or move/,
      );
      expect(existsSync(store(dataDir, 'base'))).toBe(true);
    });

    it('names the version of another one', async () => {
      const dataDir = damaged((at) => writeFileSync(store(at, 'PG_VERSION'), '16\n'));
      expectSentence(
        await start({ DATA_DIR: dataDir }),
        /created by PostgreSQL 16, but this release of Marquee contains PostgreSQL 18/,
      );
    });
  });

  describe('a start without the master key', () => {
    const keyOf = (dataDir: string) => join(dataDir, 'master.key');

    it('is refused, and leaves no other key behind', async () => {
      const dataDir = damaged((at) => rmSync(keyOf(at)));
      expectSentence(
        await start({ DATA_DIR: dataDir }),
        /^MASTER_KEY: the key [0-9a-f]{12} .* is lost.*restore that file from a backup/,
      );
      expect(existsSync(keyOf(dataDir))).toBe(false);
      const command = await place.marquee(['token', 'issue', '--user', 'demo', '--app', 'Marquee Demo'], {
        env: { DATA_DIR: dataDir },
      });
      expect(command).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^error: MASTER_KEY: .* is lost/) });
      expect(existsSync(keyOf(dataDir))).toBe(false);
    });

    it('is refused with another one, from the file or the environment', async () => {
      const other = Buffer.alloc(32, 'other').toString('base64');
      const dataDir = damaged((at) => writeFileSync(keyOf(at), other));
      expectSentence(
        await start({ DATA_DIR: dataDir }),
        /sealed under key [0-9a-f]{12}, but the key in \S+master\.key is/,
      );
      const given = damaged(() => undefined);
      expectSentence(
        await start({ DATA_DIR: given, MASTER_KEY: other }),
        /sealed under key [0-9a-f]{12}, but the key given is/,
      );
    });

    it('goes on where the key is given in the environment', async () => {
      const key = readFileSync(keyOf(good), 'utf8').trim();
      const dataDir = damaged((at) => rmSync(keyOf(at)));
      const shown = await place.marquee(['app', 'list'], { env: { DATA_DIR: dataDir, MASTER_KEY: key } });
      expect(shown).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Marquee Demo') });
    });
  });

  describe('a start in a place that cannot be used', () => {
    it('says that DATA_DIR is no directory', async () => {
      const file = join(folder, 'file');
      writeFileSync(file, '');
      expectSentence(await start({ DATA_DIR: file }), /^DATA_DIR: \S+file is not a directory; set DATA_DIR/);
      expectSentence(
        await start({ DATA_DIR: join(file, 'below') }),
        /^DATA_DIR: \S+below is not a directory; set DATA_DIR/,
      );
    });

    it('says that nothing can be written there', async () => {
      const closed = join(folder, 'closed');
      mkdirSync(closed, { mode: 0o555 });
      const asOther = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
      expectSentence(
        await place.marquee(['serve'], { env: { DATA_DIR: join(closed, 'data') }, ...asOther }),
        /^DATA_DIR: this user cannot write to \S+data \(EACCES\); change its permissions/,
      );
    });
  });

  describe('a start on a server', () => {
    const servers: Server[] = [];
    afterAll(() => servers.forEach((server) => server.close()));

    /** Answers as a PostgreSQL server of this version does that lets everybody in, or as one that refuses. */
    async function postgres(
      answer: { version: string } | { code: string; message: string },
      port = 0,
    ): Promise<string> {
      const message = (type: string, ...parts: (Buffer | number)[]) => {
        const body = Buffer.concat(parts.map((part) => (typeof part === 'number' ? int32(part) : part)));
        return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
      };
      const ready = message('Z', Buffer.from('I'));
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => {
          if ('code' in answer) {
            const fields = `SFATAL\0VFATAL\0C${answer.code}\0M${answer.message}\0\0`;
            return socket.end(message('E', Buffer.from(fields)));
          }
          socket.write(Buffer.concat([message('R', 0), ready]));
          socket.on('data', (chunk) => {
            if (chunk.at(0) !== 'Q'.charCodeAt(0)) return;
            const column = Buffer.concat([
              Buffer.from('server_version\0'),
              Buffer.alloc(6),
              int32(25),
              Buffer.from('ffffffffffff0000', 'hex').subarray(0, 8),
            ]);
            const value = Buffer.from(answer.version);
            socket.write(
              Buffer.concat([
                message('T', Buffer.from([0, 1]), column),
                message('D', Buffer.from([0, 1]), value.length, value),
                message('C', Buffer.from('SHOW\0')),
                ready,
              ]),
            );
          });
        });
      }).listen(port, '127.0.0.1');
      servers.push(server);
      await once(server, 'listening');
      return `postgres://somebody:hush@127.0.0.1:${(server.address() as AddressInfo).port}/ads`;
    }

    it.each([
      ['28P01', 'password authentication failed for user "somebody"', /rejects the password of somebody; correct it/],
      ['28000', 'role "somebody" does not exist', /rejects the user somebody \(role "somebody" does not exist\)/],
      ['3D000', 'database "ads" does not exist', /has no database ads; correct its name, or create it/],
    ])('says what it refuses (%s)', async (code, message, words) => {
      const ended = await start({ DATABASE_URL: await postgres({ code, message }) });
      expectSentence(ended, words);
      expect(ended.stderr).not.toContain('hush');
    });

    it('says that there is no such host, and does not make commands wait for it', async () => {
      const ended = await place.marquee(['migrate'], { env: { DATABASE_URL: 'postgres://u@nowhere.invalid/x' } });
      expectSentence(ended, /^error: DATABASE_URL: the host nowhere\.invalid does not exist/);
      const closed = await place.marquee(['app', 'list'], {
        env: { DATABASE_URL: `postgres://u@127.0.0.1:${CLOSED}/x` },
      });
      expectSentence(
        closed,
        /^error: DATABASE_URL: no PostgreSQL answers at 127\.0\.0\.1:1 \(ECONNREFUSED\); start it/,
      );
    });

    it('waits for it, says so once, and refuses one that is too old', async () => {
      const reserved = createServer().listen(0, '127.0.0.1');
      await once(reserved, 'listening');
      const { port } = reserved.address() as AddressInfo;
      reserved.close();
      const { child, ended } = place.run(['serve'], { env: { DATABASE_URL: `postgres://u@127.0.0.1:${port}/x` } });
      await new Promise<void>((resolve) => child.stdout!.on('data', () => resolve()));
      await postgres({ version: '14.13 (Debian 14.13-1)' }, port);
      const { exitCode, stdout, stderr } = await ended;
      expect(exitCode).toBe(1);
      expect(
        stdout
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line).msg),
      ).toEqual([
        expect.stringMatching(/^DATABASE_URL: no PostgreSQL answers at .* Marquee waits up to 30 seconds for it\.$/),
      ]);
      expect(stderr).toBe(
        'DATABASE_URL: the server is PostgreSQL 14.13; Marquee needs 15 or newer. Upgrade it, or name another server.\n',
      );
    });
  });

  it('a start while Redis is not available succeeds', async () => {
    const other = await Place.make({ LOG_LEVEL: 'error', DEMO: 'false', REDIS_URL: `redis://127.0.0.1:${CLOSED}` });
    try {
      await other.serve();
      const answer = await fetch(`${other.url}/health/ready`);
      expect([answer.status, await answer.json()]).toEqual([
        200,
        {
          status: 'ok',
          database: 'ok',
          redis: 'away',
          degraded: expect.stringMatching(/^requests are still served/),
        },
      ]);
    } finally {
      await other.leave();
    }
  });

  it('SIGTERM to npm ends the service that npm start has started', async () => {
    const other = await Place.make({ LOG_LEVEL: 'warn', DEMO: 'false' });
    try {
      await other.serveWithNpm();
      // npm itself ends at once; the pipes close when the service has ended, too
      await other.stop();
      await expect(fetch(`${other.url}/health/live`)).rejects.toThrow('fetch failed');
      // the store is no longer locked
      await other.serve();
    } finally {
      await other.leave();
    }
  });

  const int32 = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    return bytes;
  };
});

describe('first start', () => {
  let place: Place;
  beforeEach(async () => void (place = await Place.make({ LOG_LEVEL: 'warn' })));
  afterEach(() => place.leave());

  it('a start on a port that is taken says so, and has written nothing', async () => {
    const other = createPlainServer((_, response) => response.end('<html>')).listen(
      Number(new URL(place.url).port),
      '127.0.0.1',
    );
    await once(other, 'listening');
    try {
      const { exitCode, stdout, stderr } = await place.marquee(['serve']);
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(stderr).toMatch(
        /^Port \d+ of 127\.0\.0\.1 is in use by another program; `PORT=\d+ npm start` uses another port\.\n$/,
      );
      expect(readdirSync(place.dataDir)).toEqual([]);

      // A request is not blamed on the credentials there.
      await place.json(['demo']);
      const asked = await place.marquee(['request', 'GET', '/12/accounts']);
      expect(asked.stderr).toMatch(
        /^200 OK {2}GET http:\/\/localhost:\d+\/12\/accounts\nThe program at \S+ is not Marquee/,
      );
    } finally {
      other.close();
    }
  });

  it('has the port from the first moment, and answers 503 there until it is ready', async () => {
    const { child, ended } = place.run(['serve']);
    const statuses = new Set<number>();
    let body: unknown;
    try {
      while (!statuses.has(200) && child.exitCode === null) {
        const answer = await fetch(`${place.url}/health/ready`).catch(() => undefined);
        if (!answer) continue;
        statuses.add(answer.status);
        if (answer.status === 503) body = await answer.json();
      }
      expect([...statuses]).toEqual([503, 200]);
      expect(body).toEqual({ status: 'unavailable', starting: true });
      // It is complete by then.
      expect(await place.marquee(['request', 'GET', '/12/accounts'])).toMatchObject({ exitCode: 0 });
    } finally {
      child.kill('SIGTERM');
      expect((await ended).exitCode).toBe(0);
    }
  });

  it('its URLs follow the port of each start, in the credentials and in the callback of the demo', async () => {
    const credentials = () =>
      JSON.parse(readFileSync(place.path('demo-credentials.json'), 'utf8')) as Record<string, string>;
    await place.json(['demo']);
    const before = credentials();
    const moved = await place.on();
    try {
      await moved.serve();
      expect(credentials()).toEqual({
        ...before,
        base_url: moved.url,
        ads_base_url: moved.url,
        ads_sandbox_base_url: `${moved.url}/sandbox`,
        callback_url: `${moved.url}/demo/callback`,
      });
      expect(moved.url).not.toBe(place.url);
      // Without PORT, as a command is pasted.
      const asked = await place.marquee(['request', 'GET', '/12/accounts']);
      expect(asked).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`GET ${moved.url}/12/accounts\n`) });
      expect((await moved.json<{ callbacks: string[] }[]>(['app', 'list']))[0].callbacks).toEqual([
        `${moved.url}/demo/callback`,
      ]);
      const version = await (await fetch(`${moved.url}/version`)).json();
      expect(version).toMatchObject({
        name: 'marquee',
        base_url: moved.url,
        ads_sandbox_base_url: `${moved.url}/sandbox`,
      });
    } finally {
      await moved.stop();
    }
  });
});

describe('local', () => {
  let place: Place;
  beforeEach(async () => void (place = await Place.make({ LOG_LEVEL: 'warn' })));
  afterEach(() => place.leave());

  it('migrates a new store once', async () => {
    const [first, ...more] = await place.json<string[]>(['migrate']);
    expect([first, ...more]).toEqual(expect.arrayContaining([expect.stringMatching(/^\w+\d{13}$/)]));
    expect(await place.marquee(['migrate'])).toEqual({
      exitCode: 0,
      stdout: 'The schema is up to date.\n',
      stderr: '',
    });
  });

  it('makes the demo in an empty store only, and requests find its credentials', async () => {
    const path = place.path('demo-credentials.json');
    const made = await place.marquee(['demo']);
    expect(made).toEqual({ exitCode: 0, stdout: expect.stringContaining(path), stderr: '' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const again = await place.marquee(['demo']);
    expect(again).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^error: the store is not empty.*demo-cred/),
    });
    const { account_id } = JSON.parse(readFileSync(path, 'utf8'));
    const { stdout } = await place.marquee(['request', 'GET', '/12/accounts/:account_id', '--dry-run']);
    expect(stdout).toContain(`GET /12/accounts/${account_id} HTTP/1.1`);
  });

  it('prints the link to the reference with the key of the demo, the same every time', async () => {
    const none = await place.marquee(['docs']);
    expect(none).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(/^error: there is no demo in/),
    });
    await place.json(['demo']);
    const { stdout } = await place.marquee(['docs']);
    expect(stdout).toMatch(new RegExp(`^${place.url}/docs#key=[\\w-]{43}\n$`));
    expect(await place.json(['docs'])).toEqual({ url: stdout.trim() });
    const production = { NODE_ENV: 'production', MASTER_KEY: '0123456789abcdef'.repeat(4), EMBEDDED_STORE: 'allow' };
    expect(await place.marquee(['docs'], { env: production })).toMatchObject({ exitCode: 1, stdout: '' });
  });

  it('two commands at once on a closed store wait for each other', async () => {
    const all = await Promise.all(['ann', 'ben'].map((name) => place.json(['user', 'create', name, '--no-password'])));
    expect(all.map(({ username }) => username)).toEqual(['ann', 'ben']);
  });

  it('reaches a service whose data directory has a long name', async () => {
    const long = { DATA_DIR: join(place.dataDir, 'd'.repeat(100)) };
    const far = await Place.make({ LOG_LEVEL: 'warn', DEMO: 'false', ...long });
    try {
      await far.serve();
      expect(await far.marquee(['user', 'create', 'ann', '--no-password'])).toMatchObject({ exitCode: 0 });
    } finally {
      await far.leave();
    }
  });

  it('prints the configuration without secrets', async () => {
    const env = { DATABASE_URL: 'postgres://u:hush@db/x', MASTER_KEY: Buffer.alloc(32, 'x').toString('base64') };
    const { exitCode, stdout } = await place.marquee(['config', 'print'], { env });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^DATABASE_URL +postgres:\/\/u:\*\*\*@db\/x$/m);
    expect(stdout).not.toContain('hush');
    expect(stdout).not.toContain(env.MASTER_KEY);
    const broken = await place.marquee(['config', 'print'], { env: { PORT: 'x', LOG_LEVEL: 'loud' } });
    expect(broken).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/PORT: must be[^]*LOG_LEVEL: must be/) });
  });

  it('explains itself', async () => {
    const help = await place.marquee(['--help']);
    expect(help.exitCode).toBe(0);
    for (const command of [
      'serve',
      'migrate',
      'demo',
      'app',
      'user',
      'account',
      'funding',
      'directory',
      'token',
      'config',
      'docs',
      'request',
      'login',
      'completion',
    ])
      expect(help.stdout).toMatch(new RegExp(`^ {2}${command} +\\w`, 'm'));
    expect((await place.marquee(['help', 'request'])).stdout).toContain('MARQUEE_CONSUMER_KEY');
    expect((await place.marquee(['account', 'grant', '--help'])).stdout).toContain('PARTNER_AUDIENCE_MANAGER');
    expect((await place.marquee(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await place.marquee([])).toMatchObject({ exitCode: 2, stdout: '' });
  });
});
