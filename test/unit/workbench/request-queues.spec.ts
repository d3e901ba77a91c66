import fc from 'fast-check';
import {
  readText,
  textOf,
  type Capture,
  type CapturedRequest,
} from '../../../src/workbench/journal/captured-request.js';
import { queuesOf, RequestQueues } from '../../../src/workbench/journal/request-queues.js';

const request = (id: string, applicationId?: string, answer: string | null = '', isRejected = false): Capture => ({
  facts: {
    id,
    applicationId,
    consumerKey: applicationId === undefined ? 'key' : undefined,
    isRejected,
    requestId: 'request',
    endedAt: 1,
    durationMs: 0.5,
    method: 'GET',
    origin: 'http://localhost',
    status: 200,
    accountId: null,
    userId: null,
    scheme: 'OAUTH1',
    contentType: null,
    contentLength: null,
    userAgent: null,
    query: {},
    hasJson: false,
    changeIds: undefined,
    answerBytes: 0,
    answerType: null,
    isUnmatched: false,
  },
  texts: { target: '/12/accounts?q=1', body: null, answer, headers: [], answerHeaders: {} },
});

/** Any text, with the separators that a form of its own would have. */
const text = fc.string({
  unit: fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), fc.constantFrom('\n', '\0', '"', ',')),
});
const optional = fc.option(text);

describe('captured requests that wait', () => {
  it('are read as they were written', () => {
    const anyFacts = fc.record({
      consumerKey: fc.option(text, { nil: undefined }),
      accountId: optional,
      userAgent: optional,
      contentLength: fc.option(fc.nat()),
      durationMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
      query: fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.array(fc.string()))),
      answerBytes: fc.option(fc.nat()),
      changeIds: fc.option(fc.array(fc.stringMatching(/^[0-9a-z]{13}$/), { minLength: 1 }), { nil: undefined }),
    });
    const anyTexts = fc.record({
      target: text,
      body: fc.option(fc.string({ unit: 'grapheme', minLength: 1 })),
      answer: fc.option(fc.string({ unit: 'grapheme' })),
      answerHeaders: fc.dictionary(text, text),
      headers: fc.array(fc.tuple(text, text)).map((sent) => sent.flat()),
    });
    fc.assert(
      fc.property(anyFacts, anyTexts, (fields, sent) => {
        const { facts } = request('a', 'b');
        const whole: Capture = {
          facts: { ...facts, ...fields, refusal: { kind: 'signature' } },
          texts: { ...sent, signatureCheck: { parameters: 'a%3D1', uri: 'http://localhost/', isValid: false } },
        };
        const read = JSON.parse(JSON.stringify(readText(textOf(whole)))) as unknown;
        expect(read).toEqual(JSON.parse(JSON.stringify({ ...whole.facts, ...whole.texts })));
      }),
    );
  });

  it('keep a header of any name', () => {
    const { facts, texts } = request('a', 'b');
    const answerHeaders = Object.fromEntries([['__proto__', '']]);
    expect(Object.entries(readText(textOf({ facts, texts: { ...texts, answerHeaders } })).answerHeaders)).toEqual([
      ['__proto__', ''],
    ]);
  });

  it('leave in the order of each application, which take turns, and none is lost or repeated', () => {
    const pushes = fc.array(fc.tuple(fc.constantFrom('a', 'b', undefined), fc.nat(40_000)), { maxLength: 60 });
    fc.assert(
      fc.property(pushes, fc.integer({ min: 1, max: 20 }), (all, count) => {
        const queues = new RequestQueues({ perApplication: 1_000, rejected: 1_000, bytes: 1e9 });
        for (const [i, [application, length]] of all.entries())
          expect(queues.push(request(String(i), application, 'ü'.repeat(length)))).toBe(0);
        const taken: CapturedRequest[] = [];
        while (queues.size > 0) {
          const some = queues.take(count).requests;
          expect(some.length).toBeGreaterThan(0);
          expect(some.length).toBeLessThanOrEqual(count);
          taken.push(...some);
        }
        expect(queues.take(count)).toEqual({ requests: [], errors: [] });
        for (const application of ['a', 'b', undefined]) {
          const ids = taken.filter(({ applicationId }) => applicationId === application).map(({ id }) => id);
          expect(ids).toEqual(all.flatMap(([name], i) => (name === application ? [String(i)] : [])));
        }
      }),
      { numRuns: 50 },
    );
  });

  it('displace only older ones of the same application', () => {
    const queues = new RequestQueues({ perApplication: 100, rejected: 10, bytes: 400_000 });
    queues.push(request('quiet', 'quiet'));
    let dropped = 0;
    for (let i = 0; i < 5_000; i++) dropped += queues.push(request(String(i), 'loud', 'x'.repeat(1_000)));
    const left: CapturedRequest[] = [];
    while (queues.size > 0) left.push(...queues.take(50).requests);
    expect(left.some(({ id }) => id === 'quiet')).toBe(true);
    const loud = left.filter(({ id }) => id !== 'quiet').map(({ id }) => Number(id));
    expect(loud.length).toBe(5_000 - dropped);
    expect(loud.length).toBeGreaterThanOrEqual(100);
    expect(loud).toEqual(Array.from({ length: loud.length }, (_, i) => 5_000 - loud.length + i));
  });

  it('that were rejected displace only rejected ones', () => {
    const queues = new RequestQueues({ perApplication: 90, rejected: 10, bytes: 1e9 });
    for (let i = 0; i < 50; i++) queues.push(request('accepted', 'a'));
    for (let i = 0; i < 5_000; i++) queues.push(request('rejected', 'a', 'x'.repeat(1_000), true));
    const ids = queues.take(10_000).requests.map(({ id }) => id);
    expect(ids.filter((id) => id === 'accepted')).toHaveLength(50);
    // memory is dropped in chunks
    expect(ids.length).toBeLessThan(50 + 500);
  });

  it('have left once those are taken that waited at a mark, whatever comes later', () => {
    const queues = new RequestQueues({ perApplication: 1_000, rejected: 1_000, bytes: 1e9 });
    const own = queuesOf('a', 'key of a');
    expect(queues.mark(own)()).toBe(true);
    for (let i = 0; i < 25; i++) queues.push(request(String(i), 'a'));
    const haveLeft = queues.mark(own);
    for (let i = 0; i < 3; i++) {
      expect(haveLeft()).toBe(false);
      for (let n = 0; n < 100; n++) {
        queues.push(request('later', 'a'));
        queues.push(request('other', 'b'));
      }
      queues.take(10, own);
    }
    expect(haveLeft()).toBe(true);
  });

  it('that cannot be read cost no other', () => {
    const queues = new RequestQueues({ perApplication: 1_000, rejected: 1_000, bytes: 1e9 });
    queues.push(request('1', 'a'));
    // stands for whatever a mistake may write
    const broken = request('2', 'a');
    Object.assign(broken.texts, { target: { length: 500, toString: () => '/' } });
    queues.push(broken);
    queues.push(request('3', 'a'));
    const { requests, errors } = queues.take(10);
    expect([requests.map(({ id }) => id), errors.length]).toEqual([['1', '3'], 1]);
    expect(queues.size).toBe(0);
  });
});
