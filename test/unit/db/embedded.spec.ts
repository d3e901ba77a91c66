import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { transformFileSync } from '@swc/core';
import { openInMemoryDatabase, openDatabase, type Database } from '../../../src/common/db/database.js';
import { openEmbedded, startMaintenance } from '../../../src/common/db/embedded/embedded.js';
import { StoreInUse, takeLock } from '../../../src/common/db/embedded/lock.js';
import { migrate } from '../../../src/common/db/migrate.js';
import { run } from '../../../src/common/db/query/statement.js';
import { insert, write } from '../../../src/common/db/query/write.js';
import { MODEL, Thing, thing } from './model.js';

const root = mkdtempSync(join(tmpdir(), 'marquee-store-'));
const sources = resolve('.cache/unit-db');
const compiled = join(sources, 'common/db');
/** What starts a store from nothing, or other processes, may take so long on a busy machine. */
const SLOW_MS = 60_000;
let count = 0;
const fresh = () => join(root, `d${++count}`);
/** An empty store, made once: making one takes seconds. */
let template: Buffer;
const open = (dataDir: string): Promise<Database> =>
  openDatabase(
    {
      mode: 'development',
      dataDir,
      databaseDriver: 'fast',
      databasePool: 10,
      databasePipelinedConnections: 4,
    },
    MODEL,
    template,
  );

const children: ChildProcess[] = [];
afterEach(() => Promise.all(children.splice(0).map(kill)));

/** Other processes run JavaScript: what they need of ours, without its types. */
beforeAll(async () => {
  const empty = await openEmbedded();
  template = await empty.dump();
  await empty.close();
  writeFileSync(join(root, 'template'), template);
  mkdirSync(compiled, { recursive: true });
  const needed = ['embedded', 'lock', 'store-failure', 'unpack'].map((name) => `common/db/embedded/${name}`);
  for (const path of [
    ...needed,
    'common/db/postgres/stored-times',
    'common/db/postgres/type-parsers',
    'common/start-failure',
  ]) {
    const { code } = transformFileSync(`src/${path}.ts`, {
      swcrc: false,
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      module: { type: 'es6' },
    });
    mkdirSync(dirname(join(sources, path)), { recursive: true });
    writeFileSync(join(sources, `${path}.js`), code);
  }
}, SLOW_MS);
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
  rmSync(sources, { recursive: true, force: true });
});

function inProcess(code: string): ChildProcess {
  const env = { ...process.env, NODE_OPTIONS: '', TZ: 'Asia/Tokyo' };
  const script = join(compiled, `script${++count}.mjs`);
  const begin = `import { readFileSync } from 'node:fs'; const template = readFileSync(${JSON.stringify(join(root, 'template'))});`;
  writeFileSync(script, begin + code);
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return child;
}

const firstWords = async (child: ChildProcess) => String((await once(child.stdout!, 'data'))[0]).trim();

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

describe('the embedded store', () => {
  it('keeps what it holds from one start to the next, and is opened by one process', async () => {
    const dataDir = fresh();
    const first = await open(dataDir);
    await migrate(first);
    const own = thing();
    await write(first.dataSource.manager, [insert(Thing, [own])]);
    await expect(open(dataDir)).rejects.toThrow(StoreInUse);
    await expect(open(dataDir)).rejects.toMatchObject({
      pid: process.pid,
      message: expect.stringContaining('DATA_DIR'),
    });
    await first.close();
    await first.close();

    const second = await open(dataDir);
    expect(await migrate(second)).toEqual([]);
    expect(await second.dataSource.manager.countBy(Thing, { id: own.id })).toBe(1);
    await second.close();
    expect(readdirSync(dataDir)).toEqual(['store']);
  });

  it('is closed to everybody else on the machine, also where it was not', async () => {
    const dataDir = fresh();
    const store = join(dataDir, 'store');
    const openToOthers = () =>
      [store, ...readdirSync(store, { recursive: true, encoding: 'utf8' }).map((path) => join(store, path))].filter(
        (path) => (statSync(path).mode & 0o077) !== 0,
      );
    const first = await open(dataDir);
    expect(openToOthers()).toEqual([]);
    await migrate(first);
    expect(openToOthers().filter((path) => statSync(path).isDirectory())).toEqual([]);
    await first.close();

    chmodSync(store, 0o755);
    chmodSync(join(store, 'base'), 0o755);
    const second = await open(dataDir);
    expect(openToOthers()).toEqual([]);
    await second.close();
  });

  it('gives its lock back when it cannot be opened', async () => {
    const dataDir = fresh();
    mkdirSync(join(dataDir, 'store'), { recursive: true });
    writeFileSync(join(dataDir, 'store', 'PG_VERSION'), 'nonsense');
    await expect(open(dataDir)).rejects.toThrow();
    expect(existsSync(join(dataDir, 'store.lock'))).toBe(false);
  });

  it('begins again after a first start that was cut short', async () => {
    const dataDir = fresh();
    mkdirSync(join(dataDir, 'store'), { recursive: true });
    writeFileSync(join(dataDir, 'store', 'PG_VERSION'), '18');
    writeFileSync(join(dataDir, 'store.unfinished'), '');
    const opened = await open(dataDir);
    expect(await migrate(opened)).toHaveLength(2);
    await opened.close();
  });

  it('is not made from half a dump, and begins again after it', async () => {
    const dataDir = fresh();
    const half = gzipSync(gunzipSync(template).subarray(0, 1_000_000));
    await expect(openEmbedded({ dataDir, template: half })).rejects.toThrow(/not a dump of a store/);
    const opened = await open(dataDir);
    expect(await migrate(opened)).toHaveLength(2);
    await opened.close();
  });

  it(
    'loses nothing it acknowledged when its process is killed, and empties unlogged tables',
    async () => {
      const dataDir = fresh();
      const child = inProcess(`
      import pg from 'pg';
      import { openEmbedded } from './embedded/embedded.js';
      const { extra } = await openEmbedded({ dataDir: ${JSON.stringify(dataDir)}, template });
      const client = await new pg.Pool(extra).connect();
      await client.query('CREATE TABLE kept (n int); CREATE UNLOGGED TABLE brief (n int)');
      for (let n = 1; ; n++) {
        await client.query('INSERT INTO kept VALUES ($1)', [n]);
        await client.query('INSERT INTO brief VALUES ($1)', [n]);
        process.stdout.write(n + '\\n');
      }`);
      let acknowledged = '';
      child.stdout!.on('data', (data) => (acknowledged += String(data)));
      while (acknowledged.split('\n').length < 200) await once(child.stdout!, 'data');
      await expect(open(dataDir)).rejects.toMatchObject({ pid: child.pid });
      await kill(child);

      const opened = await open(dataDir);
      const [{ max, n }] = await opened.dataSource.query<{ max: number; n: number }[]>(
        'SELECT max(n) AS max, count(*) AS n FROM kept',
      );
      expect(max).toBeGreaterThanOrEqual(Number(acknowledged.trim().split('\n').at(-1)));
      expect(n).toBe(max);
      expect(await opened.dataSource.query('SELECT count(*) AS n FROM brief')).toEqual([{ n: 0 }]);
      await opened.dataSource.query('INSERT INTO brief VALUES (1)');
      await opened.close();
    },
    SLOW_MS,
  );

  it('counts in UTC wherever it runs', async () => {
    const child = inProcess(`
      import pg from 'pg';
      import { openEmbedded } from './embedded/embedded.js';
      const store = await openEmbedded({ template });
      const pool = new pg.Pool(store.extra);
      const { rows } = await pool.query("SELECT current_setting('TimeZone') AS zone, '2026-01-01T00:00:00Z'::timestamptz AS at");
      console.log(JSON.stringify(rows));
      process.exit();`);
    expect(JSON.parse(await firstWords(child))).toEqual([{ zone: 'UTC', at: '2026-01-01 00:00:00+00' }]);
  });

  it('is maintained, so that its write-ahead log does not grow for ever', async () => {
    const dataDir = fresh();
    const opened = await open(dataDir);
    await opened.dataSource.query('CREATE TABLE big (n int, t text)');
    const checkpoint = async () =>
      (await opened.dataSource.query<{ at: string }[]>('SELECT redo_lsn::text AS at FROM pg_control_checkpoint()'))[0]
        .at;
    const stopMaintenance = startMaintenance(opened.dataSource, { intervalMs: 20, minWalBytes: 100_000 });
    const before = await checkpoint();
    await new Promise((done) => setTimeout(done, 100));
    expect(await checkpoint()).toBe(before);
    await opened.dataSource.query(`INSERT INTO big SELECT n, repeat('x', 500) FROM generate_series(1, 1000) n`);
    await new Promise((done) => setTimeout(done, 500));
    expect(await checkpoint()).not.toBe(before);
    const tuples = await opened.dataSource.query(`SELECT reltuples::int AS n FROM pg_class WHERE relname = 'big'`);
    expect(tuples).toEqual([{ n: 1000 }]);
    stopMaintenance();
    await opened.close();
  });

  it(
    'begins as its template was',
    async () => {
      const first = await openInMemoryDatabase(MODEL, template);
      await migrate(first);
      const migrated = await first.dump?.();
      await first.close();
      const [one, other] = [await openInMemoryDatabase(MODEL, migrated), await openInMemoryDatabase(MODEL, migrated)];
      await write(one.dataSource.manager, [insert(Thing, [thing()])]);
      expect(await one.dataSource.manager.count(Thing)).toBe(1);
      expect(await other.dataSource.manager.count(Thing)).toBe(0);
      expect(await run(other.dataSource.manager, { text: 'SHOW TimeZone', values: [] })).toEqual([{ TimeZone: 'UTC' }]);
      await one.close();
      await other.close();
    },
    SLOW_MS,
  );
});

describe('its lock', () => {
  const boot = existsSync('/proc/sys/kernel/random/boot_id')
    ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    : undefined;
  const path = () => join(root, `lock${++count}`);
  /** What this process would write, changed as told. */
  async function left(at: string, changed: object): Promise<void> {
    const release = await takeLock(at, root);
    const own = JSON.parse(readFileSync(at, 'utf8')) as object;
    release();
    writeFileSync(at, JSON.stringify({ ...own, ...changed }));
  }

  it('is held until it is given back', async () => {
    const at = path();
    const release = await takeLock(at, root);
    await expect(takeLock(at, root)).rejects.toMatchObject({ pid: process.pid });
    release();
    release();
    (await takeLock(at, root))();
    expect(readdirSync(root).filter((name) => name.startsWith(at))).toEqual([]);
  });

  it('of a process that is gone is taken over', async () => {
    const at = path();
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    await left(at, { pid, startedAt: '1' });
    (await takeLock(at, root))();
    await left(at, { pid, startedAt: undefined });
    (await takeLock(at, root))();
  });

  it('of a process whose number another one has now is taken over', async () => {
    const at = path();
    await left(at, { pid: process.ppid, startedAt: '1' });
    (await takeLock(at, root))();
  });

  it('that is no lock is taken over', async () => {
    const at = path();
    writeFileSync(at, 'half a lo');
    (await takeLock(at, root))();
  });

  it.each([{ bootId: 'before' }, { pidNamespace: 'container' }])(
    'of %j is taken over once it is silent',
    async (elsewhere) => {
      const at = path();
      await left(at, elsewhere);
      utimesSync(at, 1, 1);
      (await takeLock(at, root, 300))();
      await left(at, elsewhere);
      (await takeLock(at, root, 300))();
    },
  );

  it('of another container that runs is respected', async () => {
    const at = path();
    await left(at, { pidNamespace: 'container', pid: 7 });
    const text = readFileSync(at, 'utf8');
    const beating = setInterval(() => writeFileSync(at, text), 50);
    await expect(takeLock(at, root, 300)).rejects.toMatchObject({ pid: 7 });
    clearInterval(beating);
    expect(boot === undefined || text.includes(boot)).toBe(true);
  });

  it('goes to one of many that find it stale', async () => {
    const at = path();
    await left(at, { pid: process.ppid, startedAt: '1' });
    const script = `
      import { takeLock } from './embedded/lock.js';
      await takeLock(${JSON.stringify(at)}, 'd').then(() => console.log('mine'), (error) => console.log(error.pid));
      setTimeout(() => undefined, 60_000);`;
    const words = await Promise.all([1, 2, 3, 4, 5].map(() => firstWords(inProcess(script))));
    expect(words.filter((word) => word === 'mine')).toHaveLength(1);
    const winner = (JSON.parse(readFileSync(at, 'utf8')) as { pid: number }).pid;
    expect(words.filter((word) => word !== 'mine')).toEqual(Array(4).fill(`${winner}`));
  });
});
