/**
 * What bodies at the size limit do to the process: whatever they are made of, nobody else waits longer than 50 ms for
 * them, they are answered without a 5xx, and the memory that they took comes back.
 */
import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sign } from '../../dist/src/auth/oauth1/signature.js';
import { pairsOf } from '../../dist/src/common/http/form-encoding.js';
import { demoOf, PORT, startService, withFolder } from './service.mjs';

const LIMIT = 1024 * 1024;
const MOST_BLOCKED_MS = 50;
const MOST_LEFT_MIB = 100;
/** What blocks always is in every attempt; a pause that somebody else on the machine causes is not. */
const ATTEMPTS = 3;
const BURST = 64;
const ROUNDS = 5;
const SETTLING_MS = 60_000;
const PROBE = fileURLToPath(new URL('event-loop-probe.mjs', import.meta.url));

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** As many of `piece(0)`, `piece(1)`, ... as fit between `begin` and `end`. */
function filled(piece, { begin = '', end = '', separator = '', size = LIMIT, most = Infinity } = {}) {
  const make = typeof piece === 'function' ? piece : () => piece;
  const pieces = [];
  let left = size - begin.length - end.length;
  for (let i = 0; i < most; i++) {
    const next = (i > 0 ? separator : '') + make(i);
    left -= Buffer.byteLength(next);
    if (left < 0) break;
    pieces.push(next);
  }
  return `${begin}${pieces.join('')}${end}`;
}
const list = (piece, around = {}) => filled(piece, { begin: '[', end: ']', separator: ',', ...around });
const object = (piece) => filled(piece, { begin: '{', end: '}', separator: ',' });
const nested = (open, close, inner = '1') => {
  const levels = Math.floor((LIMIT - inner.length) / (open.length + close.length));
  return open.repeat(levels) + inner + close.repeat(levels);
};
/** One operation with a parameter that is as long as the body may be. */
const operation = (name, value, type = 'Create') => `[{"operation_type":"${type}","params":{"${name}":${value}}}]`;
const text = (piece) => filled(piece, { begin: '"', end: '"', size: LIMIT - 200 });
/** 40 operations that share the size among them. */
const operations = (make) =>
  `[${Array.from({ length: 40 }, (_, i) => make(i, Math.floor(LIMIT / 40) - 200)).join(',')}]`;
const form = (piece, most) => filled(piece, { separator: '&', most });
const fields = 5_000;
const share = Math.floor(LIMIT / fields);

const json = (name, make) => ({ name: `JSON: ${name}`, type: JSON_TYPE, make });
const posted = (name, make) => ({ name: `form: ${name}`, type: FORM_TYPE, make });

export const kinds = [
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
  json('operations of no known type', () => operations((i, left) => `{"operation_type":"${'x'.repeat(left)}"}`)),
  json('operations that are texts', () => operations((i, left) => `"${'x'.repeat(left)}"`)),
  json('operations that are lists of numbers', () => operations(() => list('1', { size: 2_000 }))),
  json('an operation with a long id', () => operation('funding_instrument_id', text('a'))),
  json('an update of a long id', () => operation('campaign_id', text('a'), 'Update')),
  json('40 updates of long ids', () =>
    operations((i, left) => `{"operation_type":"Update","params":{"campaign_id":"${i}${'a'.repeat(left)}"}}`),
  ),
  json('a name of a megabyte', () => operation('name', text('n'))),
  json('a name of escapes', () => operation('name', text('\\u0041'))),
  json('a name of control characters', () => operation('name', text('\\u0001'))),
  json('a name of line breaks', () => operation('name', text('\\n'))),
  json('a name of umlauts', () => operation('name', text('ü'))),
  json('a name of emoji', () => operation('name', text('😀'))),
  json('a name of half surrogates', () => operation('name', text('\\ud800'))),
  json('40 names of emoji', () =>
    operations((i, left) => `{"operation_type":"Create","params":{"name":"${'😀'.repeat(left >> 2)}"}}`),
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
  { name: 'bytes without a type', type: undefined, make: () => Buffer.alloc(LIMIT, 1) },
  { name: 'a media type of 10 KB', type: `application/${'x'.repeat(10_000)}`, make: () => Buffer.alloc(LIMIT, 1) },
  {
    name: 'multipart with empty parts',
    type: 'multipart/form-data; boundary=b',
    make: () => filled('--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n', { end: '--b--\r\n' }),
  },
];

export async function prove() {
  const failures = await withFolder(async (folder) => {
    const probe = join(folder, 'probe.sock');
    const service = await startService(PORT, {
      DATA_DIR: join(folder, 'data'),
      NODE_OPTIONS: `--import=${PROBE}`,
      EVENT_LOOP_PROBE: probe,
    });
    try {
      return await proveOn(service.pid, demoOf(join(folder, 'data')), await blocksAt(probe));
    } finally {
      await service.end();
    }
  });
  return failures;
}

async function proveOn(pid, { pen, account }, longestBlock) {
  const failures = [];
  const path = `/12/accounts/${account.id}/campaigns`;
  const pathOf = ({ type }) => (type === JSON_TYPE ? `/12/batch/accounts/${account.id}/campaigns` : path);
  const headersFor = (kind, body, mode) => {
    const headers = { 'content-length': Buffer.byteLength(body), ...(kind.type && { 'content-type': kind.type }) };
    if (mode === 'unsigned') return headers;
    const { consumer, token } = pen;
    const wrong = { ...token, secret: `${token.secret}x` };
    const authorization = sign({
      method: 'POST',
      url: `http://localhost:${PORT}${pathOf(kind)}`,
      params: kind.type === FORM_TYPE ? pairsOf(Buffer.from(body).toString('utf8')) : [],
      consumer,
      token: mode === 'signed' ? token : wrong,
      timestamp: Math.floor(Date.now() / 1000),
      nonce: `proof${Math.random()}`,
    });
    return { ...headers, host: `localhost:${PORT}`, authorization };
  };
  const post = (kind, body, mode) => send(pathOf(kind), headersFor(kind, body, mode), body);

  // what runs for the first time is compiled first
  for (const kind of kinds.slice(0, 8)) await post(kind, kind.make(), 'signed');
  for (let i = 0; i < 300; i++) await post(kinds.at(-4), 'name=x', 'signed');
  await pause(2_000);
  const before = residentOf(pid);

  const rows = [];
  for (const kind of kinds) {
    const body = kind.make();
    const row = { kind: kind.name, bytes: Buffer.byteLength(body) };
    for (const mode of ['unsigned', 'wrongly signed', 'signed']) {
      let blocked = Infinity;
      let answer;
      for (let i = 0; i < ATTEMPTS && blocked > MOST_BLOCKED_MS / 2; i++) {
        const headers = headersFor(kind, body, mode);
        await longestBlock();
        answer = await send(pathOf(kind), headers, body);
        blocked = Math.min(blocked, await longestBlock());
      }
      row[mode] = `${answer.status} ${blocked.toFixed(0)} ms`;
      row.answered = Math.max(row.answered ?? 0, answer.bytes);
      if (answer.status >= 500) failures.push(`${kind.name}, ${mode}: answered ${answer.status}`);
      if (blocked > MOST_BLOCKED_MS) failures.push(`${kind.name}, ${mode}: blocked ${blocked.toFixed(0)} ms`);
    }
    row['resident MiB'] = residentOf(pid).toFixed(0);
    rows.push(row);
  }
  console.table(rows);

  const statuses = {};
  let highest = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const bodies = kinds.map((kind) => [kind, kind.make()]);
    await Promise.all(
      Array.from({ length: BURST }, async (_, i) => {
        const [kind, body] = bodies[(round * BURST + i) % bodies.length];
        const { status } = await post(kind, body, i % 2 === 0 ? 'signed' : 'unsigned');
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (status >= 500 && status !== 503) failures.push(`in a burst, ${kind.name}: answered ${status}`);
      }),
    );
    highest = Math.max(highest, residentOf(pid));
  }
  let after = residentOf(pid);
  for (const end = performance.now() + SETTLING_MS; after - before > MOST_LEFT_MIB && performance.now() < end;) {
    await pause(1_000);
    after = residentOf(pid);
  }
  console.log(`${ROUNDS} bursts of ${BURST} such bodies: ${JSON.stringify(statuses)}`);
  console.log(
    `resident: ${before.toFixed(0)} MiB before, ${highest.toFixed(0)} at most, ${after.toFixed(0)} after (${MOST_LEFT_MIB} more allowed)`,
  );
  if (after - before > MOST_LEFT_MIB) failures.push(`memory: ${(after - before).toFixed(0)} MiB more than before`);
  return failures;
}

const AGENT = new Agent({ keepAlive: true, maxSockets: BURST });

function send(path, headers, body) {
  return new Promise((resolve, reject) => {
    const asked = request({ port: PORT, host: '127.0.0.1', method: 'POST', path, headers, agent: AGENT }, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk) => (bytes += chunk.length));
      answer.on('end', () => resolve({ status: answer.statusCode, bytes }));
      answer.on('error', reject);
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

/** Answers the longest block of the event loop since it was asked last, in milliseconds. */
async function blocksAt(path) {
  const socket = connect(path);
  socket.unref();
  await once(socket, 'connect');
  return async () => {
    socket.write('?\n');
    const [line] = await once(socket, 'data');
    return Number(line);
  };
}

const residentOf = (pid) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
