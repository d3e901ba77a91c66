import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { adminPath, isPrivate, ensurePrivate } from '../../../src/cli/admin-path.js';
import { runCommandRequest, openAdminSocket } from '../../../src/cli/admin-socket.js';
import { readToEnd } from '../../../src/cli/admin-protocol.js';

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
    expect(() => ensurePrivate(own)).toThrow('only this user may enter');
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

  it.each(['', '{', 'null', '[]', '{"argv":"migrate"}', '{"argv":[1]}', '{"argv":[],"stdin":1}'])(
    'takes %s for no command',
    async (text) => expect(await runCommandRequest(app, text)).toMatchObject({ exitCode: 2 }),
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
