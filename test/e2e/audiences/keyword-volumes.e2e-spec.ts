import fc from 'fast-check';
import { PostTermsService } from '../../../src/creatives/post-terms/post-terms.service.js';
import { PostPublication } from '../../../src/creatives/posts/post-publication.service.js';
import { useApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';

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
