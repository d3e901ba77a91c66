import { DirectoryService } from '../../../src/audiences/directory/directory.service.js';
import { PostPublication } from '../../../src/creatives/posts/post-publication.service.js';
import { anonymously, type Json, type Params } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import { refusal } from '../creatives/refusal.js';

useApp();

let advertiser: Advertiser;
beforeEach(async () => {
  advertiser = await given.advertiser();
});

const path = (account = advertiser.account) => `/12/accounts/${account.id}/targeting_suggestions`;
const ask = (query: Params, by = advertiser) => by.api.get(path(by.account), { query });
const suggested = async (query: Params): Promise<string[]> => {
  const { status, body } = await ask(query);
  expect({ status, errors: body.errors }).toEqual({ status: 200 });
  const types = body.data.map((each: Json) => each.suggestion_type);
  expect(new Set(types)).toEqual(new Set(types.length > 0 ? [query.suggestion_type] : []));
  return body.data.map((each: Json) => each.suggestion_value);
};
const store = (users: object[]) => {
  const directory = world().get(DirectoryService);
  return directory.store(users.map((each) => directory.read(each)));
};
const idOf = async (username: string) =>
  (await world().sql<{ id: string }>('SELECT id FROM users WHERE username = $1', username))[0].id;

let words = 0;

describe('suggested keywords', () => {
  it('go with the given ones in posts, are topped up, and are as many as were asked for', async () => {
    const word = `zorp${++words}`;
    const at = new Date(world().clock.now().getTime() - 3_600_000);
    const posts = Array.from({ length: 5 }, (_, n) => ({
      authorId: advertiser.user.id,
      text: `${word} with marzipan${words} again ${n}`,
      at,
    }));
    const old = {
      authorId: advertiser.user.id,
      text: `${word} and sardines${words}`,
      at: new Date(at.getTime() - 8 * 86_400_000),
    };
    await world()
      .get(PostPublication)
      .fromPlatform([...posts, old]);
    const found = await suggested({ suggestion_type: 'KEYWORD', targeting_values: `+${word}` });
    expect(found).toHaveLength(30);
    expect(found).toContain(`marzipan${words}`);
    expect(found).not.toContain(word);
    expect(found).not.toContain(`sardines${words}`);
    const more = await suggested({ suggestion_type: 'KEYWORD', targeting_values: word, count: 50 });
    expect(new Set(more).size).toBe(50);
    expect(more.slice(0, 2)).toEqual(found.slice(0, 2));
    expect(await suggested({ suggestion_type: 'KEYWORD', targeting_values: word, count: 2 })).toEqual(
      found.slice(0, 2),
    );
  });

  it('are there for words that nobody has said, and for numbers', async () => {
    expect(await suggested({ suggestion_type: 'KEYWORD', targeting_values: 'unheardof,2026' })).toHaveLength(30);
  });
});

describe('suggested users', () => {
  it('are those whom followers of the given ones follow, too, and people in general do not', async () => {
    const [seed, liked, common, gone] = ['seed', 'liked', 'common', 'gone'].map((name) => `${name}_${++words}`);
    await store([seed, liked, common, gone].map((username) => ({ username })));
    const people = Array.from({ length: 40 }, (_, n) => ({
      username: `fan_${words}_${n}`,
      follows: [common, ...(n < 10 ? [seed] : []), ...(n < 8 ? [liked, gone] : [])],
    }));
    await store(people);
    await world().sql('UPDATE users SET "suspendedAt" = now() WHERE username = $1', gone);
    const [id, likedId] = [await idOf(seed), await idOf(liked)];
    expect(await suggested({ suggestion_type: 'USER_ID', targeting_values: id })).toEqual([likedId]);
    expect(await suggested({ suggestion_type: 'USER_ID', targeting_values: `${id},${likedId}` })).toEqual([]);
  });

  it('are as many as were asked for', async () => {
    const seed = `seed_${++words}`;
    const liked = Array.from({ length: 20 }, (_, n) => `liked_${words}_${n}`);
    await store([seed, ...liked].map((username) => ({ username })));
    await store(Array.from({ length: 4 }, (_, n) => ({ username: `fan_${words}_${n}`, follows: [seed, ...liked] })));
    const values = { suggestion_type: 'USER_ID', targeting_values: await idOf(seed) };
    expect(await suggested(values)).toHaveLength(20);
    expect(await suggested({ ...values, count: 3 })).toHaveLength(3);
  });
});

describe('suggestions', () => {
  it('echo what was asked, and do not page', async () => {
    const { body } = await ask({ suggestion_type: 'KEYWORD', targeting_values: 'tea,coffee', count: '1' });
    expect(body.request.params).toEqual({
      account_id: advertiser.account.id,
      suggestion_type: 'KEYWORD',
      targeting_values: ['tea', 'coffee'],
      count: 1,
    });
    expect(Object.keys(body)).toEqual(['request', 'data']);
  });

  it.each<[Params, [string, string][]]>([
    [
      {},
      [
        ['MISSING_PARAMETER', 'suggestion_type'],
        ['MISSING_PARAMETER', 'targeting_values'],
      ],
    ],
    [{ suggestion_type: 'USERS', targeting_values: 'a' }, [['INVALID_PARAMETER', 'suggestion_type']]],
    [{ suggestion_type: 'KEYWORD', targeting_values: 'a', count: 51 }, [['INVALID_PARAMETER', 'count']]],
    [{ suggestion_type: 'USER_ID', targeting_values: '1,coffee' }, [['INVALID_PARAMETER', 'targeting_values']]],
    [{ suggestion_type: 'KEYWORD', targeting_values: '!?' }, [['INVALID_PARAMETER', 'targeting_values']]],
    [{ suggestion_type: 'KEYWORD', targeting_values: 'x'.repeat(81) }, [['INVALID_PARAMETER', 'targeting_values']]],
    [{ suggestion_type: 'USER_ID', targeting_values: '999999999999999' }, [['INVALID_PARAMETER', 'targeting_values']]],
    [{ suggestion_type: 'USER_ID', targeting_values: '9'.repeat(30) }, [['INVALID_PARAMETER', 'targeting_values']]],
  ])('refuse %j', async (query, errors) => {
    expect(refusal(await ask(query))).toEqual({ status: 400, errors });
  });

  it('refuse more than fifty', async () => {
    const values = Array.from({ length: 51 }, (_, n) => `word${n}`).join(',');
    const answer = await ask({ suggestion_type: 'KEYWORD', targeting_values: values });
    expect(refusal(answer)).toEqual({ status: 400, errors: [['INVALID_PARAMETER', 'targeting_values']] });
    await suggested({ suggestion_type: 'KEYWORD', targeting_values: values.replace(',word50', '') });
  });

  it('are for whoever sees campaigns of the account', async () => {
    const query = { suggestion_type: 'KEYWORD', targeting_values: 'tea' };
    const analyst = await given.member(advertiser.account, 'ANALYST');
    expect((await analyst.api.get(path(), { query })).status).toBe(403);
    const viewer = await given.member(advertiser.account, 'CAMPAIGN_ANALYST');
    expect((await viewer.api.get(path(), { query })).status).toBe(200);
    const stranger = await given.advertiser();
    expect((await stranger.api.get(path(), { query })).status).toBe(404);
    expect((await anonymously('GET', path())).status).toBe(401);
  });
});
