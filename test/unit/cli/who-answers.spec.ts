import { isSuspicious, whoAnswers } from '../../../src/cli/request/who-answers.js';

const URL = 'http://localhost:3000/12/accounts?count=1';
const about = {
  name: 'marquee',
  version: '1.2.3',
  base_url: 'http://localhost:3000',
  ads_base_url: 'http://localhost:3000',
};
const asked = (answer: Response | Error) =>
  whoAnswers(URL, 'x.json', async (target) => {
    expect(target).toBe('http://localhost:3000/version');
    if (answer instanceof Error) throw answer;
    return answer;
  });

describe('who answers', () => {
  it.each<[string, Response | Error, RegExp]>([
    [
      'the service',
      Response.json(about),
      /^Marquee 1\.2\.3 answers at http:\/\/localhost:3000, so the credentials in x\.json belong/,
    ],
    [
      'one of another base URL',
      Response.json({ ...about, base_url: 'https://ads.example', ads_base_url: 'https://ads.example' }),
      /its base URL is https:\/\/ads\.example/,
    ],
    [
      'an older one',
      Response.json({ name: 'marquee', version: '0.1.0' }),
      /^Marquee 0\.1\.0 answers .* credentials in x\.json/,
    ],
    ['one that starts', Response.json({ errors: [] }, { status: 503 }), /is not ready; try again/],
    ['another program', Response.json({ name: 'vite' }), /^The program at http:\/\/localhost:3000 is not Marquee/],
    ['a page', new Response('<html>'), /is not Marquee.*correct the base URLs in x\.json/],
    ['nobody any more', new Error('fetch failed'), /does not identify itself/],
  ])('is %s', async (_, answer, words) => expect(await asked(answer)).toMatch(words));

  it('is asked after a 401, and after what does not look like us', () => {
    const headers = { 'x-request-id': 'a', 'x-response-time': '1' };
    expect(isSuspicious(new Response('', { status: 401, headers }))).toBe(true);
    expect(isSuspicious(new Response('', { status: 200 }))).toBe(true);
    expect(isSuspicious(new Response('', { status: 404, headers }))).toBe(false);
  });
});
