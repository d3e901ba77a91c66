import type { RequestWithEvents } from '../../../src/workbench/journal/journaled-request.presenter.js';
import { presentRequestPage } from '../../../src/workbench/journal/requests-page.presenter.js';

describe('the page of a request', () => {
  const about = { truncated: false, bytes: 1, contentType: 'application/json' };
  const pageOf = (text: string, parameters = {}, events: RequestWithEvents['events'] = []) =>
    presentRequestPage({
      request: {
        id: '1',
        applicationId: '2',
        requestId: '3',
        createdAt: '2026-10-01 08:00:00.123+00',
        method: 'GET',
        path: '/12/accounts',
        status: 200,
        rejected: false,
        unmatched: false,
        durationMs: 1,
        accountId: null,
        userId: null,
        detail: '',
      },
      detail: {
        url: 'http://localhost/12/accounts',
        scheme: 'NONE',
        parameters,
        body: { text: null, truncated: false, bytes: null },
        contentType: null,
        userAgent: null,
        signature: null,
        response: { text, ...about },
        changeIds: [],
      },
      urlHere: 'http://localhost/12/accounts',
      events,
    });

  it('indents JSON, unless it is so deep that its white space would be larger than itself', () => {
    expect(pageOf('{"a":[1]}').response.text).toBe('{\n  "a": [\n    1\n  ]\n}');
    const deep = '['.repeat(8_000) + ']'.repeat(8_000);
    expect(pageOf(deep).response.text).toBe(deep);
    expect(pageOf('{"a":').response.text).toBe('{"a":');
  });

  it('shows a bounded number of parameters and events, and tells the number of the others', () => {
    const parameters = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`p${i}`, [i]]));
    const events = Array.from({ length: 60 }, (_, i) => ({ id: `${i}`, kind: 'campaign.create', deliveries: [] }));
    const page = pageOf('', parameters, events);
    expect([page.parameters.length, page.moreParameters]).toEqual([200, 50]);
    expect(page.parameters[7]).toEqual({ name: 'p7', value: '[7]' });
    expect([page.events.length, page.moreEvents]).toEqual([50, 10]);
  });
});
