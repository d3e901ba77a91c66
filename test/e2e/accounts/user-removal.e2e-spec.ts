import { setTimeout as pause } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { SizeAudiencesJob } from '../../../src/audiences/audience-sizes/size-audiences.job.js';
import { DirectoryService } from '../../../src/audiences/directory/directory.service.js';
import { CredentialsService } from '../../../src/auth/credentials/credentials.service.js';
import { UserRemoval } from '../../../src/auth/user-removal/user-removal.service.js';
import { StorageQuotas } from '../../../src/common/storage/storage-quotas.js';
import { ExpiredMediaJob } from '../../../src/creatives/media-upload/expired-media.job.js';
import { useApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import { life, type Life } from '../../support/given/life.js';

useApp();

const removal = () => world().get(UserRemoval);
/** Which tables of a dump of the store have each of the traces, in any column: bytes are compared in hexadecimal. */
async function dumpOf(traces: Record<string, string>): Promise<Record<string, string[]>> {
  const tables = await world().sql<{ table: string }>(
    `SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) AS "table" FROM information_schema.tables
      WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  expect(tables.length).toBeGreaterThan(50);
  const found: Record<string, string[]> = {};
  for (const { table } of tables) {
    const has = await world().sql<{ trace: string }>(
      `SELECT n.trace FROM unnest($1::text[], $2::text[]) AS n (trace, text)
        WHERE EXISTS (SELECT FROM ${table} r WHERE strpos(lower(r::text), n.text) > 0)`,
      Object.keys(traces),
      Object.values(traces).map((text) => text.toLowerCase()),
    );
    for (const { trace } of has) (found[trace] ??= []).push(table);
  }
  return found;
}
const rowsOf = async (table: string, column: string, value: string) =>
  Number((await world().sql<{ n: string }>(`SELECT count(*) AS n FROM ${table} WHERE "${column}" = $1`, value))[0].n);
const usersOfDirectory = async () =>
  (
    await world().sql<{ value: number }>(`SELECT value FROM counters WHERE "ownerId" = 'directory' AND kind = 'users'`)
  )[0].value;

/** Deletes a user as the command does, and the people whom the jobs that follow see to. */
async function deleted({ user }: Life, work = () => removal().finish(user.id)): Promise<void> {
  expect(await removal().delete(user.id)).toEqual({ sessions: 1, accessTokens: 1 });
  await world().caughtUp();
  await work();
  await world().get(ExpiredMediaJob).removeExpired();
}

describe('a deleted user', () => {
  it('is in no dump of the store', async () => {
    const lived = await life();
    const { user, traces } = lived;
    const { number } = (await world().get(DirectoryService).of(user.id))!.known;
    const matched = () =>
      world().sql('SELECT "audienceId" FROM audience_identifiers WHERE users @> ARRAY[$1::int]', number);
    expect(await matched()).toHaveLength(3);
    expect(Object.keys(await dumpOf(traces)).toSorted()).toEqual(Object.keys(traces).toSorted());
    await deleted(lived);
    expect(await dumpOf(traces)).toEqual({});
    expect(await matched()).toEqual([]);
    const [row] = await world().sql(`SELECT * FROM users WHERE id = $1`, user.id);
    expect(row).toMatchObject({ username: `deleted_${user.id}`, name: '', passwordHash: null });
    for (const table of ['access_tokens', 'request_tokens', 'sessions', 'account_memberships', 'preview_notifications'])
      expect([table, await rowsOf(table, 'userId', user.id)]).toEqual([table, 0]);
    for (const table of ['directory_users', 'directory_sample'])
      expect([table, await rowsOf(table, 'userId', user.id)]).toEqual([table, 0]);
    // done: another time has nothing to do
    await removal().finish(user.id);
  });

  it('cannot be acted as or found from the first moment', async () => {
    const { user, api, account, traces, other } = await life();
    expect((await api.get('/12/accounts')).status).toBe(200);
    await removal().delete(user.id);
    await world().caughtUp();
    expect((await api.get('/12/accounts')).status).toBe(401);
    expect(await world().get(CredentialsService).userNamed(traces.handle)).toBeUndefined();
    expect(await rowsOf('sessions', 'userId', user.id)).toBe(0);
    const jobs = await world().sql(
      `SELECT data FROM pgboss.job WHERE name = 'user-deleted' AND data->>'userId' = $1`,
      user.id,
    );
    expect(jobs).toEqual([{ data: { userId: user.id } }]);
    expect(await removal().delete(user.id)).toBeUndefined();
    // others go on
    expect((await other.api.get(`/12/accounts/${account.id}`)).status).toBe(200);
  });

  it('leaves what belongs to others as it was, without the names', async () => {
    const lived = await life();
    const { user, other, mentioning, mention, traces, account, criterion, audience, application } = lived;
    const before = await usersOfDirectory();
    await deleted(lived);
    const now = `deleted_${user.id}`;
    const [post] = await world().sql<{ text: string; entities: Record<string, { indices: [number, number] }[]> }>(
      `SELECT text, entities FROM posts WHERE id = $1`,
      mentioning.id,
    );
    expect(post.text).toBe(mention.replace(traces.handle.toUpperCase(), now));
    expect(post.entities.user_mentions).toMatchObject([
      { screen_name: now, name: '', id_str: user.id },
      { screen_name: other.user.username, id_str: other.user.id },
    ]);
    const marked = (kind: string) =>
      post.entities[kind].map(({ indices }) => [...post.text].slice(...indices).join(''));
    expect(marked('user_mentions')).toEqual([`@${now}`, `@${other.user.username}`]);
    expect(marked('hashtags')).toEqual(['#hello']);
    expect(marked('urls')).toEqual(['https://example.com/a']);
    expect((await other.api.get(`/12/accounts/${account.id}`)).body.data.name).toBe(`${now}'s shop`);
    expect((await world().get(CredentialsService).application(application.id))?.name).toBe(`Tool of ${now}`);
    const criteria = `/12/accounts/${other.account.id}/targeting_criteria/${criterion.id}`;
    expect((await other.api.get(criteria)).body.data.name).toBe(`@${now}`);
    // of the audience only the person who is somebody else
    expect(await rowsOf('audience_identifiers', 'audienceId', audience.id)).toBe(1);
    const usage = await world().get(StorageQuotas).usageOf(other.account.id, ['AUDIENCE_ROWS']);
    expect(usage.AUDIENCE_ROWS.used).toBe(1);
    await world().get(SizeAudiencesJob).sizeDue();
    const [sizing] = await world().sql<{ countedUntil: null; generation: number }>(
      `SELECT generation FROM audience_sizings WHERE "audienceId" = $1`,
      audience.id,
    );
    expect(sizing.generation).toBeGreaterThan(1);
    expect(await usersOfDirectory()).toBe(before - 1);
    const fan = (await world().get(CredentialsService).userNamed(lived.fan))!;
    expect((await world().get(DirectoryService).of(fan.id))!.known.follows).not.toContain(Number(user.id));
    expect(await rowsOf('media', 'id', lived.unused.mediaId)).toBe(0);
    expect(await rowsOf('media', 'id', lived.image.mediaId)).toBe(1);
  });

  it('is replaced in the sample of the directory', async () => {
    const lived = await life();
    const fan = (await world().get(CredentialsService).userNamed(lived.fan))!;
    await world().sql(`DELETE FROM directory_sample WHERE "userId" = $1`, fan.id);
    await deleted(lived);
    expect(await rowsOf('directory_sample', 'userId', fan.id)).toBe(1);
    const [sample] = await world().sql<{ n: number }>('SELECT count(*)::int AS n FROM directory_sample');
    expect(sample.n).toBe(await usersOfDirectory());
  });

  it('has another name where somebody is called as they would be', async () => {
    const lived = await life();
    await world().get(CredentialsService).createUser(`deleted_${lived.user.id}`);
    await deleted(lived);
    const [row] = await world().sql<{ username: string }>('SELECT username FROM users WHERE id = $1', lived.user.id);
    expect(row.username).toMatch(/^deleted_[0-9a-z]{13}$/);
  });

  it('may be called as before by somebody new, who is another', async () => {
    const lived = await life();
    await deleted(lived);
    const { id } = await world().get(CredentialsService).createUser(lived.traces.handle);
    expect(id).not.toBe(lived.user.id);
    await world()
      .get(DirectoryService)
      .store([world().get(DirectoryService).read({ username: lived.traces.handle })]);
  });
});

describe('the job that removes a user', () => {
  it('is done by a worker when requests that began before have ended', async () => {
    const { user, traces } = await life();
    await removal().delete(user.id);
    const ofUser = `name = 'user-deleted' AND data->>'userId' = '${user.id}'`;
    const [{ delay }] = await world().sql<{ delay: number }>(
      `SELECT extract(epoch FROM start_after - created_on)::float8 AS delay FROM pgboss.job WHERE ${ofUser}`,
    );
    expect(delay).toBeGreaterThan(10);
    await world().sql(`UPDATE pgboss.job SET start_after = now() WHERE ${ofUser}`);
    const isNamed = async () => (await rowsOf('users', 'username', `deleted_${user.id}`)) === 0;
    for (let tries = 0; tries < 300 && (await isNamed()); tries++) await pause(100);
    expect(await dumpOf(traces)).toEqual({});
  }, 60_000);

  /** A signal that stops the work when it was looked at so often. */
  function stoppedAfter(looks: number): AbortSignal {
    const { signal } = new AbortController();
    let left = looks;
    return Object.assign(signal, {
      throwIfAborted: () => {
        if (left-- <= 0) throw new Error('stopped');
      },
    });
  }

  it('goes on wherever it was stopped', async () => {
    const lived = await life();
    let looks = 0;
    await deleted(lived, async () => {
      for (let isDone = false; !isDone; looks++) {
        isDone = await removal()
          .finish(lived.user.id, stoppedAfter(looks))
          .then(
            () => true,
            (error: Error) => {
              expect(error.message).toBe('stopped');
              return false;
            },
          );
      }
    });
    expect(looks).toBeGreaterThan(10);
    expect(await dumpOf(lived.traces)).toEqual({});
  });

  it('may be done by two replicas at once', async () => {
    const lived = await life();
    const before = await usersOfDirectory();
    await deleted(lived, async () => {
      await Promise.all([removal().finish(lived.user.id), removal().finish(lived.user.id)]);
    });
    expect(await dumpOf(lived.traces)).toEqual({});
    expect(await usersOfDirectory()).toBe(before - 1);
  });

  it('leaves alone who is not deleted', async () => {
    const { user, traces } = await life();
    await removal().finish(user.id);
    expect((await world().get(CredentialsService).userNamed(traces.handle))?.name).toBe(traces.name);
  });
});

describe('who cannot be deleted', () => {
  it('is the only administrator of an account, which is named', async () => {
    const { user, account } = await given.advertiser();
    const deleting = removal().delete(user.id);
    await expect(deleting).rejects.toThrow(`the user is the only administrator of ${account.name} (${account.id});`);
    expect((await world().get(CredentialsService).users([user.id])).length).toBe(1);
    const second = await given.member(account, 'ACCOUNT_ADMIN');
    const both = await Promise.allSettled([removal().delete(user.id), removal().delete(second.user.id)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('is nobody whom there is not', async () => {
    expect(await removal().delete('1')).toBeUndefined();
  });

  it('is not kept by accounts that are deleted themselves', async () => {
    const { user, account } = await given.advertiser();
    await given.deletedAccount('production', account.id, user.id);
    expect(await removal().delete(user.id)).toMatchObject({ accessTokens: 1 });
    await removal().finish(user.id);
    expect(await world().get(DataSource).manager.query('SELECT name FROM users WHERE id = $1', [user.id])).toEqual([
      { name: '' },
    ]);
  });
});
