import {
  callback,
  choice,
  someOf,
  startOfDateArgument,
  textArgument,
  timezone,
  username,
  wholeNumber,
} from '../../../src/cli/parsing.js';

describe('arguments', () => {
  it('takes words whatever their case, and says which are allowed', () => {
    expect(choice(['FULL', 'RETWEETS_ONLY'])('full')).toBe('FULL');
    expect(() => choice(['FULL', 'RETWEETS_ONLY'])('half')).toThrow('Allowed values: FULL, RETWEETS_ONLY.');
  });

  it('takes several words, with commas or one after the other', () => {
    const parse = someOf(['A', 'B', 'C']);
    expect(parse('c', parse('a, b,'))).toEqual(['A', 'B', 'C']);
    expect(() => parse('a,x')).toThrow('Allowed values: A, B, C.');
  });

  it.each(['0', '8001', '-1', '1.5', '1e3', '', ' 5', '5x'])('refuses "%s" as a limit', (given) => {
    expect(() => wholeNumber(1, 8000)(given)).toThrow('from 1 to 8000');
  });

  it('takes the ends of a range', () => {
    expect([wholeNumber(1, 8000)('1'), wholeNumber(1, 8000)('8000')]).toEqual([1, 8000]);
  });

  it.each(['alice', 'A_1', 'marquee_friend'])('takes the username %s', (given) => expect(username(given)).toBe(given));

  it.each(['', '123', 'a b', 'ä', 'a-b', 'a'.repeat(31)])('refuses the username "%s"', (given) =>
    expect(() => username(given)).toThrow('1 to 30'),
  );

  it('trims names and refuses empty ones', () => {
    expect(textArgument()(' Acme ')).toBe('Acme');
    expect(() => textArgument()('  ')).toThrow('1 to 255');
  });

  it.each([
    ['europe/berlin', 'Europe/Berlin'],
    ['UTC', 'UTC'],
    ['Asia/Calcutta', 'Asia/Calcutta'],
  ])('takes the zone %s as %s', (given, zone) => expect(timezone(given)).toBe(zone));

  it.each(['+01:00', 'Mars/Base', ''])('refuses the zone "%s"', (given) =>
    expect(() => timezone(given)).toThrow('zone'),
  );

  it('takes callbacks of the web and of programs, ten at most', () => {
    expect(callback('myapp://done', callback('https://a.example/back'))).toEqual([
      'https://a.example/back',
      'myapp://done',
    ]);
    const ten = Array.from({ length: 10 }, (_, i) => `https://a.example/${i}`);
    expect(() => callback('https://a.example/', ten)).toThrow('at most 10 callbacks');
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'a.example/back',
    'https://a.example/?x=1',
    'https://a.example/#x',
  ])('refuses the callback %s', (given) => expect(() => callback(given)).toThrow());
});

describe('the start of the day', () => {
  it.each([
    ['2026-07-01T05:30:00Z', 'America/Los_Angeles', '2026-06-30T07:00:00.000Z'],
    ['2026-11-21T02:00:00Z', 'Europe/Berlin', '2026-11-20T23:00:00.000Z'],
    ['2026-11-21T02:00:00Z', 'Asia/Kathmandu', '2026-11-20T18:15:00.000Z'],
    // the clock goes back at midnight: the day has 25 hours
    ['2026-11-01T20:00:00Z', 'America/Havana', '2026-11-01T04:00:00.000Z'],
    // and forward: the day begins at one
    ['2026-03-08T20:00:00Z', 'America/Havana', '2026-03-08T05:00:00.000Z'],
  ])('at %s in %s was %s', (now, zone, start) => {
    expect(startOfDateArgument(new Date(now), zone).toISOString()).toBe(start);
  });
});
