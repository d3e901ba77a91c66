import fc from 'fast-check';
import { databasePlace, maskedDatabaseUrl, parseDatabaseUrl } from '../../../src/config/database-url.js';

const host = fc.oneof(
  fc.domain(),
  fc.ipV4(),
  fc.ipV6().map((address) => `[${address}]`),
);
const place = fc.tuple(host, fc.option(fc.integer({ min: 1, max: 65_535 })));
const places = fc.array(place, { minLength: 1, maxLength: 5 });
/** Texts that a URL may contain without encoding, with the separators of a list among them. */
const secret = fc.string({ unit: fc.constantFrom(...'abcXYZ019,:;!$&()*+=~-_.@'), minLength: 5, maxLength: 12 });
const target = fc.constantFrom(undefined, 'any', 'read-write');

const written = ([name, port]: [string, number | null]) => (port === null ? name : `${name}:${port}`);

describe('the URL of the database', () => {
  it('has one URL for each of its hosts, which differ in nothing else', () => {
    fc.assert(
      fc.property(places, secret, target, (list, password, asked) => {
        const query = asked === undefined ? '' : `?target_session_attrs=${asked}`;
        const before = `postgres://me:${encodeURIComponent(password)}@`;
        const { urls, target: found } = parseDatabaseUrl(`${before}${list.map(written).join(',')}/ads${query}`);
        expect(urls).toEqual(list.map((each) => `${before}${written(each)}/ads${query}`));
        expect(found).toBe(asked ?? 'read-write');
      }),
    );
  });

  it('is shown with all its hosts and without its password', () => {
    fc.assert(
      fc.property(places, secret, (list, password) => {
        fc.pre(!list.some((each) => written(each).includes(password)));
        const hosts = list.map(written).join(',');
        const shown = maskedDatabaseUrl(`postgres://me:${encodeURIComponent(password)}@${hosts}/ads`);
        if (list.length > 1) expect(shown).toBe(`postgres://me:***@${hosts}/ads`);
        expect(shown).toMatch(/^postgres:\/\/me:\*\*\*@/);
        expect(shown).not.toContain(password);
      }),
    );
  });

  it('is unchanged with one host, whatever it contains', () => {
    for (const url of ['postgres:///x?host=/run/postgresql', 'postgres://me:a,b@db/x', 'postgresql://db'])
      expect(parseDatabaseUrl(url).urls).toEqual([url]);
  });

  it('names the servers and the database for the log', () => {
    expect(databasePlace('postgres://me:hush@a,[::1]:6000/ads')).toBe('a:5432,[::1]:6000/ads');
    expect(databasePlace('postgres://db/ads')).toBe('db:5432/ads');
  });

  it.each([
    ['postgres://me:hunter2@a,,b/x', 'host 2 of its list is empty'],
    ['postgres://me:hunter2@,b/x', 'host 1 of its list is empty'],
    ['postgres://me:hunter2@a,/x', 'host 2 of its list is empty'],
    ['postgres://me:hunter2@a,:5432/x', 'host 2 of its list is empty'],
    ['postgres://me:hunter2@a:0,b/x', 'the port of host 1 of its list is not'],
    ['postgres://me:hunter2@a,b:65536/x', 'the port of host 2 of its list is not'],
    ['postgres://me:hunter2@a,b:x/x', 'the port of host 2 of its list is not'],
    ['postgres://me:hunter2,b@a, b/x', 'host 2 of its list is not a host name'],
    ['postgres://me:hunter2,more/x@a/x', 'the port of host 1 of its list is not'],
    ['postgres://me:hunter2/x@a/x', 'percent-encoded'],
    ['postgres://me:hunter2@a:70000/x', 'a port from 1 to 65535'],
    ['postgres://me:hunter2@a,b/x?target_session_attrs=hunter2', 'none of any, read-write'],
    ['postgres://me:hunter2@a/x?target_session_attrs=standby', 'none of any, read-write'],
    ['postgres:///x?host=a,b', 'a list in its parameter host'],
    ['mysql://me:hunter2@a,b/x', 'begins with postgres:// or postgresql://'],
    ['a:5432,b:5432', 'begins with postgres:// or postgresql://'],
  ])('is refused without its password: %s', (url, why) => {
    const refused = () => parseDatabaseUrl(url);
    expect(refused).toThrow(why);
    expect(refused).not.toThrow('hunter2');
  });
});
