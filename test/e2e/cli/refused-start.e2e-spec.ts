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
} from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { type Ended, Place } from './marquee.js';

jest.setTimeout(180_000);

describe('a start that cannot succeed', () => {
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

  const int32 = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    return bytes;
  };
});
