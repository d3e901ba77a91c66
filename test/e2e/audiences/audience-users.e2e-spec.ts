import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { AudienceAccessService } from '../../../src/audiences/audience-permissions/audience-access.service.js';
import { AudienceSizes } from '../../../src/audiences/audience-sizes/audience-sizes.service.js';
import type { DueSizing } from '../../../src/audiences/audience-sizes/audience-sizings.statements.js';
import { AudienceSnapshots } from '../../../src/audiences/audience-sizes/audience-snapshots.service.js';
import { AudienceUsersService } from '../../../src/audiences/audience-users/audience-users.service.js';
import { Upload } from '../../../src/audiences/audience-users/upload.js';
import { identifierKeyOf, personOf } from '../../../src/audiences/audience-users/identifiers.js';
import { RemovePeopleJob } from '../../../src/audiences/removals/remove-people.job.js';
import { SizeAudiencesJob } from '../../../src/audiences/audience-sizes/size-audiences.job.js';
import { CustomAudience } from '../../../src/audiences/entities/custom-audience.entity.js';
import { StorageQuotas } from '../../../src/common/storage/storage-quotas.js';
import { useSharedApp, world } from '../../support/app.js';
import type { Answer, Json } from '../../support/http.js';
import { sendPrepared, type Params } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { fillStorageUsage } from '../../support/storage-usage.js';
import { identifierOf, madeUpRequests, sha256, SimpleAudience, userObject } from '../../support/people.js';
import { DoNotReachListView } from '../../../src/audiences/do-not-reach-lists/do-not-reach-list.presenter.js';
import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { base36Ids, unlike } from '../../support/list-conventions.js';

useSharedApp();

describe('audience users', () => {
  const NOBODY = '0zzzzzzzzzzzz';
  const HOUR = 3_600_000;
  const MONTHS_13 = 13 * 30 * 24 * HOUR;
  /** How many sequences of uploads are compared with a model. */
  const SEQUENCES = Number(process.env.UPLOAD_SEQUENCES ?? 60);

  let advertiser: Advertiser;
  let audience: string;
  beforeEach(async () => {
    advertiser = await given.advertiser();
    audience = (await given.customAudience({ account: advertiser.account })).id;
  });
  afterEach(() => world().clock.set(null));

  const path = (id = audience, of = advertiser) => `/12/accounts/${of.account.id}/custom_audiences/${id}`;
  const upload = (operations: unknown, id = audience): Promise<Answer> =>
    advertiser.api.post(`${path(id)}/users`, { json: operations });
  const accepted = async (operations: Json[], id = audience) => {
    const { status, body } = await upload(operations, id);
    expect({ status, errors: body.errors ?? body.operation_errors }).toEqual({ status: 200 });
    return body.data;
  };
  const shown = async (id = audience): Promise<Json> => (await advertiser.api.get(path(id))).body.data;
  const diagnostics = async (id = audience): Promise<Json> =>
    (await advertiser.api.get(`${path(id)}/diagnostics`)).body.data;
  const count = () => world().get(SizeAudiencesJob).sizeDue();
  /** Moves the clock beyond what uploads wait for each other, and counts. */
  const settle = async () => {
    world().clock.advance(6_000);
    await count();
  };
  const iso = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
  const inHours = (hours: number) => iso(world().clock.now().getTime() + hours * HOUR);
  const email = (n: number) => sha256(`reader ${n}@example.com`);
  const readers = (from: number, until: number) =>
    Array.from({ length: until - from }, (_, n) => ({ email: [email(from + n)] }));
  const update = (users: Json[], times: Json = {}) => ({ operation_type: 'Update', params: { users, ...times } });
  const remove = (users: Json[]) => ({ operation_type: 'Delete', params: { users } });
  interface Stored {
    kind: number;
    hash: string;
    person: string;
    first: boolean;
    tied: boolean;
    effectiveAt: string;
    expiresAt: string;
    lastDay: number;
    updates: number;
    earlier: number[] | null;
  }
  /** What no endpoint shows. */
  const stored = (id = audience) =>
    world().sql<Stored>(
      `SELECT kind, encode(hash, 'hex') AS hash, person::text, first, tied, "effectiveAt", "expiresAt", "lastDay", updates, earlier
      FROM audience_identifiers WHERE "audienceId" = $1`,
      id,
    );
  /** Every table that holds people of an audience or is about them. */
  const PEOPLE_TABLES = ['audience_identifiers', 'audience_snapshots', 'audience_snapshot_slices', 'audience_sizings'];
  const rowsAbout = async (table: string, id = audience): Promise<number> =>
    (await world().sql<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE "audienceId" = $1`, id))[0].n;
  const refusal = ({ status, body }: Answer) => ({
    status,
    errors: body.errors?.map(({ code, parameter }: Json) => [code, parameter]),
    operations: body.operation_errors?.map((own: Json[]) => own.map(({ code, parameter }) => [code, parameter])),
  });

  describe('uploading users', () => {
    it('counts user objects, and answers with the path alone', async () => {
      const { status, body } = await upload([
        update([{ email: [email(1), email(2)] }, { handle: [sha256('two')] }]),
        update([{ email: [email(3)], partner_user_id: ['p-3'] }, { device_id: [sha256('four')] }]),
      ]);
      expect(status).toBe(200);
      expect(body).toEqual({
        request: { params: { account_id: advertiser.account.id, custom_audience_id: audience } },
        data: { success_count: 4, total_count: 4 },
      });
      expect(await diagnostics()).toEqual({
        persons_uploaded: 4,
        persons_valid: 4,
        persons_matched: 4,
        persons_not_yet_effective: 0,
        persons_expired: 0,
        identifiers: { email: 3, device_id: 1, handle: 1, platform_id: 0, phone_number: 0, partner_user_id: 1 },
      });
    });

    it('takes all six kinds, hashes in either case, and hashes ids of the partner itself', async () => {
      const kinds = ['email', 'device_id', 'handle', 'platform_id', 'phone_number'];
      const user = Object.fromEntries(kinds.map((kind) => [kind, [sha256(kind).toUpperCase()]]));
      await accepted([update([{ ...user, partner_user_id: ['till 4711'] }])]);
      const found = await stored();
      expect(found.map(({ hash }) => hash).sort()).toEqual([...kinds, 'till 4711'].map(sha256).sort());
      expect(new Set(found.map(({ kind }) => kind)).size).toBe(6);
      expect(await diagnostics()).toMatchObject({ persons_uploaded: 1 });
    });

    it('numbers a person alike, whichever way they are stored', async () => {
      await accepted([update(readers(0, 20))]);
      // a person of two identifiers takes the other way, and all of the request with it
      await accepted([update([...readers(20, 40), { handle: [sha256('h')], partner_user_id: ['p'] }])]);
      const people = await stored();
      expect(people.length).toBe(42);
      for (const { kind, hash, person, first } of people)
        if (first) expect(person).toBe(`${personOf(identifierKeyOf(kind, hash))}`);
    });

    it('takes effect in the order of the operations', async () => {
      await accepted([update(readers(0, 2)), remove(readers(0, 1)), update(readers(0, 1)), remove(readers(1, 2))]);
      expect(await diagnostics()).toMatchObject({ persons_uploaded: 1, identifiers: { email: 1 } });
      expect((await stored()).map(({ hash }) => hash)).toEqual([email(0)]);
    });

    it('knows a person again by any identifier, joins what else is named, and makes two one', async () => {
      await accepted([update([{ email: [email(1)], handle: [sha256('one')] }, { partner_user_id: ['2'] }])]);
      await accepted([update([{ handle: [sha256('one')], phone_number: [sha256('+49')] }])]);
      expect(await diagnostics()).toMatchObject({ persons_uploaded: 2 });
      await accepted([update([{ phone_number: [sha256('+49')], partner_user_id: ['2'] }])]);
      expect(await diagnostics()).toMatchObject({
        persons_uploaded: 1,
        identifiers: { email: 1, handle: 1, phone_number: 1, partner_user_id: 1 },
      });
      // one identifier, which is of a person with others
      await accepted([update([{ partner_user_id: ['2'] }], { effective_at: inHours(1), expires_at: inHours(2) })]);
      expect(await diagnostics()).toMatchObject({
        persons_uploaded: 1,
        persons_valid: 0,
        persons_not_yet_effective: 1,
      });
      await accepted([remove([{ email: [email(1)] }])]);
      expect(await diagnostics()).toMatchObject({ persons_uploaded: 0, identifiers: { email: 0, partner_user_id: 0 } });
    });

    it('removes whom it does not know without complaint', async () => {
      expect(await accepted([remove(readers(5, 7))])).toEqual({ success_count: 2, total_count: 2 });
    });

    it('has people in from effective_at to expires_at: from now for 13 months unless said', async () => {
      world().clock.set(new Date('2026-12-15T10:00:00.000Z'));
      await accepted([
        update(readers(0, 1)),
        update(readers(1, 2), { effective_at: '2027-01-01', expires_at: '2027-02-01' }),
      ]);
      const times = (await stored()).map(({ effectiveAt, expiresAt }) => [
        iso(+new Date(effectiveAt)),
        iso(+new Date(expiresAt)),
      ]);
      expect(times.sort()).toEqual([
        ['2026-12-15T10:00:00Z', '2028-01-15T10:00:00Z'],
        ['2027-01-01T00:00:00Z', '2027-02-01T00:00:00Z'],
      ]);
    });

    it('counts on which days somebody was uploaded, for 30 days', async () => {
      const start = Date.parse('2026-12-01T12:00:00Z');
      for (const day of [0, 0, 1, 29, 31]) {
        world().clock.set(new Date(start + day * 24 * HOUR));
        await accepted([update(readers(0, 1), { expires_at: iso(start + MONTHS_13) })]);
      }
      const today = Math.floor(start / (24 * HOUR));
      const [{ lastDay, updates, earlier }] = await stored();
      expect([lastDay, updates]).toEqual([today + 31, 1]);
      expect(earlier).toEqual([today, 2, today + 1, 1, today + 29, 1]);
    });

    it('is all or nothing, and every fault is told at its operation', async () => {
      const answer = await upload([
        update(readers(0, 1)),
        update([{ email: ['not a hash', email(1)] }, {}, 'nobody'] as Json[]),
        { operation_type: 'Replace', params: { users: readers(0, 1) } },
        { operation_type: 'Update', params: {} },
        update([]),
        update(readers(0, 1), { effective_at: inHours(2), expires_at: inHours(1) }),
        update(readers(0, 1), { expires_at: '2001-01-01' }),
        update([{ email: email(1) }] as Json[]),
        update([{ partner_user_id: ['', 7, 'x'.repeat(513)] }] as Json[]),
        update([{ unknown: ['x'] }] as Json[]),
      ]);
      expect(refusal(answer)).toEqual({
        status: 400,
        errors: undefined,
        operations: [
          [],
          [
            ['INVALID_PARAMETER', 'users[0].email[0]'],
            ['MISSING_PARAMETER', 'users[1]'],
            ['INVALID_PARAMETER', 'users[2]'],
          ],
          [['INVALID_PARAMETER', 'operation_type']],
          [['MISSING_PARAMETER', 'users']],
          [['MISSING_PARAMETER', 'users']],
          [['INVALID_TIME_WINDOW', 'expires_at']],
          [['INVALID_TIME_WINDOW', 'expires_at']],
          [['INVALID_PARAMETER', 'users[0].email']],
          [
            ['INVALID_PARAMETER', 'users[0].partner_user_id[0]'],
            ['INVALID_PARAMETER', 'users[0].partner_user_id[1]'],
            ['INVALID_PARAMETER', 'users[0].partner_user_id[2]'],
          ],
          [['MISSING_PARAMETER', 'users[0]']],
        ],
      });
      expect(JSON.stringify(answer.body.request)).not.toContain(email(0));
      expect(await diagnostics()).toMatchObject({ persons_uploaded: 0 });
    });

    it('takes null and the empty text as not set', async () => {
      const { status, body } = await upload([
        update([{ email: [email(1)], handle: '', device_id: null }], {
          effective_at: null,
          expires_at: '',
        }),
        { ...remove([{ email: [email(2)] }]), params: { users: [{ email: [email(2)] }], effective_at: '' } },
      ]);
      expect({ status, errors: body.operation_errors }).toEqual({ status: 200 });
      const [{ effectiveAt, expiresAt }] = await stored();
      expect(Date.parse(expiresAt) - Date.parse(effectiveAt)).toBeGreaterThan(MONTHS_13);
    });

    it('names of a wrong window what was sent, and what it was compared with', async () => {
      world().clock.set(new Date('2027-03-01T10:00:00Z'));
      const { body } = await upload([
        update(readers(0, 1), { effective_at: '2027-03-03', expires_at: '2027-03-02' }),
        update(readers(0, 1), { expires_at: '2027-02-01' }),
        update(readers(0, 1), { effective_at: '2028-04-02', expires_at: null }),
      ]);
      const told = body.operation_errors.map(([{ code, parameter, value, message }]: Json[]) => ({
        code,
        parameter,
        value,
        message,
      }));
      const code = 'INVALID_TIME_WINDOW';
      expect(told).toEqual([
        {
          code,
          parameter: 'expires_at',
          value: '2027-03-02T00:00:00Z',
          message: 'expires_at must be later than effective_at, 2027-03-03T00:00:00Z',
        },
        {
          code,
          parameter: 'expires_at',
          value: '2027-02-01T00:00:00Z',
          message: 'expires_at must be later than effective_at, which defaults to now, 2027-03-01T10:00:00Z',
        },
        {
          code,
          parameter: 'effective_at',
          value: '2028-04-02T00:00:00Z',
          message:
            'effective_at must be earlier than expires_at, which defaults to 13 months from now, 2028-04-01T10:00:00Z',
        },
      ]);
    });

    it('takes 2,500 operations and 5,000,000 bytes, no more', async () => {
      const many = Array.from({ length: 2_500 }, (_, n) => update(readers(n, n + 1)));
      expect(await accepted(many)).toEqual({ success_count: 2_500, total_count: 2_500 });
      expect(await accepted(many)).toEqual({ success_count: 2_500, total_count: 2_500 });
      expect(refusal(await upload([...many, update(readers(0, 1))]))).toMatchObject({
        status: 400,
        errors: [['INVALID_PARAMETER', 'body']],
      });
      expect(await diagnostics()).toMatchObject({ persons_uploaded: 2_500 });
      const users = Array.from({ length: 50_000 }, (_, n) => ({ email: [sha256(`${n}`)] }));
      const large = JSON.stringify([update(users)]);
      const padded = (bytes: number) => large + ' '.repeat(bytes - large.length);
      const raw = (body: string) =>
        sendPrepared({ ...advertiser.api.prepare('POST', `${path()}/users`, { json: [] }), body });
      expect((await raw(padded(5_000_000))).body.data).toEqual({ success_count: 50_000, total_count: 50_000 });
      expect(refusal(await raw(padded(5_000_001)))).toEqual({
        status: 413,
        errors: [['REQUEST_TOO_COMPLEX', 'body']],
        operations: undefined,
      });
    }, 60_000);

    it('lets a person have 100 identifiers', async () => {
      const ids = Array.from({ length: 101 }, (_, n) => `id ${n}`);
      await accepted([update([{ partner_user_id: ids.slice(0, 100) }])]);
      expect(refusal(await upload([update(readers(0, 1)), update([{ partner_user_id: [ids[0], ids[100]] }])]))).toEqual(
        {
          status: 400,
          errors: undefined,
          operations: [[], [['INVALID_PARAMETER', 'users']]],
        },
      );
      expect(refusal(await upload([update([{ partner_user_id: ids }])]))).toMatchObject({
        operations: [[['INVALID_PARAMETER', 'users[0]']]],
      });
      expect(await diagnostics()).toMatchObject({ persons_uploaded: 1, identifiers: { partner_user_id: 100 } });
    });

    it('is for audiences of the account that are there', async () => {
      const foreign = await given.advertiser();
      const theirs = await given.customAudience({ account: foreign.account });
      const deleted = await given.customAudience({ account: advertiser.account });
      await advertiser.api.delete(path(deleted.id));
      for (const id of [NOBODY, theirs.id, deleted.id]) {
        expect(refusal(await upload([update(readers(0, 1))], id))).toMatchObject({
          status: 404,
          errors: [['NOT_FOUND', 'custom_audience_id']],
        });
        expect((await advertiser.api.get(`${path(id)}/diagnostics`)).status).toBe(404);
      }
      const reader = await given.member(advertiser.account, 'CAMPAIGN_ANALYST');
      expect((await reader.api.post(`${path()}/users`, { json: [update(readers(0, 1))] })).status).toBe(403);
    });

    it('counts in a window of its own, of the account', async () => {
      const { headers } = await upload([update(readers(0, 1))]);
      expect(headers['x-rate-limit-limit']).toBe(String(world().config.quotas.AUDIENCE_USERS.limit));
    });

    it('lets uploads of the same people at once follow one another', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          upload([update(readers(0, 50)), update([{ email: [email(n), email(n + 1)] }]), remove(readers(60, 70))]),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(await diagnostics()).toMatchObject({ persons_uploaded: 30, identifiers: { email: 50 } });
      const all = await stored();
      expect(all.filter(({ first }) => first).length).toBe(30);
      expect(new Set(all.filter(({ tied }) => tied).map(({ person }) => person)).size).toBe(1);
    });

    it('takes twelve uploads of hundreds of people at once', async () => {
      const answers = await Promise.all(
        // each shares half of its people with the next one, who must not be counted twice
        Array.from({ length: 12 }, (_, n) => upload([update(readers(n * 200, n * 200 + 400))])),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      for (const { body } of answers) expect(body.data).toEqual({ success_count: 400, total_count: 400 });
      const people = 13 * 200;
      expect(await diagnostics()).toMatchObject({ persons_uploaded: people, identifiers: { email: people } });
      const updates = (await stored()).map(({ updates }) => updates).sort((a, b) => a - b);
      expect(updates).toEqual([...Array<number>(400).fill(1), ...Array<number>(people - 400).fill(2)]);
    });

    it('is what a simple model says, whatever is uploaded', async () => {
      await fc.assert(
        fc.asyncProperty(madeUpRequests(), async (requests) => {
          world().clock.set(new Date('2026-12-01T12:30:00Z'));
          advertiser = await given.advertiser();
          const { id } = await given.customAudience({ account: advertiser.account });
          const model = new SimpleAudience();
          for (const request of requests) {
            const operations = request.map(({ type, people, from, until }) => ({
              operation_type: type,
              params: {
                users: people.map(userObject),
                ...(type === 'Update' && { effective_at: inHours(from), expires_at: inHours(until) }),
              },
            }));
            await accepted(operations, id);
            for (const operation of request) model.apply(operation);
          }
          const { persons_uploaded, persons_valid } = await diagnostics(id);
          expect([persons_uploaded, persons_valid]).toEqual([model.people.length, model.sizeIn(0)]);
          const held = await stored(id);
          const people = new Map<string, { ids: number[]; updates: number }>();
          for (const { person, hash, updates } of held) {
            const number = Array.from({ length: 12 }, (_, n) => n).find((n) => {
              const [kind, value] = identifierOf(n);
              return hash === (kind === 'partner_user_id' ? sha256(value) : value);
            })!;
            const known = people.get(person) ?? { ids: [], updates };
            known.ids.push(number);
            people.set(person, known);
          }
          const census = [...people.values()].map(({ ids, updates }) => [ids.sort((a, b) => a - b), updates]);
          const expected = model.people.map(({ ids, updates }) => [[...ids].sort((a, b) => a - b), updates]);
          const sorted = (list: unknown[]) => list.map((each) => JSON.stringify(each)).sort();
          expect(sorted(census)).toEqual(sorted(expected));
        }),
        { numRuns: SEQUENCES },
      );
    }, 600_000);
  });

  describe('the size of an audience', () => {
    it('is told some seconds after an upload, from 100 people on', async () => {
      expect(await shown()).toMatchObject({ targetable: false, reasons_not_targetable: ['PROCESSING', 'TOO_SMALL'] });
      await accepted([update(readers(0, 99))]);
      await count();
      expect(await shown()).toMatchObject({ audience_size: null, reasons_not_targetable: ['PROCESSING', 'TOO_SMALL'] });
      await settle();
      expect(await shown()).toMatchObject({ audience_size: null, reasons_not_targetable: ['TOO_SMALL'] });
      await accepted([update(readers(99, 100))]);
      expect(await shown()).toMatchObject({ targetable: false, reasons_not_targetable: ['PROCESSING', 'TOO_SMALL'] });
      await settle();
      expect(await shown()).toMatchObject({ targetable: true, audience_size: 100, reasons_not_targetable: [] });
      // one that can be targeted stays so while it is counted again
      await accepted([remove(readers(0, 1))]);
      expect(await shown()).toMatchObject({ targetable: true, audience_size: 100 });
      await settle();
      expect(await shown()).toMatchObject({
        targetable: false,
        audience_size: null,
        reasons_not_targetable: ['TOO_SMALL'],
      });
    });

    it('waits for further uploads, but not for more than a minute', async () => {
      // half a second too much between two uploads would end the wait
      world().clock.set(world().clock.now());
      await accepted([update(readers(0, 100))]);
      for (let n = 0; n < 13; n++) {
        world().clock.advance(4_500);
        await count();
        expect(await shown()).toMatchObject({ audience_size: null });
        if (n < 12) await accepted([update(readers(100 + n, 101 + n))]);
        if (n === 11) break;
      }
      world().clock.advance(4_500);
      await count();
      expect(await shown()).toMatchObject({ audience_size: 112 });
    });

    it('changes when people come and go by their times', async () => {
      await accepted([
        update(readers(0, 120), { effective_at: inHours(-1), expires_at: inHours(3) }),
        update(readers(120, 150), { effective_at: inHours(1), expires_at: inHours(2) }),
      ]);
      await settle();
      expect(await shown()).toMatchObject({ audience_size: 120 });
      world().clock.advance(HOUR);
      await count();
      expect(await shown()).toMatchObject({ audience_size: 150 });
      world().clock.advance(HOUR);
      await count();
      expect(await shown()).toMatchObject({ audience_size: 120 });
      world().clock.advance(HOUR);
      await count();
      expect(await shown()).toMatchObject({ targetable: false, audience_size: null });
      expect(await diagnostics()).toMatchObject({ persons_uploaded: 150, persons_valid: 0, persons_expired: 150 });
    });

    it('is counted by one of those who look at once, and again by others when that one is gone', async () => {
      await accepted([update(readers(0, 100))]);
      world().clock.advance(6_000);
      await Promise.all([count(), count(), count()]);
      expect(await shown()).toMatchObject({ audience_size: 100 });
      const changes = await world().sql<{ n: number }>(
        `SELECT count(*)::int AS n FROM account_changes WHERE "entityId" = $1 AND "changeType" = 'UPDATE'`,
        audience,
      );
      expect(changes).toEqual([{ n: 1 }]);
      await accepted([update(readers(100, 110))]);
      world().clock.advance(6_000);
      // somebody took it and died
      await world().sql(
        `UPDATE audience_sizings SET "countedUntil" = $2 WHERE "audienceId" = $1`,
        audience,
        inHours(0.03),
      );
      await count();
      expect(await shown()).toMatchObject({ audience_size: 100 });
      world().clock.advance(120_000);
      await count();
      expect(await shown()).toMatchObject({ audience_size: 110 });
    });

    it('is left alone where the audience was deleted meanwhile', async () => {
      await accepted([update(readers(0, 100))]);
      await advertiser.api.delete(path());
      await settle();
      const { body } = await advertiser.api.get(path(), { query: { with_deleted: true } });
      expect(body.data).toMatchObject({ deleted: true, audience_size: null });
      expect(await rowsAbout('audience_sizings')).toBe(0);
    });

    it('is not counted again once the account is deleted', async () => {
      await accepted([update(readers(0, 100))]);
      await given.deletedAccount('production', advertiser.account.id, advertiser.account.userId);
      const error = jest.spyOn(Logger.prototype, 'error');
      await settle();
      expect(error).not.toHaveBeenCalledWith(expect.stringContaining('could not be counted'));
      error.mockRestore();
      expect(await rowsAbout('audience_sizings')).toBe(0);
    });
  });

  describe('the people of what is deleted', () => {
    const removeAll = () => world().get(RemovePeopleJob).removeAll();
    const left = () => Promise.all(PEOPLE_TABLES.map((table) => rowsAbout(table)));
    const NONE = [0, 0, 0, 0];
    const usage = async () =>
      (await world().get(StorageQuotas).usageOf(advertiser.account.id, ['AUDIENCE_ROWS'])).AUDIENCE_ROWS.used;
    const kept = async () => {
      const { id } = await given.customAudience(advertiser);
      await accepted([update(readers(0, 3))], id);
      return id;
    };

    it('are removed, those of other audiences stay', async () => {
      const other = await kept();
      await accepted([update([...readers(0, 110), { email: [email(200)], handle: [sha256('h')] }])]);
      await settle();
      expect((await left()).every((rows) => rows > 0)).toBe(true);
      expect(await usage()).toBe(115);
      expect((await advertiser.api.delete(path())).status).toBe(200);
      await removeAll();
      expect(await left()).toEqual(NONE);
      expect(await rowsAbout('audience_identifiers', other)).toBe(3);
      expect(await usage()).toBe(3);
    });

    it('are removed by several processes at once, and by the next one where one stops', async () => {
      await accepted([update(readers(0, 500))]);
      await advertiser.api.delete(path());
      const stopped = new AbortController();
      stopped.abort();
      await world().get(RemovePeopleJob).removeAll(stopped.signal);
      expect(await rowsAbout('audience_identifiers')).toBe(500);
      await Promise.all([removeAll(), removeAll(), removeAll()]);
      await removeAll();
      expect(await left()).toEqual(NONE);
      expect(await usage()).toBe(0);
    });

    it('are removed with the account', async () => {
      const other = await kept();
      await accepted([update(readers(0, 10))]);
      const { id, userId } = advertiser.account;
      await given.deletedAccount('production', id, userId);
      await world().get(RemovePeopleJob).queueAccount(id);
      await removeAll();
      expect(await left()).toEqual(NONE);
      expect(await rowsAbout('audience_identifiers', other)).toBe(0);
      const jobs = await world().sql(
        `SELECT 1 FROM pgboss.job WHERE name = 'account-deleted' AND data->>'accountId' = $1`,
        id,
      );
      expect(jobs.length).toBe(1);
    });

    it('stay where the account is not deleted, whoever asks', async () => {
      await accepted([update(readers(0, 10))]);
      await world().get(RemovePeopleJob).queueAccount(advertiser.account.id);
      await removeAll();
      expect(await rowsAbout('audience_identifiers')).toBe(10);
    });

    it('leave nothing behind where they are counted or uploaded at the same time', async () => {
      await accepted([update(readers(0, 10))]);
      const { accountId, ...due } = (
        await world().sql<DueSizing>('SELECT * FROM audience_sizings WHERE "audienceId" = $1', audience)
      )[0];
      const uploads = Array.from({ length: 4 }, (_, n) => upload([update(readers(10 * n, 10 * n + 10))]));
      const deleted = await advertiser.api.delete(path());
      expect(deleted.status).toBe(200);
      const statuses = (await Promise.all(uploads)).map(({ status }) => status);
      expect(statuses.every((status) => status === 200 || status === 404)).toBe(true);
      await removeAll();
      // who counts on with what was read before the deletion
      await world()
        .get(AudienceSnapshots)
        .count({ accountId, ...due, matching: 'ALL', at: world().clock.now() }, { keep: true });
      await world()
        .get(AudienceSizes)
        .resize({ accountId, ...due });
      expect(await left()).toEqual(NONE);
    });

    it('are not uploaded to the audience of a deleted account by whom it was shared with', async () => {
      const [owner, partner] = await given.partners();
      const shared = await given.customAudience(owner);
      await given.sharedAudience({
        account: owner.account,
        audience: shared,
        to: partner.account,
        level: 'READ_WRITE',
      });
      const to = `${path(shared.id, partner)}/users`;
      expect((await partner.api.post(to, { json: [update(readers(0, 1))] })).status).toBe(200);
      const { userId } = partner.account;
      const { audience: seen, required } = await world()
        .get(AudienceAccessService)
        .writableBy(partner.account, shared.id);
      await given.deletedAccount('production', owner.account.id, owner.account.userId);
      expect((await partner.api.post(to, { json: [update(readers(1, 2))] })).status).toBe(404);
      // whoever had looked before the deletion
      const holder = {
        id: shared.id,
        kind: 'CUSTOM_AUDIENCE' as const,
        accountId: seen.accountId,
        entity: CustomAudience,
        unknown: () => new Error('gone') as never,
        required,
      };
      const operation = { people: [['0'.padEnd(65, '0')]] as never, window: { effectiveAt: 0, expiresAt: 1 } };
      const upload = await Upload.of(undefined as never, [operation]);
      await expect(
        world()
          .get(AudienceUsersService)
          .upload({ ...partner.account, userId }, holder, upload),
      ).rejects.toThrow('gone');
      expect(await rowsAbout('audience_identifiers', shared.id)).toBe(1);
    });
  });

  describe('the quota of audience rows', () => {
    const LIMIT = 100_000_000;
    /** Leaves room for so many rows. */
    const leave = (rows: number, of = advertiser.account.id) =>
      world().sql(
        `INSERT INTO storage_usage VALUES ($1, 'AUDIENCE_ROWS', $2) ON CONFLICT ("ownerId", kind) DO UPDATE SET used = EXCLUDED.used`,
        of,
        LIMIT - rows,
      );
    const used = async () =>
      (await world().get(StorageQuotas).usageOf(advertiser.account.id, ['AUDIENCE_ROWS'])).AUDIENCE_ROWS.used;

    it('counts new rows, not those that are there, and rows that go', async () => {
      await accepted([update(readers(0, 5))]);
      await accepted([update(readers(0, 5))]);
      expect(await used()).toBe(5);
      // the other way through the store
      await accepted([update([...readers(3, 7), { email: [email(10)], handle: [sha256('h')] }])]);
      expect(await used()).toBe(9);
      await accepted([update(readers(0, 1)), remove([...readers(0, 2), { handle: [sha256('h')] }])]);
      expect(await used()).toBe(5);
      expect((await stored()).length).toBe(5);
    });

    it('counts what was stored before there was one', async () => {
      await accepted([update(readers(0, 5))]);
      await accepted([update(readers(0, 2))], (await given.customAudience({ account: advertiser.account })).id);
      await fillStorageUsage();
      expect(await used()).toBe(7);
    });

    it('refuses what exceeds it, with usage and limit, and stores nothing of it', async () => {
      await leave(3);
      for (const users of [readers(0, 4), [...readers(0, 2), { email: [email(10)], handle: [sha256('h')] }]]) {
        const { status, body } = await upload([update(users)]);
        expect(status).toBe(403);
        expect(body.errors).toEqual([
          {
            code: 'STORAGE_QUOTA_EXCEEDED',
            message: `Account ${advertiser.account.id} stores ${LIMIT - 3} of at most ${LIMIT} audience rows, and this request would exceed the limit`,
            details: expect.stringContaining('MAX_AUDIENCE_ROWS_PER_ACCOUNT is the limit'),
          },
        ]);
      }
      expect(await stored()).toEqual([]);
      await accepted([update(readers(0, 3))]);
      await accepted([update(readers(0, 3))]);
      expect((await upload([update(readers(3, 4))])).status).toBe(403);
      await accepted([remove(readers(0, 1))]);
      await accepted([update(readers(3, 4))]);
    });

    it('holds for uploads to several audiences at once', async () => {
      await leave(10);
      const ids = await Promise.all(
        Array.from({ length: 4 }, async () => (await given.customAudience({ account: advertiser.account })).id),
      );
      const answers = await Promise.all(ids.map((id) => upload([update(readers(0, 4))], id)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 403, 403]);
      expect(await used()).toBe(LIMIT - 2);
    });

    it('is that of the owner, who alone is told how much it is', async () => {
      const [owner, partner] = await given.partners();
      const shared = await given.customAudience(owner);
      await given.sharedAudience({
        account: owner.account,
        audience: shared,
        to: partner.account,
        level: 'READ_WRITE',
      });
      await leave(1, owner.account.id);
      const { status, body } = await partner.api.post(`${path(shared.id, partner)}/users`, {
        json: [update(readers(0, 2))],
      });
      expect({ status, code: body.errors[0].code }).toEqual({ status: 403, code: 'STORAGE_QUOTA_EXCEEDED' });
      expect(JSON.stringify(body)).not.toContain(`${LIMIT - 1}`);
    });
  });
});

describe('do not reach lists', () => {
  let advertiser: Advertiser;
  beforeEach(async () => {
    advertiser = await given.advertiser();
  });

  const path = (id?: string, { account } = advertiser) =>
    `/12/accounts/${account.id}/do_not_reach_lists${id ? `/${id}` : ''}`;
  const create = (query: Params = {}, by = advertiser) => by.api.post(path(undefined, by), { query });
  const made = async (query?: Params): Promise<Json> => {
    const { status, body } = await create(query);
    expect({ status, errors: body.errors }).toEqual({ status: 201 });
    return body.data;
  };
  const list = async (query: Params = {}): Promise<Json> => (await advertiser.api.get(path(), { query })).body;
  const refusal = ({ status, body }: Answer) => ({
    status,
    errors: body.errors?.map(({ code, parameter, message }: Json) => [code, parameter, message]),
  });
  const SECOND = {
    status: 400,
    errors: [['ACTION_NOT_ALLOWED', 'account_id', 'An account can have at most one Do Not Reach List']],
  };
  const history = () =>
    world().sql<{ type: string; data: Json }>(
      `SELECT "changeType" AS type, "entityData" AS data FROM account_changes c
      WHERE "accountId" = $1 AND "entityType" = 'DO_NOT_REACH_LIST'
        AND "transactionId" IS NOT NULL ORDER BY id`,
      advertiser.account.id,
    );

  describe('making a do-not-reach list', () => {
    it('answers 201 with a list that nobody is on yet, its fields in their order', async () => {
      const { status, body } = await create({ description: 'Asked us to' });
      expect(status).toBe(201);
      expect(body.request.params).toEqual({ account_id: advertiser.account.id, description: 'Asked us to' });
      expect(unlike(DoNotReachListView, body.data)).toEqual([]);
      expect(Object.entries(body.data)).toEqual([
        ['targetable', false],
        ['name', 'Do Not Reach List'],
        ['description', 'Asked us to'],
        ['id', expect.stringMatching(/^[0-9a-z]{13}$/)],
        ['reasons_not_targetable', ['PROCESSING', 'TOO_SMALL']],
        ['created_at', expect.stringMatching(/Z$/)],
        ['list_size', null],
        ['updated_at', body.data.created_at],
        ['deleted', false],
      ]);
      expect((await list()).data).toEqual([body.data]);
      expect(await history()).toEqual([{ type: 'CREATE', data: body.data }]);
    });

    it('takes no description, an empty one, and one from a form', async () => {
      for (const form of [{}, { description: '' }, { description: 'Form' }]) {
        const { status, body } = await advertiser.api.post(path(), { form });
        expect({ status, description: body.data.description }).toEqual({
          status: 201,
          description: form.description || null,
        });
        await advertiser.api.delete(path(body.data.id));
      }
      expect(refusal(await create({ description: 'x'.repeat(1001) }))).toMatchObject({
        status: 400,
        errors: [['INVALID_PARAMETER', 'description', expect.any(String)]],
      });
      await made({ description: 'x'.repeat(1000) });
    });

    it('is for one list of an account at a time', async () => {
      const { id } = await made();
      expect(refusal(await create())).toEqual(SECOND);
      expect((await create({}, await given.advertiser())).status).toBe(201);
      await advertiser.api.delete(path(id));
      expect((await made()).id).not.toBe(id);
      expect(refusal(await create())).toEqual(SECOND);
    });

    it('is done by one of 20 at once', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => create()));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      for (const answer of answers.filter(({ status }) => status !== 201)) expect(refusal(answer)).toEqual(SECOND);
      expect((await list({ with_deleted: true })).data).toHaveLength(1);
      expect(await history()).toHaveLength(1);
    });

    it('and deleting it leave one at most, however many do both', async () => {
      const replaced = async () => {
        const [found] = (await list()).data as Json[];
        return advertiser.api.delete(path(found?.id ?? base36Ids(0)));
      };
      const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => (i % 2 ? replaced() : create())));
      for (const answer of answers)
        if (answer.status === 400) expect(refusal(answer)).toEqual(SECOND);
        else expect([200, 201, 404]).toContain(answer.status);
      const deleted = answers.filter(({ status }) => status === 200).length;
      const created = answers.filter(({ status }) => status === 201).length;
      expect((await list()).data).toHaveLength(created - deleted);
      expect((await list({ with_deleted: true })).data).toHaveLength(created);
    });

    it('stores nothing in an account that was deleted', async () => {
      const sandbox = await given.advertiser({ environment: 'sandbox' });
      const [, ...answers] = await Promise.all([
        world().get(AccountsService).delete(sandbox.account),
        ...Array.from({ length: 5 }, () => create({}, sandbox)),
      ]);
      for (const { status } of answers) expect([201, 400, 404]).toContain(status);
      expect((await create({}, sandbox)).status).toBe(404);
      const younger = await world().sql(
        `SELECT l.id FROM do_not_reach_lists l JOIN accounts a ON a.id = l."accountId"
        WHERE a.id = $1 AND l."createdAt" > a."deletedAt"`,
        sandbox.account.id,
      );
      expect(younger).toEqual([]);
    });

    it('is for those who manage campaigns', async () => {
      const analyst = await given.member(advertiser.account, 'CAMPAIGN_ANALYST');
      expect((await create({}, analyst)).status).toBe(403);
      const { id } = await made();
      expect((await analyst.api.get(path(undefined, analyst))).body.data).toMatchObject([{ id }]);
      expect((await analyst.api.delete(path(id, analyst))).status).toBe(403);
      const creative = await given.member(advertiser.account, 'ANALYST');
      expect((await creative.api.get(path(undefined, creative))).status).toBe(403);
    });
  });

  describe('the list of do-not-reach lists', () => {
    it('shows the one that there is, and with_deleted those before it', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 5; n++) {
        const { id } = await made({ description: `The ${n}th` });
        ids.unshift(id);
        if (n < 4) await advertiser.api.delete(path(id));
      }
      const { data, next_cursor } = await list();
      expect({ ids: data.map(({ id }: Json) => id), next_cursor }).toEqual({ ids: [ids[0]], next_cursor: null });
      const all = await list({ with_deleted: true, with_total_count: true });
      expect({ ids: all.data.map(({ id }: Json) => id), total: all.total_count }).toEqual({ ids, total: 5 });
      expect(all.data.map(({ deleted }: Json) => deleted)).toEqual([false, true, true, true, true]);
      for (const item of all.data) expect(unlike(DoNotReachListView, item)).toEqual([]);

      const walked: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await list({ with_deleted: true, count: 2, sort_by: 'created_at-asc', cursor });
        walked.push(...page.data.map(({ id }: Json) => id));
        cursor = page.next_cursor ?? undefined;
      } while (cursor && walked.length < 10);
      expect(walked).toEqual([...ids].reverse());
      expect((await list({ with_deleted: false })).data).toHaveLength(1);
    });

    it('refuses what is wrong with its parameters, and echoes the others', async () => {
      for (const [name, value] of [
        ['with_deleted', 'maybe'],
        ['count', '0'],
        ['count', '1001'],
        ['sort_by', 'name-asc'],
        ['cursor', 'x'],
      ]) {
        const { status, body } = await advertiser.api.get(path(), { query: { [name]: value } });
        expect({ status, error: body.errors[0] }).toMatchObject({
          status: 400,
          error: { code: 'INVALID_PARAMETER', parameter: name },
        });
      }
      expect((await list({ with_deleted: 'TRUE', count: '7' })).request.params).toEqual({
        account_id: advertiser.account.id,
        with_deleted: true,
        count: 7,
      });
    });

    it('shows nothing of other accounts, and is unknown in them', async () => {
      const { id } = await made();
      const stranger = await given.advertiser();
      expect((await stranger.api.get(path(undefined, stranger))).body.data).toEqual([]);
      expect((await stranger.api.get(path())).status).toBe(404);
      const { status, body } = await stranger.api.delete(path(id, stranger));
      expect({ status, error: body.errors[0] }).toMatchObject({
        status: 404,
        error: { code: 'NOT_FOUND', parameter: 'do_not_reach_list_id', value: id },
      });
      expect((await list()).data).toHaveLength(1);
    });
  });

  describe('deleting a do-not-reach list', () => {
    it('answers it marked deleted, and is 404 ever after', async () => {
      const before = await made({ description: 'Old' });
      world().clock.advance(3_000);
      const { status, body } = await advertiser.api.delete(path(before.id));
      expect({ status, params: body.request.params }).toEqual({
        status: 200,
        params: { account_id: advertiser.account.id, do_not_reach_list_id: before.id },
      });
      expect(body.data).toEqual({ ...before, deleted: true, updated_at: body.data.updated_at });
      expect(body.data.updated_at > before.updated_at).toBe(true);
      expect((await advertiser.api.delete(path(before.id))).status).toBe(404);
      expect((await list({ with_deleted: true })).data).toEqual([body.data]);
      expect((await history()).map(({ type }) => type)).toEqual(['CREATE', 'DELETE']);
    });
  });
});

describe('do not reach users', () => {
  const NOBODY = '0zzzzzzzzzzzz';

  let advertiser: Advertiser;
  let list: string;
  beforeEach(async () => {
    advertiser = await given.advertiser();
    list = (await advertiser.api.post(path())).body.data.id;
  });
  afterEach(() => world().clock.set(null));

  const path = (of = advertiser) => `/12/accounts/${of.account.id}/do_not_reach_lists`;
  const upload = (operations: unknown, id = list): Promise<Answer> =>
    advertiser.api.post(`/12/batch/accounts/${advertiser.account.id}/do_not_reach_lists/${id}/users`, {
      json: operations,
    });
  const shown = async (): Promise<Json> => (await advertiser.api.get(path())).body.data[0];
  const settle = async () => {
    world().clock.advance(6_000);
    await world().get(SizeAudiencesJob).sizeDue();
  };
  const people = (from: number, until: number) =>
    Array.from({ length: until - from }, (_, n) => ({ email: [sha256(`quiet ${from + n}`)] }));
  const inDays = (days: number) =>
    `${new Date(world().clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 19)}Z`;
  const refusal = ({ status, body }: Answer) => ({
    status,
    operations: body.operation_errors?.map((own: Json[]) => own.map(({ code, parameter }) => [code, parameter])),
  });

  describe('the users of a do-not-reach list', () => {
    it('are counted operation by operation, and not echoed', async () => {
      const expires_at = inDays(30);
      const { status, body } = await upload([
        {
          operation_type: 'Update',
          params: { users: [...people(0, 2), { phone_number: [sha256('+49')] }], expires_at },
        },
        { operation_type: 'Update', params: { emails: [sha256('a'), sha256('b').toUpperCase()] } },
        { operation_type: 'Delete', params: { users: people(1, 2) } },
      ]);
      const own = { do_not_reach_list_id: list, account_id: advertiser.account.id };
      expect({ status, body }).toEqual({
        status: 200,
        body: {
          data: [3, 2, 1].map((count) => ({ success_count: count, total_count: count })),
          request: [
            { params: { expires_at, ...own }, operation_type: 'Update' },
            { params: own, operation_type: 'Update' },
            { params: own, operation_type: 'Delete' },
          ],
        },
      });
      const stored = await world().sql<{ people: number }>(
        'SELECT count(*)::int AS people FROM audience_identifiers WHERE "audienceId" = $1 AND first',
        list,
      );
      expect(stored).toEqual([{ people: 4 }]);
    });

    it('make the list take effect from 100 on', async () => {
      await upload([{ operation_type: 'Update', params: { users: people(0, 99) } }]);
      await settle();
      expect(await shown()).toMatchObject({
        targetable: false,
        reasons_not_targetable: ['TOO_SMALL'],
        list_size: null,
      });
      await upload([{ operation_type: 'Update', params: { users: people(99, 100), expires_at: inDays(1) } }]);
      expect(await shown()).toMatchObject({ reasons_not_targetable: ['PROCESSING', 'TOO_SMALL'] });
      await settle();
      expect(await shown()).toMatchObject({ targetable: true, reasons_not_targetable: [], list_size: 100 });
      world().clock.advance(86_400_000);
      await world().get(SizeAudiencesJob).sizeDue();
      expect(await shown()).toMatchObject({ targetable: false, list_size: null });
    });

    it('leave the sizes of custom audiences as they are', async () => {
      const { id } = await given.customAudience({ account: advertiser.account });
      const audience = `/12/accounts/${advertiser.account.id}/custom_audiences/${id}`;
      const operations = [{ operation_type: 'Update', params: { users: people(0, 120) } }];
      await advertiser.api.post(`${audience}/users`, { json: operations });
      await upload(operations);
      await settle();
      expect((await advertiser.api.get(audience)).body.data).toMatchObject({ audience_size: 120 });
    });

    it('may come with empty fields, which are not set; a wrong end names what it was compared with', async () => {
      const { status } = await upload([
        { operation_type: 'Update', params: { users: null, emails: [sha256('a')], expires_at: '' } },
        { operation_type: 'Update', params: { users: people(0, 1), emails: '', expires_at: null } },
      ]);
      expect(status).toBe(200);
      world().clock.set(new Date('2027-03-01T10:00:00Z'));
      const { body } = await upload([
        { operation_type: 'Update', params: { users: people(0, 1), expires_at: '2027-02-01' } },
        { operation_type: 'Update', params: { users: people(0, 1), expires_at: '2028-05-01' } },
      ]);
      expect(body.operation_errors.map(([{ message }]: Json[]) => message)).toEqual([
        'expires_at must be later than now, 2027-03-01T10:00:00Z',
        'expires_at must be within 13 months, 2028-04-01T10:00:00Z at the latest',
      ]);
    });

    it('are refused whole, each fault at its operation', async () => {
      const answer = await upload([
        { operation_type: 'Update', params: { users: people(0, 1) } },
        { operation_type: 'Update', params: {} },
        { operation_type: 'Update', params: { users: [{ handle: [sha256('h')] }] } },
        { operation_type: 'Update', params: { emails: ['plain@example.com'] } },
        { operation_type: 'Update', params: { users: people(0, 1), expires_at: inDays(-1) } },
        { operation_type: 'Update', params: { users: people(0, 1), expires_at: inDays(400) } },
      ]);
      expect(refusal(answer)).toEqual({
        status: 400,
        operations: [
          [],
          [['MISSING_PARAMETER', 'users']],
          [['MISSING_PARAMETER', 'users[0]']],
          [['INVALID_PARAMETER', 'emails[0]']],
          [['INVALID_TIME_WINDOW', 'expires_at']],
          [['INVALID_TIME_WINDOW', 'expires_at']],
        ],
      });
      await settle();
      expect(await shown()).toMatchObject({ reasons_not_targetable: ['PROCESSING', 'TOO_SMALL'] });
    });

    it('belong to the list of the account that is there', async () => {
      const foreign = await given.advertiser();
      const theirs = (await foreign.api.post(path(foreign))).body.data.id as string;
      await advertiser.api.delete(`${path()}/${list}`);
      for (const id of [NOBODY, theirs, list]) {
        const { status, body } = await upload([{ operation_type: 'Update', params: { users: people(0, 1) } }], id);
        expect([status, body.errors[0].parameter]).toEqual([404, 'do_not_reach_list_id']);
      }
    });
  });
});
