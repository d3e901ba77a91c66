import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type pg from 'pg';
import { type Cluster, startCluster } from './support/cluster.js';
import { connected, creates } from './support/creates.js';
import {
  createRoles,
  databaseUrlAs,
  grantPrivileges,
  runMigrations,
  wrongPrivileges,
} from './support/documented-roles.js';
import { Load } from './support/load/load.js';
import { byStatus } from './support/load/log.js';
import { freePort } from './support/ports.js';
import { type Postgres, program } from './support/postgres.js';
import { Replica } from './support/replica.js';
import { settings } from './support/settings.js';
import { withStage } from './support/stage.js';
import { atLeast, atMost, type Figure, noted, worded } from './support/table.js';

const PER_SECOND = 200;
const run = promisify(execFile);

/** Of one table: how many rows, and the sum of their checksums, whatever their order. */
interface TableState {
  name: string;
  rows: number;
  checksum: string;
}

/** What a database holds, as one snapshot sees it; sequences are as they were at that moment or later. */
interface DatabaseState {
  tables: TableState[];
  sequences: Map<string, bigint>;
}

/**
 * A dump of a busy database, restored into an empty one, is the database as it was when the dump began; the service serves
 * it to whoever had credentials. The service and the dump connect as the role `marquee` of docs/operations.md.
 */
export function prove(): Promise<Figure[]> {
  return withStage(async (stage) => {
    const cluster = await startCluster(stage, { campaigns: settings.quick ? 2_000 : 50_000, connectAs: serviceRole });
    const { world, port, host, postgres } = cluster;
    const migratedUrl = databaseUrlAs(postgres, 'marquee_owner', 'migrated');
    await grantPrivileges(migratedUrl);
    runMigrations(migratedUrl);
    const wrong = await wrongPrivileges(databaseUrlAs(postgres, 'marquee', 'migrated'));
    const requests = creates(world, 'Restored');
    const load = Load.start(stage, { port, host, pen: world.pen, requests, perSecond: PER_SECOND, captures: 0 });
    await pause(settings.quick ? 2_000 : 10_000);

    const file = join(stage.folder, 'marquee.dump');
    const dumpedAt = Date.now();
    const { before, seconds: dumpSeconds } = await dumped(databaseUrlAs(postgres, 'marquee', 'marquee'), file);
    await pause(2_000);
    const { entries } = await load.end();

    const restoredUrl = await restored(cluster, file);
    const after = await connected(restoredUrl.url, stateOf);
    const names = await connected(restoredUrl.url, namesOf);
    const acknowledged = entries.filter(({ status, sentAt, ms }) => status === 201 && sentAt + ms < dumpedAt);

    const replica = new Replica(stage, await freePort(), {
      ...cluster.environment,
      DATABASE_URL: databaseUrlAs(postgres, 'marquee', 'restored'),
    });
    await replica.start();
    const account = `/12/accounts/${world.account.id}`;
    const read = await cluster.ask('GET', `${account}/campaigns?count=20`, undefined, replica.port);
    const written = await cluster.ask('POST', creates(world, 'After')[0].target, undefined, replica.port);
    return [
      noted('answers while it was dumped', byStatus(entries)),
      noted('tables, rows', `${before.tables.length}, ${worded(sum(before.tables.map(({ rows }) => rows)))}`),
      noted('dump; restore', `${worded(dumpSeconds, 's')}; ${worded(restoredUrl.seconds, 's')}`),
      {
        ...atMost('tables and sequences with wrong privileges after `marquee migrate`', wrong.length, 0),
        ...(wrong.length > 0 && { measured: wrong.join(', ') }),
      },
      ...compared(before, after),
      atLeast('creates acknowledged before', acknowledged.length, 1),
      atMost('of them missing', acknowledged.filter(({ n, id }) => names.get(`Restored ${n}`) !== id).length, 0),
      atMost('the service is ready on it', replica.readyMs / 1_000, 10, 's'),
      answered('a read with the old credentials', read.status, 200),
      answered('a create with the old credentials', written.status, 201),
    ];
  });
}

/** Has the service of a database that a superuser migrated connect as the documented role. */
async function serviceRole(postgres: Postgres, databaseUrl: string): Promise<string> {
  await createRoles(postgres, 'migrated');
  await grantPrivileges(databaseUrl);
  return databaseUrlAs(postgres, 'marquee', 'marquee');
}

const answered = (name: string, status: number, promised: number): Figure => ({
  name,
  measured: `${status}`,
  promise: `${promised}`,
  ok: status === promised,
});

/** Dumps what one snapshot sees, and tells what that is. */
function dumped(databaseUrl: string, file: string): Promise<{ before: DatabaseState; seconds: number }> {
  return connected(databaseUrl, async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const { rows } = await client.query<{ id: string }>('SELECT pg_export_snapshot() AS id');
    const sequences = await sequencesOf(client);
    const began = performance.now();
    const target = ['--format=custom', `--snapshot=${rows[0].id}`, `--file=${file}`, databaseUrl];
    await run(program('pg_dump'), target);
    const seconds = (performance.now() - began) / 1_000;
    const before = { ...(await stateOf(client)), sequences };
    await client.query('COMMIT');
    return { before, seconds };
  });
}

/** Restores into a new database beside the one that was dumped, as the role that owns it. */
async function restored({ postgres }: Cluster, file: string): Promise<{ url: string; seconds: number }> {
  await connected(postgres.url, (client) =>
    client.query('CREATE DATABASE restored OWNER marquee_owner TEMPLATE template0'),
  );
  const url = databaseUrlAs(postgres, 'marquee_owner', 'restored');
  const began = performance.now();
  const how = ['--exit-on-error', '--no-owner', '--no-privileges', '--jobs=2'];
  await run(program('pg_restore'), [...how, `--dbname=${url}`, file]);
  await grantPrivileges(url);
  return { url, seconds: (performance.now() - began) / 1_000 };
}

async function stateOf(client: pg.Client): Promise<DatabaseState> {
  const { rows: names } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'r' AND n.nspname !~ '^(pg_|information_schema)' ORDER BY 1`,
  );
  const tables: TableState[] = [];
  for (const { name } of names) {
    const { rows } = await client.query<{ rows: number; checksum: string }>(
      `SELECT count(*)::int AS rows, coalesce(sum(hashtextextended(t::text, 0)), 0)::text AS checksum FROM ${name} t`,
    );
    tables.push({ name, ...rows[0] });
  }
  return { tables, sequences: await sequencesOf(client) };
}

async function sequencesOf(client: pg.Client): Promise<Map<string, bigint>> {
  const { rows } = await client.query<{ name: string; value: string }>(
    `SELECT format('%I.%I', schemaname, sequencename) AS name, coalesce(last_value, 0)::text AS value FROM pg_sequences`,
  );
  return new Map(rows.map(({ name, value }) => [name, BigInt(value)]));
}

async function namesOf(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; id: string }>(
    `SELECT name, id FROM campaigns WHERE name LIKE 'Restored %'`,
  );
  return new Map(rows.map(({ name, id }) => [name, id]));
}

/** What differs between the database that was dumped and the restored one. */
function compared(before: DatabaseState, after: DatabaseState): Figure[] {
  const known = new Map(after.tables.map((table) => [table.name, table]));
  const differ = before.tables.filter(({ name, rows, checksum }) => {
    const other = known.get(name);
    return other?.rows !== rows || other.checksum !== checksum;
  });
  const back = [...before.sequences].filter(([name, value]) => (after.sequences.get(name) ?? -1n) < value);
  return [
    {
      ...atMost('tables with other rows', differ.length, 0),
      ...(differ.length > 0 && { measured: differ.map(({ name }) => name).join(', ') }),
    },
    atMost('tables that are missing or new', Math.abs(after.tables.length - before.tables.length), 0),
    atMost('sequences that went back', back.length, 0),
  ];
}

const sum = (numbers: number[]): number => numbers.reduce((total, each) => total + each, 0);
