import { PreviewLinks } from '../../../src/creatives/post-previews/preview-links.js';
import { useApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import { send } from '../../support/http.js';
import { draft } from './previewed.js';

useApp({ RATE_LIMITS: 'faithful', RATE_LIMIT_PREVIEWS: '3/900', RATE_LIMIT_PAGES: '1/900', TRUST_PROXY: '127.0.0.1' });

describe('previews', () => {
  it('are counted per address, apart from other pages, and say in their frame how long to wait', async () => {
    const { account } = await given.advertiser();
    const { id } = await draft(account);
    const link = world().get(PreviewLinks).to({ accountId: account.id, postType: 'DRAFT', postId: id });
    const open = (address: string) =>
      send(world().direct, new URL(link).pathname, { method: 'GET', headers: { 'x-forwarded-for': address } });
    for (const left of ['2', '1', '0'])
      expect(await open('10.9.0.1')).toMatchObject({ status: 200, headers: { 'x-rate-limit-remaining': left } });
    const { status, headers, text } = await open('10.9.0.1');
    expect([status, headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
    expect(text).toMatch(/Please try again in \d+ seconds\./);
    expect(headers['content-security-policy']).not.toContain('frame-ancestors');
    expect(headers['retry-after']).toMatch(/^\d+$/);
    expect((await open('10.9.0.2')).status).toBe(200);
  });
});
