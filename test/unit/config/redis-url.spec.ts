import { maskedRedisUrl, parseRedisUrl, RedisUrlError } from '../../../src/config/redis-url.js';

const refusalOf = (text: string): string => {
  try {
    parseRedisUrl(text);
    return '';
  } catch (error) {
    if (error instanceof RedisUrlError) return error.message;
    throw error;
  }
};

describe('the URL of Redis', () => {
  it.each(['redis://r', 'rediss://:hunter2@r:6380/1?family=6', 'unix:/run/redis.sock', 'unix:///run/redis.sock'])(
    'is left to the client for one server: %s',
    (url) => {
      expect(parseRedisUrl(url)).toEqual({ kind: 'single', url });
    },
  );

  it('names sentinels, the primary, a database, and logins for both', () => {
    const url =
      'rediss+sentinel://me:hunter%402@a:1,b,[::1]:3/my.master-1/2?sentinel_username=you&sentinel_password=hunter%263';
    expect(parseRedisUrl(url)).toEqual({
      kind: 'sentinel',
      tls: true,
      username: 'me',
      password: 'hunter@2',
      sentinels: [
        { host: 'a', port: 1 },
        { host: 'b', port: 26379 },
        { host: '::1', port: 3 },
      ],
      master: 'my.master-1',
      db: 2,
      sentinelLogin: { username: 'you', password: 'hunter&3' },
    });
    expect(parseRedisUrl('redis+sentinel://a/m')).toEqual({
      kind: 'sentinel',
      tls: false,
      sentinels: [{ host: 'a', port: 26379 }],
      master: 'm',
      db: 0,
      sentinelLogin: {},
    });
  });

  it('names nodes of a cluster', () => {
    expect(parseRedisUrl('rediss+cluster://:hunter2@a:1,b,10.0.0.3:7/')).toEqual({
      kind: 'cluster',
      tls: true,
      password: 'hunter2',
      nodes: [
        { host: 'a', port: 1 },
        { host: 'b', port: 6379 },
        { host: '10.0.0.3', port: 7 },
      ],
    });
    expect(parseRedisUrl('redis+cluster://a/0')).toMatchObject({ kind: 'cluster', tls: false });
  });

  it.each([
    ['hunter2', 'must be a URL that begins with redis:// or'],
    ['http://redis', 'must be a URL that begins with redis:// or'],
    ['redis://:hunter2@n1:6379,n2:6379/0', 'lists several hosts, which only sentinels and clusters can have'],
    ['n1:6379,n2:6379', 'lists several hosts, which only sentinels and clusters can have'],
    ['redis-sentinel://s1:26379,s2:26379/mymaster', 'must name sentinels as in redis+sentinel://'],
    ['redis-cluster://:hunter2@n1', 'must name the nodes of a cluster as in redis+cluster://'],
    ['redis+sentinel:s1/mymaster', 'is not a URL such as redis+sentinel://'],
    ['redis+sentinel://s1/mymaster#hunter2', 'is not a URL such as redis+sentinel://'],
    ['redis+sentinel://s1,s2', 'must end in the name that the sentinels give the primary'],
    ['redis+sentinel://s1,s2/', 'must end in the name that the sentinels give the primary'],
    ['redis+sentinel://s1/my%20master', 'has a name of the primary with other characters'],
    ['redis+sentinel://s1/hunter2:x', 'has a name of the primary with other characters'],
    ['redis+sentinel://s1/m/one', 'must have only the number of a database after'],
    ['redis+sentinel://s1/m/1/2', 'must have only the number of a database after'],
    [
      'redis+sentinel://s1/m?role=slave',
      'has an unknown option after its question mark; allowed are sentinel_username',
    ],
    ['redis+sentinel://s1/m?hunter2', 'has an unknown option after its question mark; allowed are sentinel_username'],
    ['redis+sentinel://s1/m?sentinel_password=a&sentinel_password=b', 'has the same option twice'],
    ['redis+sentinel://s1/m?sentinel_username=me', 'has a sentinel_username without a sentinel_password'],
    ['redis+cluster://n1?sentinel_password=hunter2', 'has an unknown option after its question mark; this kind'],
    ['redis+cluster://n1/1', 'must have no path, because a Redis Cluster has only database 0'],
    ['redis+cluster://n1/0/mymaster', 'must have no path'],
    ['redis+cluster://', 'host 1 of its list is empty'],
    ['redis+cluster://:hunter2@n1,,n3', 'host 2 of its list is empty'],
    ['redis+cluster://n1,n2:0', 'the port of host 2 of its list is not a whole number'],
    ['redis+cluster://n1,n2:65536', 'the port of host 2 of its list is not a whole number'],
    ['redis+cluster://n1:redis', 'the port of host 1 of its list is not a whole number'],
    ['redis+cluster://n1, n 2', 'host 2 of its list is not a host name'],
    ['redis+cluster://[::1', 'the port of host 1 of its list is not a whole number'],
    ['redis+cluster://hunter2@n1', 'has a user without a password; write :password@'],
    ['redis+cluster://me:@n1', 'has a user without a password'],
    ['redis+cluster://:hun@ter2@n1', 'has two @ before its hosts; percent-encode'],
    ['redis+cluster://:hunter2%@n1', 'has a % that does not begin a percent-encoded character'],
    ['redis+cluster://:hun/ter2@n1', 'host 1 of its list is empty'],
  ])('is refused in one sentence without its secrets: %s', (url, why) => {
    const refusal = refusalOf(url);
    expect(refusal).toContain(why);
    expect(refusal).not.toMatch(/hunter|ter2|\n/);
  });

  it.each([
    ['redis://:hunter2@r:6379/0', 'redis://:***@r:6379/0'],
    ['redis://r', 'redis://r'],
    ['redis+cluster://me:hun,ter2@n1,n2:1', 'redis+cluster://me:***@n1,n2:1'],
    ['redis+sentinel://s1/m', 'redis+sentinel://s1/m'],
    [
      'rediss+sentinel://:hunter2@s1,s2/m/1?sentinel_username=me&sentinel_password=hunter3',
      'rediss+sentinel://:***@s1,s2/m/1?sentinel_username=me&sentinel_password=***',
    ],
  ])('is shown without passwords: %s', (url, shown) => {
    expect(maskedRedisUrl(url)).toBe(shown);
  });
});
