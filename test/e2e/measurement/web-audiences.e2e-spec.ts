import { createHash } from 'node:crypto';
import { jest } from '@jest/globals';
import { restartIds } from '../../../src/common/entity/ids.js';
import { MembershipsService } from '../../../src/accounts/access/memberships.service.js';
import { ConversionsService } from '../../../src/measurement/conversions/conversions.service.js';
import { WebAudiencesJob } from '../../../src/measurement/web-audiences/web-audiences.job.js';
import { useSharedApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import type { Json } from '../../support/http.js';

useSharedApp();

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('audiences of websites', () => {
  let advertiser: Advertiser;
  let path: string;
  beforeEach(async () => {
    // conversions have the time of the service, which tests advance
    restartIds();
    advertiser = await given.advertiser({ environment: 'sandbox' });
    path = `/12/accounts/${advertiser.account.id}`;
  });

  const keepAll = () => world().get(WebAudiencesJob).keepAll();
  /** A run that adds the visitors of all conversions so far: the last minute waits for the next run. */
  const keepSettled = async () => {
    world().clock.advance(61_000);
    await keepAll();
  };
  /** Minutes until the audience of a tag is looked at again. */
  const dueIn = async (tagId: string): Promise<number> => {
    const [{ at }] = await world().sql<{ at: string }>(
      `SELECT "visitAt" AS at FROM web_audiences WHERE "tagId" = $1`,
      tagId,
    );
    return Math.ceil((new Date(at).getTime() - world().clock.now().getTime()) / 60_000);
  };
  const audiences = async (): Promise<Json[]> => (await advertiser.api.get(`${path}/custom_audiences`)).body.data;
  const change = (tag: string, form: object) =>
    advertiser.api.put(`${path}/web_event_tags/${tag}`, { form: { ...form } });
  const receive = (tag: string, identifiers: Json[]) =>
    world().get(ConversionsService).receiveOne(advertiser.account, {
      conversion_timestamp: world().clock.now().getTime(),
      event_id: tag,
      identifiers,
    });
  const convert = (tag: string, ...people: number[]) =>
    Promise.all(people.map((i) => receive(tag, [{ hashed_email: sha256(`person ${i}`) }])));
  const sized = async (audienceId: string) => {
    await given.sized(advertiser.account, audienceId);
    return (await advertiser.api.get(`${path}/custom_audiences/${audienceId}`)).body.data;
  };

  it('have the visitors of their tag, each once, and a size that may be reported', async () => {
    const tag = await given.webEventTag({ ...advertiser, name: 'Buyers', retargeting_enabled: true });
    await given.webEventTag(advertiser);
    await keepAll();
    const [audience, ...others] = await audiences();
    expect(others).toEqual([]);
    expect(audience).toMatchObject({ name: 'Buyers', audience_type: 'WEB', targetable_types: ['WEB', 'EXCLUDED_WEB'], audience_size: null }); // prettier-ignore
    await convert(tag.id, 1, 2, 3);
    await keepSettled();
    expect(await sized(audience.id)).toMatchObject({ audience_size: null, targetable: false });
    await convert(tag.id, ...Array.from({ length: 120 }, (_, i) => i));
    await keepAll();
    await keepSettled();
    await keepAll();
    expect(await sized(audience.id)).toMatchObject({ audience_size: 120, targetable: true });
  });

  it('count each conversion of a visitor once, also those between two runs', async () => {
    const { id } = await given.webEventTag({ ...advertiser, retargeting_enabled: true });
    await keepAll();
    const [audience] = await audiences();
    for (let minute = 0; minute < 4; minute++) {
      if (minute < 2) await convert(id, 1);
      world().clock.advance(31_000);
      await keepAll();
      world().clock.advance(31_000);
      await keepAll();
    }
    const people = await world().sql(
      `SELECT coalesce(earlier, '{}') || ARRAY["lastDay", updates] AS days FROM audience_identifiers WHERE "audienceId" = $1`,
      audience.id,
    );
    const updates = (people as { days: number[] }[]).map(({ days }) => days.filter((_, i) => i % 2 === 1).reduce((sum, n) => sum + n)); // prettier-ignore
    expect(updates).toEqual([2]);
  });

  it('get further visitors whatever identifiers the ones before share', async () => {
    const tag = await given.webEventTag({ ...advertiser, retargeting_enabled: true });
    const objects = (count: number, phone: (i: number) => string) =>
      Array.from({ length: count }, (_, i) => ({
        hashed_email: sha256(`email ${count} ${i}`),
        hashed_phone_number: sha256(phone(i)),
      }));
    // a hundred identifiers are one person, and two visitors more stay apart
    await Promise.all(objects(101, () => '').map((each) => receive(tag.id, [each])));
    // one visitor with more identifiers than a person has
    await receive(tag.id, objects(51, String));
    await keepSettled();
    await convert(tag.id, ...Array.from({ length: 120 }, (_, i) => i));
    await keepSettled();
    const [audience] = await audiences();
    expect(await sized(audience.id)).toMatchObject({ audience_size: 3 + 1 + 120 });
  });

  it('get the visitors of a quiet tag among thousands of others', async () => {
    const { id } = await given.webEventTag({ ...advertiser, retargeting_enabled: true });
    const busy = await given.webEventTag(advertiser);
    await convert(id, 1);
    await world().sql(
      `INSERT INTO conversions SELECT (json_populate_record(c, json_build_object('id', left(c.id, -4) || lpad(n::text, 4, '0'), 'tagId', $2::text))).*
        FROM conversions c, generate_series(1, 4500) n WHERE c."accountId" = $1`,
      ...[advertiser.account.id, busy.id],
    );
    await convert(id, 2);
    await keepSettled();
    const [audience] = await audiences();
    const people = await world().sql(`SELECT FROM audience_identifiers WHERE "audienceId" = $1`, audience.id);
    expect(people).toHaveLength(2);
  });

  it('are looked at when something happened, else once an hour', async () => {
    const { id } = await given.webEventTag({ ...advertiser, retargeting_enabled: true });
    expect(await dueIn(id)).toBeLessThan(0);
    await keepAll();
    expect(await dueIn(id)).toBe(60);
    await convert(id, 1);
    expect(await dueIn(id)).toBeLessThanOrEqual(0);
    await keepAll();
    expect(await dueIn(id)).toBe(1);
    // the process notes that a tag is tracked once a minute, so that the job looks again until nothing is new
    await convert(id, 2);
    expect(await dueIn(id)).toBe(1);
    for (let visit = 0; visit < 2; visit++) {
      world().clock.advance(61_000);
      await keepAll();
    }
    expect(await dueIn(id)).toBe(60);
    const [audience] = await audiences();
    const people = await world().sql(`SELECT FROM audience_identifiers WHERE "audienceId" = $1`, audience.id);
    expect(people).toHaveLength(2);
    await change(id, { name: 'Other' });
    expect(await dueIn(id)).toBeLessThan(0);
    await world().sql(`UPDATE accounts SET "clockAdvancing" = true WHERE id = $1`, advertiser.account.id);
    await keepAll();
    expect(await audiences()).toMatchObject([{ name: audience.name }]);
    await world().sql(`UPDATE accounts SET "clockAdvancing" = false WHERE id = $1`, advertiser.account.id);
    expect(await dueIn(id)).toBe(1);
  });

  it('are only read, and follow their tag', async () => {
    const { id: taken } = await given.customAudience({ ...advertiser, name: 'Taken' });
    const { id: tag } = await given.webEventTag({ ...advertiser, name: 'Visitors', retargeting_enabled: true });
    await keepAll();
    const { id } = (await audiences()).find(({ name }) => name === 'Visitors');
    const refused = [
      await advertiser.api.put(`${path}/custom_audiences/${id}`, { form: { name: 'Mine' } }),
      await advertiser.api.delete(`${path}/custom_audiences/${id}`),
      await advertiser.api.post(`${path}/custom_audiences/${id}/users`, {
        json: [{ operation_type: 'Update', params: { users: [{ email: [sha256('x')] }] } }],
      }),
    ];
    for (const { status, body } of refused) expect([status, body.errors[0].code]).toEqual([403, 'ACTION_NOT_ALLOWED']);
    await change(tag, { name: 'Taken' });
    await keepAll();
    expect((await audiences()).map(({ name }) => name).sort()).toEqual(['Taken', `Taken (${tag})`]);
    await change(tag, { retargeting_enabled: 'false' });
    await keepAll();
    expect(await audiences()).toMatchObject([{ id: taken }]);
    await change(tag, { retargeting_enabled: 'true' });
    await keepAll();
    expect(await audiences()).toHaveLength(2);
    await advertiser.api.delete(`${path}/web_event_tags/${tag}`);
    await keepAll();
    expect(await audiences()).toMatchObject([{ id: taken }]);
  });

  /** A run that has taken its tags, and looks at the first one after `meanwhile`. */
  const overtaken = async (meanwhile: () => Promise<unknown>) => {
    const memberships = world().get(MembershipsService);
    const administrator = memberships.administrator.bind(memberships);
    const looking = jest.spyOn(memberships, 'administrator').mockImplementationOnce(async (accountId) => {
      await meanwhile();
      return administrator(accountId);
    });
    await keepAll();
    expect(looking).toHaveBeenCalled();
    looking.mockRestore();
  };

  it('are one for each tag, also if a run takes so long that another one looks at the same tags', async () => {
    const { id: tag } = await given.webEventTag({ ...advertiser, name: 'Slow', retargeting_enabled: true });
    await overtaken(async () => {
      world().clock.advance(331_000);
      await keepAll();
    });
    expect(await audiences()).toMatchObject([{ name: 'Slow' }]);
    await advertiser.api.delete(`${path}/web_event_tags/${tag}`);
    await keepAll();
    expect(await audiences()).toEqual([]);
  });

  it('are those of their tags as these are by then, also if a run took them earlier', async () => {
    const { id: tag } = await given.webEventTag({ ...advertiser, name: 'Old', retargeting_enabled: true });
    await keepAll();
    const [{ id }] = await audiences();
    await change(tag, { retargeting_enabled: 'false' });
    await overtaken(async () => {
      await change(tag, { retargeting_enabled: 'true', name: 'New' });
      await keepAll();
    });
    await keepAll();
    expect(await audiences()).toMatchObject([{ id, name: 'New' }]);
    await convert(tag, ...Array.from({ length: 120 }, (_, i) => i));
    // the audience with which this run took the tag ends meanwhile, and the tag gets another one
    await overtaken(async () => {
      for (const isEnabled of ['false', 'true']) {
        await change(tag, { retargeting_enabled: isEnabled });
        await keepAll();
      }
    });
    world().clock.advance(61_000);
    await keepAll();
    const [audience, ...others] = await audiences();
    expect([audience.name, others]).toEqual(['New', []]);
    expect(await sized(audience.id)).toMatchObject({ audience_size: 120 });
  });
});
