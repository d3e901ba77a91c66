import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { Resources } from '../../../src/accounts/resources/resources.service.js';
import { KeywordInsightsView } from '../../../src/audiences/keyword-insights/keyword-insights.presenter.js';
import { VOCABULARY } from '../../../src/audiences/keyword-insights/word-lists.js';
import { DirectoryImportService } from '../../../src/audiences/directory/directory-import.service.js';
import { locationOf } from '../../../src/audiences/locations/countries.js';
import { PostTermsService } from '../../../src/creatives/post-terms/post-terms.service.js';
import { POSTS } from '../../../src/creatives/entities/post.entity.js';
import { PostPublication } from '../../../src/creatives/posts/post-publication.service.js';
import { ScheduledPostsJob } from '../../../src/creatives/scheduled-posts/scheduled-posts.job.js';
import type { Json } from '../../support/http.js';
import type { Params } from '../../support/api.js';
import { useApp, useSharedApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';
import { unlike } from '../../support/list-conventions.js';
import { refusal } from '../creatives/refusal.js';

describe('keyword insights', () => {
  useSharedApp();

  const PATH = '/12/insights/keywords/search';
  const HOUR = 3_600_000;
  const DAY = 24 * HOUR;

  let advertiser: Advertiser;
  /** A word that nobody else says: the posts of one test are nothing to the next. */
  let word: string;
  let words = 0;
  /** The beginning of a whole day, two days ago. */
  let monday: number;

  beforeEach(async () => {
    advertiser = await given.advertiser();
    word = `zorp${++words}`;
    monday = Math.floor(world().clock.now().getTime() / DAY) * DAY - 2 * DAY;
  });

  const iso = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
  const said = (text: string, at: number, authorId = advertiser.user.id) =>
    world()
      .get(PostPublication)
      .fromPlatform([{ authorId, text, at: new Date(at) }]);
  const ask = (params: Params = {}, by = advertiser) =>
    by.api.get(PATH, {
      query: {
        keywords: word,
        granularity: 'DAY',
        start_time: iso(monday),
        end_time: iso(monday + DAY),
        ...params,
      },
    });
  const found = async (params: Params = {}): Promise<Json> => {
    const { status, body } = await ask(params);
    expect({ status, errors: body.errors }).toEqual({ status: 200 });
    return body.data;
  };
  const volume = async (params: Params = {}): Promise<number[]> => (await found(params)).post_volume;

  describe('keyword insights', () => {
    it('answer volumes and thirty related keywords, and echo what was asked', async () => {
      await said(`Morning ${word} at the lighthouse`, monday + HOUR);
      const { status, body } = await ask({ keywords: `${word}, harbour` });
      expect(status).toBe(200);
      expect(unlike(KeywordInsightsView, body.data)).toEqual([]);
      expect(body).toEqual({
        request: {
          params: {
            keywords: [word, 'harbour'],
            granularity: 'DAY',
            start_time: iso(monday),
            end_time: iso(monday + DAY),
          },
        },
        data: { related_keywords: expect.any(Array), post_volume: [1] },
      });
      expect(new Set(body.data.related_keywords).size).toBe(30);
    });

    it('take a date alone, and lists as repeated keys', async () => {
      const { body } = await ask({
        start_time: iso(monday).slice(0, 10),
        keywords: [word, 'harbour'],
        location: locationOf('DE'),
      });
      expect(body.request.params).toMatchObject({
        start_time: iso(monday),
        keywords: [word, 'harbour'],
        location: locationOf('DE'),
      });
    });
  });

  describe('volumes', () => {
    it('have a number for each unit from the start on, the last of which may be shorter', async () => {
      const start = monday + 17 * 60_000;
      for (const at of [start - 1, start, start + HOUR - 1, start + HOUR, start + 2.5 * HOUR - 1, start + 2.5 * HOUR])
        await said(`${word} ${at}`, at);
      const asked = { start_time: iso(start), end_time: iso(start + 2.5 * HOUR) };
      expect(await volume({ ...asked, granularity: 'HOUR' })).toEqual([2, 1, 1]);
      expect(await volume({ ...asked, granularity: 'DAY' })).toEqual([4]);
      expect(
        await volume({ start_time: iso(monday - 5 * DAY), end_time: iso(monday + 2 * DAY), granularity: 'HOUR' }),
      ).toHaveLength(168);
    });

    it('count a post once, whichever of the keywords it says, and however often', async () => {
      await said(`${word} harbour ${word} and lighthouse${word}`, monday);
      await said(`the harbour${word}`, monday + 1);
      await said(`lighthouse${word}`, monday + 2);
      expect(await volume({ keywords: [word, `harbour${word}`] })).toEqual([2]);
      expect(await volume({ keywords: [word, `harbour${word}`, `lighthouse${word}`] })).toEqual([3]);
    });

    it('leave out what says a negative keyword', async () => {
      await said(`${word} tea`, monday);
      await said(`${word} #tea`, monday + 1);
      await said(`${word} green tea`, monday + 2);
      await said(`${word} coffee`, monday + 3);
      expect(await volume({ negative_keywords: 'tea' })).toEqual([1]);
      expect(await volume({ negative_keywords: '#tea' })).toEqual([3]);
      expect(await volume({ negative_keywords: ['green tea', 'coffee'] })).toEqual([2]);
      expect(await volume({ negative_keywords: word })).toEqual([0]);
    });

    it.each([
      [
        'a word, whatever its case and width',
        (w: string) => w.toUpperCase(),
        ['ＷＯＲＤ', 'Word!', '(word)'],
        ['words', 'sword', '@word', 'https://a.example/word'],
      ],
      ['a word by its hashtag, too', (w: string) => w, ['#word', 'a #WORD'], ['#words']],
      ['a hashtag by itself alone', (w: string) => `#${w}`, ['#word', '#Word.'], ['word', '#words']],
      [
        'a phrase of consecutive words',
        (w: string) => `${w} Brew`,
        ['cold word brew', 'Word-Brew', 'word #brew', '#word brew'],
        ['brew word', 'word of brew', 'word and brew word', 'word brews'],
      ],
      [
        'a phrase of three',
        (w: string) => `${w} ${w} brew`,
        ['word, word: brew'],
        ['word brew word', 'word brew brew'],
      ],
      [
        'a phrase with a hashtag',
        (w: string) => `${w} #brew`,
        ['word #brew'],
        ['word brew', '#brew word', 'word and #brew'],
      ],
      ['nothing across a link', (w: string) => `${w} brew`, ['word brew'], ['word https://a.example brew']],
    ])('find %s', async (_, keyword, like, unlike) => {
      for (const [i, text] of like.entries())
        await said(text.replaceAll(/word/gi, word).replaceAll('ＷＯＲＤ', wide(word)), monday + i);
      for (const [i, text] of unlike.entries()) await said(text.replaceAll(/word/gi, word), monday + 100 + i);
      expect(await volume({ keywords: keyword(word) })).toEqual([like.length]);
    });

    it('find words in scripts without spaces, and pictures', async () => {
      const user = (await given.client()).user.id;
      const before = await volume({ keywords: ['コーヒー'] });
      await said(`京都でコーヒーを ${word}`, monday, user);
      await said('ｺｰﾋｰ ☕️', monday + 1, user);
      expect(await volume({ keywords: ['コーヒー'] })).toEqual([before[0] + 2]);
      expect(await volume({ keywords: ['☕'] })).toEqual([1]);
      expect(await volume({ keywords: ['コーヒーを'] })).toEqual([1]);
    });

    it('take keywords that have something to do with SQL as what they are', async () => {
      await said(`${word} 100% of \\ it's "quoted" (a|b) [c]`, monday);
      for (const keywords of [`${word} 100%`, 'it\'s "quoted', 'quoted (a|b) [c]', "'; DROP TABLE posts; --"]) {
        const { status } = await ask({ keywords });
        expect(status).toBe(200);
      }
      expect(await volume({ keywords: `${word}% 100` })).toEqual([1]);
      expect(await volume({ keywords: 'quoted a|b [c' })).toEqual([1]);
      expect(await volume({ keywords: '.* .*a' })).toEqual(await volume({ keywords: 'a' }));
    });

    it('are those of all accounts and environments', async () => {
      const other = await given.advertiser({ environment: 'sandbox' });
      await given.post({ account: other.account, text: `${word} elsewhere` });
      expect(
        await volume({
          start_time: iso(world().clock.now().getTime() - HOUR),
          end_time: iso(world().clock.now().getTime() + HOUR),
        }),
      ).toEqual([1]);
    });
  });

  describe('posts are found', () => {
    const lately = () => ({ start_time: iso(world().clock.now().getTime() - HOUR), end_time: undefined });

    it('as soon as they are made', async () => {
      const { account, api, user } = advertiser;
      const made = await api.post(`/12/accounts/${account.id}/post`, {
        form: { as_user_id: user.id, text: `About ${word}` },
      });
      expect(made.status).toBe(201);
      expect(await volume(lately())).toEqual([1]);
    });

    it('once they are published, where they were scheduled', async () => {
      const { account } = advertiser;
      const minute = Math.ceil(world().clock.now().getTime() / 60_000) * 60_000 + 60_000;
      await given.scheduledPost({ account, text: `Soon ${word}`, scheduled_at: iso(minute) });
      expect(await volume(lately())).toEqual([0]);
      world().clock.set(new Date(minute + 1_000));
      await world().get(ScheduledPostsJob).publishDue();
      expect(await volume(lately())).toEqual([1]);
    });

    it('no more once they are deleted', async () => {
      const { account } = advertiser;
      const { id } = await given.post({ account, text: `About ${word}` });
      await given.post({ account, text: `Also about ${word}` });
      await world().get(Resources).delete(account, POSTS, id);
      expect(await volume(lately())).toEqual([1]);
      expect(await world().sql('SELECT "postId" FROM post_terms WHERE "postId" = $1', id)).toEqual([]);
    });

    it('by no one where a draft says it', async () => {
      await given.draftPost({ account: advertiser.account, text: `Draft of ${word}` });
      expect(await volume(lately())).toEqual([0]);
    });
  });

  describe('with a location', () => {
    it('only posts of authors of that country count', async () => {
      const [german, french, unknown] = await Promise.all([given.client(), given.client(), given.client()]);
      const directory = world().get(DirectoryImportService);
      const live = (country: string, { user }: { user: { username: string } }) =>
        directory.store([directory.read({ username: user.username, country })]);
      await live('DE', german);
      await live('FR', french);
      for (const [i, { user }] of [german, german, french, unknown].entries())
        await said(`${word} brew number ${i}`, monday + i, user.id);
      expect(await volume()).toEqual([4]);
      expect(await volume({ location: locationOf('DE') })).toEqual([2]);
      expect(await volume({ location: locationOf('FR'), keywords: `${word} brew` })).toEqual([1]);
      expect(await volume({ location: locationOf('DE'), negative_keywords: 'brew 0' })).toEqual([2]);
      expect(await volume({ location: locationOf('DE'), negative_keywords: '0' })).toEqual([1]);
      expect(await volume({ location: locationOf('JP') })).toEqual([0]);
      await live('JP', unknown);
      await live('AT', german);
      expect(await volume({ location: locationOf('JP') })).toEqual([1]);
      expect(await volume({ location: locationOf('DE') })).toEqual([0]);
    });

    it('every country of ISO 3166 has one, the same for good', () => {
      const lines = readFileSync('assets/countries.tsv', 'utf8').trim().split('\n').slice(1);
      expect(lines).toHaveLength(249);
      const all = lines.map((line) => locationOf(line.split('\t')[0]));
      expect(new Set(all).size).toBe(249);
      for (const each of all) expect(each).toMatch(/^[0-9a-f]{16}$/);
      expect([locationOf('US'), locationOf('DE')]).toEqual(['96683cc9126741d1', '6900329d162cb17c']);
    });
  });

  describe('related keywords', () => {
    it('are what is said with the input more often than elsewhere, without it, negatives and words that all say', async () => {
      for (let n = 0; n < 6; n++) {
        await said(`Such a ${word} with the marzipan${words} and cold brew #latte${words} ${n}`, monday + n);
        await said(`Such a rainy day with the umbrella${words} and cold feet ${n}`, monday + HOUR + n);
      }
      await said(`${word} sardines${words} tea`, monday + 100);
      const { related_keywords: related } = await found({ negative_keywords: ['tea', 'sardines'] });
      expect(related.slice(0, 3)).toEqual(expect.arrayContaining([`marzipan${words}`, `#latte${words}`]));
      expect(related).toEqual(expect.arrayContaining(['cold brew', 'brew', `marzipan${words}`, `#latte${words}`]));
      for (const never of [word, `#${word}`, 'such', 'with', 'tea', 'sardines', `umbrella${words}`, 'cold feet', '0'])
        expect(related).not.toContain(never);
      expect(related).toHaveLength(30);
    });

    it('do not repeat a phrase, its words, or its hashtag', async () => {
      await said(`${word} nitro barrel #${word} #nitro`, monday);
      const { related_keywords: related } = await found({ keywords: `${word} nitro` });
      expect(related).toEqual(expect.arrayContaining(['barrel', 'nitro barrel']));
      for (const never of [word, 'nitro', '#nitro', `#${word}`, `${word} nitro`]) expect(related).not.toContain(never);
    });

    it('are the vocabulary where nothing is said, but for the input', async () => {
      const { related_keywords: related } = await found({
        keywords: ['nobodysaysthis', 'music'],
        negative_keywords: ['Travel', '#art'],
      });
      const rest = VOCABULARY.filter((term) => !/\b(music|travel|art)\b/.test(term));
      expect(related).toEqual(rest.slice(0, 30));
    });

    it('are of the newest 1,000 posts', async () => {
      const at = (n: number) => new Date(monday + n * 1_000);
      const authors = await Promise.all([given.client(), given.client()]);
      const posts = (count: number, from: number, text: string) =>
        Array.from({ length: count }, (_, n) => ({
          authorId: authors[n % 2].user.id,
          text: `${text} ${n}`,
          at: at(from + n),
        }));
      await world()
        .get(PostPublication)
        .fromPlatform(posts(5, 0, `${word} oldest${words}`));
      await world()
        .get(PostPublication)
        .fromPlatform(posts(1_000, 10, `${word} newest${words}`));
      const { related_keywords: related, post_volume: volumes } = await found();
      expect(volumes).toEqual([1_005]);
      expect(related).toContain(`newest${words}`);
      expect(related).not.toContain(`oldest${words}`);
    }, 60_000);
  });

  describe('the end of the time', () => {
    it('is now where it was not sent, and echoed', async () => {
      world().clock.set(new Date(monday + 2 * DAY + 500));
      await said(`${word} just now`, monday + 2 * DAY + 400);
      const { body } = await ask({ start_time: iso(monday), end_time: undefined });
      expect(body.request.params.end_time).toBe(iso(monday + 2 * DAY));
      expect(body.data.post_volume).toEqual([0, 1]);
    });

    it('is seven days later where now is a moment more, for a request takes time', async () => {
      world().clock.set(new Date(monday + 7 * DAY + 60_000));
      const { body } = await ask({ start_time: iso(monday), end_time: undefined });
      expect(body.request.params.end_time).toBe(iso(monday + 7 * DAY));
      expect(body.data.post_volume).toHaveLength(7);
      world().clock.advance(1_000);
      expect(refusal(await ask({ start_time: iso(monday), end_time: undefined }))).toEqual({
        status: 400,
        errors: [['INVALID_TIME_WINDOW', 'end_time']],
      });
    });

    it.each([
      ['at the start', 0],
      ['before it', -HOUR],
      ['more than seven days later', 7 * DAY + 1_000],
    ])('is refused %s', async (_, after) => {
      expect(refusal(await ask({ end_time: iso(monday + after) }))).toEqual({
        status: 400,
        errors: [['INVALID_TIME_WINDOW', 'end_time']],
      });
    });

    it('may be exactly seven days later', async () => {
      expect(await volume({ end_time: iso(monday + 7 * DAY) })).toHaveLength(7);
    });

    it('that is missing is judged beside other mistakes', async () => {
      const start_time = iso(world().clock.now().getTime() + HOUR);
      expect(refusal(await ask({ start_time, end_time: undefined, granularity: 'WEEK' }))).toEqual({
        status: 400,
        errors: [
          ['INVALID_PARAMETER', 'granularity'],
          ['INVALID_TIME_WINDOW', 'end_time'],
        ],
      });
    });
  });

  describe('what is refused', () => {
    it.each<[string, Params, string, string]>([
      ['no keywords', { keywords: undefined }, 'MISSING_PARAMETER', 'keywords'],
      ['no granularity', { granularity: undefined }, 'MISSING_PARAMETER', 'granularity'],
      ['no start', { start_time: undefined }, 'MISSING_PARAMETER', 'start_time'],
      ['another granularity', { granularity: 'TOTAL' }, 'INVALID_PARAMETER', 'granularity'],
      ['a start that is no time', { start_time: 'monday' }, 'INVALID_PARAMETER', 'start_time'],
      ['an empty keyword', { keywords: 'a,,b' }, 'INVALID_PARAMETER', 'keywords'],
      ['a keyword without a word', { keywords: 'a,?!' }, 'INVALID_PARAMETER', 'keywords'],
      ['a link as a keyword', { keywords: 'https://example.com/' }, 'INVALID_PARAMETER', 'keywords'],
      ['a keyword longer than a post', { keywords: 'x'.repeat(281) }, 'INVALID_PARAMETER', 'keywords'],
      ['a negative keyword without a word', { negative_keywords: '#' }, 'INVALID_PARAMETER', 'negative_keywords'],
      ['eleven keywords', { keywords: 'a,b,c,d,e,f,g,h,i,j,k' }, 'INVALID_PARAMETER', 'keywords'],
      ['eleven together', { keywords: 'a,b,c,d,e,f', negative_keywords: 'g,h,i,j,k' }, 'INVALID_PARAMETER', 'keywords'],
      ['a location that is none', { location: 'US' }, 'INVALID_PARAMETER', 'location'],
      ['a location that is no country', { location: '0123456789abcdef' }, 'INVALID_PARAMETER', 'location'],
    ])('%s', async (_, params, code, parameter) => {
      expect(refusal(await ask(params))).toEqual({ status: 400, errors: [[code, parameter]] });
    });

    it('suggests the country that a location stands for', async () => {
      for (const location of ['US', 'usa', 'United States'])
        expect((await ask({ location })).body.errors[0].hint).toBe('The value of United States is 96683cc9126741d1.');
      expect((await ask({ location: 'California' })).body.errors[0].hint).toBeUndefined();
    });

    it('names everything at once, and what is allowed', async () => {
      const answer = await ask({ keywords: undefined, granularity: 'x', location: 'x', end_time: iso(monday) });
      expect(answer.body.errors.map(({ parameter }: Json) => parameter)).toEqual([
        'granularity',
        'keywords',
        'location',
        'end_time',
      ]);
      expect(answer.body.errors[0].message).toContain('DAY, HOUR');
    });

    it('ten together are not', async () => {
      expect((await ask({ keywords: 'a,b,c,d,e', negative_keywords: 'f,g,h,i,j' })).status).toBe(200);
    });
  });

  describe('who may ask', () => {
    it('is whoever reads campaigns on some account, and analysts', async () => {
      for (const role of ['ACCOUNT_ADMIN', 'CREATIVE_MANAGER', 'CAMPAIGN_ANALYST', 'ANALYST'] as const)
        expect((await ask({}, await given.advertiser({ role }))).status).toBe(200);
    });

    it('is not who has another role on all accounts', async () => {
      const partner = await given.member(advertiser.account, 'PARTNER_AUDIENCE_MANAGER');
      expect(await ask({}, partner)).toMatchObject({ status: 403, body: { errors: [{ code: 'ACTION_NOT_ALLOWED' }] } });
      await given.account({ userId: partner.user.id });
      expect((await ask({}, partner)).status).toBe(200);
    });

    it('has a window of their own', async () => {
      const { headers } = await ask();
      expect(headers['x-rate-limit-limit']).toBe(String(500 * 100));
      expect(headers['ratelimit-policy']).toBe('"keyword_insights";q=50000;w=900');
      expect(headers['x-account-rate-limit-limit']).toBeUndefined();
    });
  });

  /** The same letters and digits as they are in texts that are set in squares. */
  const wide = (text: string) => text.replaceAll(/[!-~]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0));
});

describe('keyword volumes', () => {
  useApp();

  const HOUR = 3_600_000;
  const WEEK = 7 * 24 * HOUR;
  const RUNS = 60;

  /** Each run has a month of its own, and so posts of its own. */
  let month = 0;

  const word = fc.constantFrom('cold', 'brew', 'Coffee', 'THE', 'コーヒー');
  const part = fc.oneof(
    { weight: 6, arbitrary: word },
    { weight: 2, arbitrary: word.map((each) => `#${each}`) },
    { weight: 1, arbitrary: fc.constant('https://coffee.example/cold') },
  );
  const text = fc.array(part, { minLength: 1, maxLength: 7 }).map((parts) => parts.join(' '));
  const keyword = fc
    .array(fc.oneof({ weight: 3, arbitrary: word }, { weight: 1, arbitrary: word.map((each) => `#${each}`) }), {
      minLength: 1,
      maxLength: 3,
    })
    .map((parts) => parts.join(' '));
  /** Moments that are likely to be at an edge of something. */
  const moment = (max: number) =>
    fc.oneof(
      fc.integer({ min: 0, max }),
      fc.integer({ min: 0, max: Math.floor(max / HOUR) }).map((hours) => hours * HOUR),
      fc.integer({ min: 1, max: Math.floor(max / HOUR) }).map((hours) => hours * HOUR - 1),
    );

  /** Whether a text says a keyword, as simply as it can be told. */
  function says(said: string, asked: string): boolean {
    const parts = said.toLowerCase().split(' ');
    const wanted = asked.toLowerCase().split(' ');
    const like = (one: string | undefined, other: string) =>
      one === other || (!other.startsWith('#') && one === `#${other}`);
    return parts.some((_, from) => wanted.every((each, i) => like(parts[from + i], each)));
  }

  describe('volumes', () => {
    it('are those that counting one by one gives', async () => {
      const authors = await Promise.all(Array.from({ length: 12 }, async () => (await given.client()).user.id));
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ text, after: moment(WEEK + 20 * HOUR) }), { maxLength: 30 }),
          fc.array(keyword, { minLength: 1, maxLength: 5 }),
          fc.array(keyword, { maxLength: 3 }),
          moment(10 * HOUR),
          moment(WEEK),
          fc.constantFrom(HOUR, 24 * HOUR),
          async (said, keywords, negatives, from, length, unitMs) => {
            fc.pre(length > 0);
            const begin = Date.UTC(2027, month++, 1);
            const start = begin + from;
            const end = start + length;
            const posts = [
              ...new Map(said.map((each, i) => [(i % authors.length) + each.text, { ...each, i }])).values(),
            ];
            await world()
              .get(PostPublication)
              .fromPlatform(
                posts.map(({ text, after, i }) => ({
                  authorId: authors[i % authors.length],
                  text,
                  at: new Date(begin + after),
                })),
              );
            const expected = Array.from<number>({ length: Math.ceil(length / unitMs) }).fill(0);
            const meant: { at: number; text: string }[] = [];
            for (const { text, after } of posts) {
              const at = begin + after;
              if (at < start || at >= end || !keywords.some((each) => says(text, each))) continue;
              if (negatives.some((each) => says(text, each))) continue;
              expected[Math.floor((at - start) / unitMs)] += 1;
              meant.push({ at, text });
            }
            const search = { keywords, negatives, start: new Date(start), end: new Date(end) };
            const terms = world().get(PostTermsService);
            expect(await terms.volumes(search, { unitMs, units: expected.length })).toEqual(expected);
            const newest = await terms.newest(search, 3);
            const times = meant.map(({ at }) => at).sort((a, b) => b - a);
            expect(newest).toHaveLength(Math.min(3, meant.length));
            for (const [i, each] of newest.entries())
              expect(meant.filter(({ at }) => at === times[i]).map((one) => one.text)).toContain(each);
          },
        ),
        // not shrunk: there are not as many months before ids end
        {
          numRuns: RUNS,
          endOnFailure: true,
          examples: [[[{ text: 'THE #THE', after: 0 }], ['THE THE'], [], 0, HOUR, HOUR]],
        },
      );
    }, 120_000);
  });
});
