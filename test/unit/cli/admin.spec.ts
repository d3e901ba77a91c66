import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { adminPath, isPrivate, ensurePrivate, readToEnd } from '../../../src/cli/admin-protocol.js';
import { runCommandRequest, openAdminSocket } from '../../../src/cli/admin-socket.js';
import { runInService } from '../../../src/cli/process-context.js';

const root = mkdtempSync(join(tmpdir(), 'mq-'));
afterAll(() => rmSync(root, { recursive: true }));

/** No command in these tests comes as far as the application. */
const app = { get: () => undefined } as unknown as INestApplicationContext;

async function ask(path: string, text: string): Promise<string> {
  const socket = createConnection({ path, allowHalfOpen: true });
  socket.once('connect', () => socket.end(text));
  return readToEnd(socket);
}

describe('the place of the socket', () => {
  it('is the data directory', () => {
    expect(adminPath('/var/lib/marquee')).toEqual({ path: '/var/lib/marquee/admin.sock' });
  });

  it('is a short path of its own where that is too long', () => {
    const long = join(root, 'x'.repeat(100));
    const other = join(root, 'y'.repeat(100));
    for (const each of [long, other]) mkdirSync(each);
    const { path, folder } = adminPath(long, '/tmp');
    expect(path).toMatch(/^\/tmp\/marquee-\d+\/[0-9a-f]{24}\.sock$/);
    expect(folder).toBe(path.slice(0, path.lastIndexOf('/')));
    expect(adminPath(long, '/tmp').path).toBe(path);
    expect(adminPath(other, '/tmp').path).not.toBe(path);
  });

  it('is refused where others may enter', () => {
    const own = join(root, 'own');
    ensurePrivate(own);
    ensurePrivate(own);
    expect(statSync(own).mode & 0o777).toBe(0o700);
    chmodSync(own, 0o755);
    expect(() => ensurePrivate(own)).toThrow('only this user can access');
    const link = join(root, 'link');
    mkdirSync(join(root, 'target'), { mode: 0o700 });
    symlinkSync(join(root, 'target'), link);
    expect([isPrivate(link), isPrivate(join(root, 'none'))]).toEqual([false, false]);
  });
});

describe('commands from outside', () => {
  const asking = (argv: unknown) => runCommandRequest(app, JSON.stringify({ argv }));

  it.each([['serve'], ['request GET /12/accounts'], ['docs']])('%s is none of them', async (command) => {
    const answer = await asking(command.split(' '));
    expect(answer).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('unknown command') });
  });

  it.each([
    '',
    '{',
    'null',
    '[]',
    '{"argv":"migrate"}',
    '{"argv":[1]}',
    '{"argv":[],"stdin":1}',
    '{"argv":[],"progress":1}',
  ])('takes %s for no command', async (text) =>
    expect(await runCommandRequest(app, text)).toMatchObject({ exitCode: 2 }),
  );

  it('says that a running service has migrated', async () => {
    expect(await asking(['migrate'])).toEqual({ exitCode: 0, stdout: 'The schema is up to date.\n', stderr: '' });
  });
});

describe('the socket', () => {
  it('answers its owner, replaces one that was left, and is gone afterwards', async () => {
    const dataDir = join(root, 'data');
    mkdirSync(dataDir);
    const path = join(dataDir, 'admin.sock');
    writeFileSync(path, 'left by a process that was killed');
    const close = await openAdminSocket({ path }, app);
    expect(statSync(path).isSocket()).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const answer = JSON.parse(await ask(path, JSON.stringify({ argv: ['migrate', '--json'] })));
    expect(answer).toEqual({ exitCode: 0, stdout: '[]\n', stderr: '' });
    await close();
    expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined();
  });

  it('does not wait for those who never ask when it closes, and refuses what is too long', async () => {
    const dataDir = join(root, 'data2');
    mkdirSync(dataDir);
    const path = join(dataDir, 'admin.sock');
    const close = await openAdminSocket({ path }, app);
    await expect(ask(path, 'x'.repeat(1_000_000))).rejects.toThrow();
    const idle = createConnection(path);
    const gone = new Promise((resolve) => idle.once('close', resolve));
    idle.on('error', () => undefined);
    await new Promise((resolve) => idle.once('connect', resolve));
    await close();
    await gone;
  });
});

describe('progress of a command that the service runs', () => {
  const RESULT = { stdout: 'Done.\n', stderr: '', exitCode: 0 };
  let services = 0;
  let server: Server | undefined;
  afterEach(() => server?.close());

  /** A service that answers each command like this; resolves with its socket, and with the commands it receives. */
  async function service(answer: (socket: Socket) => void): Promise<{ path: string; requests: unknown[] }> {
    const path = join(root, `s${services++}`);
    const requests: unknown[] = [];
    server = createServer({ allowHalfOpen: true }, (socket) => {
      void readToEnd(socket).then((text) => {
        requests.push(JSON.parse(text));
        answer(socket);
      });
    });
    await new Promise<void>((listening) => server!.listen(path, listening));
    return { path, requests };
  }
  /** Has it run a command as on a terminal; what is shown, and what comes of it. */
  async function watched(path: string) {
    const shown: (string | undefined)[] = [];
    const result = await runInService({ path }, { argv: [] }, (text) => void shown.push(text)).catch(
      (error: Error) => error,
    );
    return { shown, result };
  }
  const write = (socket: Socket, bytes: Buffer) => new Promise((written) => socket.write(bytes, written));

  it('is shown as it arrives, in whatever pieces, and cleared', async () => {
    const { path, requests } = await service((socket) => {
      const frames = '{"progress":"1 of 2 ü"}\n{"progress":"2 of 2"}\n{"later":1}\nno JSON\nnull\n';
      void (async () => {
        for (const byte of Buffer.from(frames + JSON.stringify(RESULT))) await write(socket, Buffer.from([byte]));
        socket.end();
      })();
    });
    expect(await watched(path)).toEqual({ shown: ['1 of 2 ü', '2 of 2', undefined], result: RESULT });
    expect(requests).toEqual([{ argv: [], progress: true }]);
  });

  it('is not asked for where nobody sees it', async () => {
    const { path, requests } = await service((socket) => socket.end(JSON.stringify(RESULT)));
    expect(await runInService({ path }, { argv: [] })).toEqual(RESULT);
    expect(requests).toEqual([{ argv: [] }]);
  });

  it('is missing where the service is older and sends the result alone', async () => {
    const { path } = await service((socket) => socket.end(JSON.stringify(RESULT)));
    expect(await watched(path)).toEqual({ shown: [], result: RESULT });
  });

  it('is cleared where the service ends before its answer', async () => {
    const { path } = await service((socket) => socket.end('{"progress":"1 of 2"}\n'));
    const { shown, result } = await watched(path);
    expect(shown).toEqual(['1 of 2', undefined]);
    expect(result).toMatchObject({ message: expect.stringContaining('ended before it answered') });
  });

  it('comes from an import, and only to a command that asks for it', async () => {
    const file = join(root, 'users.ndjson');
    writeFileSync(file, '{"username": "ann"}\n{"username": "ben"}\n');
    const path = join(root, 'import.sock');
    const close = await openAdminSocket({ path }, app);
    const argv = ['directory', 'import', file, '--check', '--json'];
    const result = { stdout: '{\n  "lines": 2\n}\n', stderr: '', exitCode: 0 };
    const shown: (string | undefined)[] = [];
    expect(await runInService({ path }, { argv }, (text) => void shown.push(text))).toEqual(result);
    expect([shown[0], shown.at(-1)]).toEqual(['checked 50 % of 0.0 MiB: 1 lines', undefined]);
    expect(await ask(path, JSON.stringify({ argv }))).toBe(JSON.stringify(result));
    await close();
  });
});
