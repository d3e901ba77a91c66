/** The limit of every route that says nothing else, in bytes. */
const LIMIT = 1024 * 1024;
/** That of uploads of users. */
const UPLOAD_LIMIT = 5_000_000;
export const JSON_TYPE = 'application/json';
export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The ids of the demo, by purpose. */
export type DemoIds = Record<string, string>;

/** A body at the size limit that is made to keep a process busy. */
export interface HostileBody {
  name: string;
  /** Its media type; none is sent where it is left out. */
  type?: string;
  /** Where it is sent, below /12; to the campaigns unless said otherwise. */
  path?: (ids: DemoIds) => string;
  /** Signed it is right, and answered 200. */
  valid?: boolean;
  make(ids: DemoIds): string | Buffer;
}

type Piece = string | ((i: number) => string);

interface Around {
  begin?: string;
  end?: string;
  separator?: string;
  /** In bytes. */
  size?: number;
  /** How many pieces at most. */
  max?: number;
}

/** As many of `piece(0)`, `piece(1)`, ... as fit between `begin` and `end`. */
function filled(piece: Piece, { begin = '', end = '', separator = '', size = LIMIT, max = Infinity }: Around = {}) {
  const make = typeof piece === 'function' ? piece : () => piece;
  const pieces: string[] = [];
  let left = size - begin.length - end.length;
  for (let i = 0; i < max; i++) {
    const next = (i > 0 ? separator : '') + make(i);
    left -= Buffer.byteLength(next);
    if (left < 0) break;
    pieces.push(next);
  }
  return `${begin}${pieces.join('')}${end}`;
}
const list = (piece: Piece, around: Around = {}) => filled(piece, { begin: '[', end: ']', separator: ',', ...around });
const object = (piece: Piece) => filled(piece, { begin: '{', end: '}', separator: ',' });
const nested = (open: string, close: string, inner = '1') => {
  const levels = Math.floor((LIMIT - inner.length) / (open.length + close.length));
  return open.repeat(levels) + inner + close.repeat(levels);
};
/** One operation with a parameter that is as long as the body may be. */
const operation = (name: string, value: string, type = 'Create') =>
  `[{"operation_type":"${type}","params":{"${name}":${value}}}]`;
const text = (piece: Piece) => filled(piece, { begin: '"', end: '"', size: LIMIT - 200 });
/** 40 operations that share the size among them. */
const operations = (make: (i: number, bytes: number) => string) =>
  `[${Array.from({ length: 40 }, (_, i) => make(i, Math.floor(LIMIT / 40) - 200)).join(',')}]`;
const form = (piece: Piece, max?: number) => filled(piece, { separator: '&', max });
const fields = 5_000;
const share = Math.floor(LIMIT / fields);

const json = (name: string, make: HostileBody['make']): HostileBody => ({
  name: `JSON: ${name}`,
  type: JSON_TYPE,
  make,
});
const posted = (name: string, make: HostileBody['make']): HostileBody => ({
  name: `form: ${name}`,
  type: FORM_TYPE,
  make,
});

/** The hash of a made-up address. */
const hashOf = (n: number) => n.toString(16).padStart(64, '0');
const userOf = (n: number) => `{"email":["${hashOf(n)}"]}`;
const personOf = (n: number, identifiers: number) =>
  `{"email":[${Array.from({ length: identifiers }, (_, i) => `"${hashOf(n * identifiers + i)}"`).join(',')}]}`;
const usersOperation = (piece: Piece, { name = 'users', type = 'Update', max }: UsersOperation = {}) =>
  filled(piece, {
    begin: `[{"operation_type":"${type}","params":{"${name}":[`,
    end: ']}}]',
    separator: ',',
    size: UPLOAD_LIMIT,
    max,
  });
interface UsersOperation {
  name?: string;
  type?: 'Update' | 'Delete';
  max?: number;
}
const usersOperations = (userAt: (n: number) => string, each = 24) =>
  list(
    (i) =>
      `{"operation_type":"Update","params":{"users":[${Array.from({ length: each }, (_, n) => userAt(i * each + n)).join(',')}]}}`,
    { size: UPLOAD_LIMIT, max: 2_500 },
  );
const uploaded = (name: string, make: HostileBody['make'], valid = true): HostileBody => ({
  ...json(`users of an audience: ${name}`, make),
  path: (ids) => `accounts/${ids.account_id}/custom_audiences/${ids.custom_audience_id}/users`,
  valid,
});
const unreached = (name: string, make: HostileBody['make']): HostileBody => ({
  ...json(`users of a do-not-reach list: ${name}`, make),
  path: (ids) =>
    `batch/accounts/${ids.account_id}/do_not_reach_lists/${ids['uploadDoNotReachListUser.do_not_reach_list_id']}/users`,
  valid: true,
});
/** A line item with texts and categories that are as long and as many as they may be. */
const lineItem = (campaignId: string) =>
  JSON.stringify({
    operation_type: 'Create',
    params: {
      campaign_id: campaignId,
      objective: 'ENGAGEMENTS',
      product_type: 'PROMOTED_POSTS',
      placements: ['ALL_ON_PLATFORM'],
      start_time: '2026-10-01T00:00:00Z',
      end_time: '2036-10-31T00:00:00Z',
      name: '😀'.repeat(255),
      advertiser_domain: `${'a.'.repeat(120)}example`,
      primary_web_event_tag: 'ü'.repeat(255),
      bid_amount_local_micro: 1_500_000,
      entity_status: 'PAUSED',
      categories: Array.from({ length: 500 }, (_, i) => `IAB${10 + (i % 50)}-${10 + Math.floor(i / 50)}`),
    },
  });

export const HOSTILE_BODIES: HostileBody[] = [
  json('empty arrays', () => list('[]')),
  json('empty objects', () => list('{}')),
  json('one-digit numbers', () => list('1')),
  json('numbers with large exponents', () => list((i) => `1.7976931348623157e${i % 300}`)),
  json('numbers of 40 digits', () => list((i) => `0.${String(i).padStart(38, '9')}`)),
  json('one number of a megabyte', () => filled('1')),
  json('an exponent of a megabyte', () => filled('1', { begin: '1e' })),
  json('literals', () => list('null')),
  json('one-letter texts', () => list('"a"')),
  json('different short texts', () => list((i) => `"${i.toString(36)}"`)),
  json('texts that look like indexes', () => list((i) => `"${i * 131_072}"`)),
  json('empty texts', () => list('""')),
  json('different names', () => object((i) => `"k${i.toString(36)}":1`)),
  json('names that are indexes', () => object((i) => `"${i}":1`)),
  json('names that are far indexes', () => object((i) => `"${4_000_000_000 - i * 4_099}":1`)),
  json('names that would share a hash', () => object((i) => `"${4_294_967_296 + i * 16_777_216}":1`)),
  json('one name again and again', () => object('"a":1')),
  json('few names again and again', () => object((i) => `"a${i % 2_000}":1`)),
  json('objects, each with a name of its own', () => list((i) => `{"k${i.toString(36)}":1}`)),
  json('objects with names in every order', () => list((i) => `{"k${i % 1_000}":1,"j${(i * 7_919) % 997}":2}`)),
  json('objects with one index', () => list('{"1000":1}')),
  json('objects with one far index', () => list('{"4000000000":1}')),
  json('long names', () => object((i) => `"${'n'.repeat(1_000)}${i}":1`)),
  json('names full of escapes', () => object((i) => `"\\u0061${'\\u006e'.repeat(20)}${i}":1`)),
  json('__proto__ again and again', () => object('"__proto__":{}')),
  json('constructor and prototype', () => list('{"constructor":{"prototype":{"a":1}}}')),
  json('deep arrays', () => nested('[', ']')),
  json('deep objects', () => nested('{"a":', '}')),
  json('deep arrays that never close', () => '['.repeat(LIMIT)),
  json('arrays of 19 levels', () => list('[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]')),
  json('closing brackets', () => ']'.repeat(LIMIT)),
  json('commas', () => ','.repeat(LIMIT)),
  json('colons', () => `{${':'.repeat(LIMIT - 1)}`),
  json('quotes', () => '"'.repeat(LIMIT)),
  json('backslashes', () => `"${'\\'.repeat(LIMIT - 1)}`),
  json('white space', () => ' '.repeat(LIMIT)),
  json('white space around nothing', () => `[${' '.repeat(LIMIT - 2)}]`),
  json('zero bytes', () => Buffer.alloc(LIMIT)),
  json('bytes that are no UTF-8', () => Buffer.alloc(LIMIT, 0xff)),
  json('a text that is no UTF-8', () =>
    Buffer.concat([Buffer.from('["'), Buffer.alloc(LIMIT - 4, 0xff), Buffer.from('"]')]),
  ),
  json('empty arrays and a fault at the end', () => list('[]', { end: '}' })),
  json('half a body', () => list('{"a":[1,2,3]}', { end: '' })),
  json('a text of a megabyte', () => text('a')),
  json('operations without anything', () => list('{"operation_type":"Create"}')),
  json('operations of no known type', () => operations((_, bytes) => `{"operation_type":"${'x'.repeat(bytes)}"}`)),
  json('operations that are texts', () => operations((_, bytes) => `"${'x'.repeat(bytes)}"`)),
  json('operations that are lists of numbers', () => operations(() => list('1', { size: 2_000 }))),
  json('an operation with a long id', () => operation('funding_instrument_id', text('a'))),
  json('an update of a long id', () => operation('campaign_id', text('a'), 'Update')),
  json('40 updates of long ids', () =>
    operations((i, bytes) => `{"operation_type":"Update","params":{"campaign_id":"${i}${'a'.repeat(bytes)}"}}`),
  ),
  json('a name of a megabyte', () => operation('name', text('n'))),
  json('a name of escapes', () => operation('name', text('\\u0041'))),
  json('a name of control characters', () => operation('name', text('\\u0001'))),
  json('a name of line breaks', () => operation('name', text('\\n'))),
  json('a name of umlauts', () => operation('name', text('ü'))),
  json('a name of emoji', () => operation('name', text('😀'))),
  json('a name of half surrogates', () => operation('name', text('\\ud800'))),
  json('40 names of emoji', () =>
    operations((_, bytes) => `{"operation_type":"Create","params":{"name":"${'😀'.repeat(bytes >> 2)}"}}`),
  ),
  json('a name that is a list', () => operation('name', list('1', { size: 90_000 }))),
  json('a name that is a list of texts', () => operation('name', list('"abcdefghijklmnop"', { size: LIMIT - 200 }))),
  json('a number of a megabyte of digits', () => operation('daily_budget_amount_local_micro', text('1'))),
  json('a status of a megabyte', () => operation('entity_status', text('A'))),
  json('a flag that is a list', () => operation('standard_delivery', list('[1]', { size: 90_000 }))),
  json('commas in every parameter', () => operation('start_time', text(','))),
  posted('plus signs', () => '+'.repeat(LIMIT)),
  posted('percent signs', () => '%'.repeat(LIMIT)),
  posted('escapes', () => filled('%41', { begin: 'name=' })),
  posted('escapes that are no UTF-8', () => filled('%ff', { begin: 'name=' })),
  posted('escapes of emoji', () => filled('%F0%9F%98%80', { begin: 'name=' })),
  posted('broken escapes', () => filled('%f', { begin: 'name=' })),
  posted('exclamation marks', () => filled('!', { begin: 'name=' })),
  posted('apostrophes in every name', () => form((i) => `${"'".repeat(share - 8)}${i}`, fields)),
  posted('raw emoji', () => filled('😀', { begin: 'name=' })),
  posted('raw bytes that are no UTF-8', () => Buffer.concat([Buffer.from('name='), Buffer.alloc(LIMIT - 5, 0xfe)])),
  posted('half surrogates', () => filled('%ED%A0%80', { begin: 'name=' })),
  posted('ampersands', () => '&'.repeat(LIMIT)),
  posted('equal signs', () => '='.repeat(LIMIT)),
  posted('one-letter parameters', () => form('a')),
  posted('5,000 parameters with different names', () => form((i) => `p${i}=${'v'.repeat(share - 10)}`, fields)),
  posted('5,000 parameters that differ at their end', () => form((i) => `${'p'.repeat(share - 8)}${i}`, fields)),
  posted('5,000 parameters with one name', () => form((i) => `name=${i}${'v'.repeat(share - 15)}`, fields)),
  posted('5,000 escaped parameters', () => form((i) => `${'%21'.repeat(Math.floor(share / 3) - 3)}${i}`, fields)),
  posted('5,000 parameters that are indexes', () => form((i) => `${4_000_000_000 - i * 4_099}=1`, fields)),
  posted('5,000 parameters that would share a hash', () => form((i) => `${4_294_967_296 + i * 16_777_216}=1`, fields)),
  posted('5,000 protocol parameters', () => form((i) => `oauth_${i}=${'v'.repeat(share - 20)}`, fields)),
  posted('__proto__', () => form('__proto__=1', fields)),
  posted('an id of a megabyte', () => filled('a', { begin: 'funding_instrument_id=' })),
  posted('a list of a megabyte', () => filled('a,', { begin: 'campaign_ids=' })),
  posted('commas in every parameter', () => form(() => `start_time=${','.repeat(share - 12)}`, fields)),
  posted('a number of a megabyte', () => filled('9', { begin: 'daily_budget_amount_local_micro=' })),
  posted('a time of spaces', () => filled('+', { begin: 'start_time=2026-01-01T00:00:00' })),
  posted('zero bytes', () => Buffer.alloc(LIMIT)),
  { name: 'bytes without a type', make: () => Buffer.alloc(LIMIT, 1) },
  { name: 'a media type of 10 KB', type: `application/${'x'.repeat(10_000)}`, make: () => Buffer.alloc(LIMIT, 1) },
  {
    name: 'multipart with empty parts',
    type: 'multipart/form-data; boundary=b',
    make: () => filled('--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n', { end: '--b--\r\n' }),
  },
];

/** The largest bodies of endpoints that store much at once. */
export const LARGE_BATCHES: HostileBody[] = [
  {
    ...json('40 line items of the largest size', ({ campaign_id: id }) => operations(() => lineItem(id))),
    path: ({ account_id }) => `batch/accounts/${account_id}/line_items`,
  },
  uploaded('700 people of 100 identifiers', () => usersOperation((n) => personOf(n, 100), { max: 700 })),
  uploaded('as many of one identifier as fit in one operation', () => usersOperation(userOf)),
  uploaded('2,500 operations', () => usersOperations(userOf)),
  uploaded('2,500 operations of people of two identifiers', () => usersOperations((n) => personOf(n, 2), 13)),
  uploaded('one person again and again', () => usersOperation(userOf(1))),
  uploaded('ids that the service hashes', () => usersOperation((n) => `{"partner_user_id":["${n}"]}`, { max: 80_000 })),
  uploaded('hashes that are none', () => usersOperation((n) => `{"email":["${hashOf(n).slice(1)}"]}`), false),
  uploaded('people who leave it', () => usersOperation(userOf, { type: 'Delete' })),
  unreached('700 people of 100 identifiers', () => usersOperation((n) => personOf(n, 100), { max: 700 })),
  unreached('as many of one identifier as fit in one operation', () => usersOperation(userOf)),
  unreached('as many addresses as fit', () => usersOperation((n) => `"${hashOf(n)}"`, { name: 'emails' })),
  unreached('2,500 operations', () => usersOperations(userOf)),
];
