import { conversionOfEvent } from '../../../src/measurement/pixel/pixel-event.rules.js';

describe('an event of a browser', () => {
  const arrival = { at: 1_790_000_000_000, address: '192.0.2.1', agent: 'Mozilla/5.0' };
  const visitor = { ip_address: '192.0.2.1', user_agent: 'Mozilla/5.0' };

  it('is a conversion of who sent it, when it arrived', () => {
    const given = { event_id: 'tw-1-2', twclid: 'abc', contents: '[{"content_id":7}]', unheard_of: '1' };
    expect(conversionOfEvent(given, arrival)).toEqual({
      event_id: 'tw-1-2',
      conversion_timestamp: arrival.at,
      identifiers: [{ twclid: 'abc' }, visitor],
      contents: [{ content_id: 7 }],
    });
  });

  it('keeps contents that are no JSON as they are, and 2,048 characters of an agent', () => {
    expect(conversionOfEvent({ contents: '[' }, { ...arrival, agent: 'x'.repeat(3_000) })).toEqual({
      conversion_timestamp: arrival.at,
      identifiers: [{ ...visitor, user_agent: 'x'.repeat(2_048) }],
      contents: '[',
    });
  });
});
