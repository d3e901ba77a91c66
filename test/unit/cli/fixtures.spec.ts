import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDotEnv, updateDotEnv } from '../../../src/cli/fixtures/run-and-print.js';
import { exportedFixtures } from '../../../src/cli/fixtures/export-fixtures.js';
import { fixturesOf, readFixtures, type FixtureStep } from '../../../src/cli/fixtures/fixture-file.js';
import type { RecordedRequest } from '../../../src/cli/fixtures/recorded-request.js';
import {
  escaped,
  randomText,
  referencesIn,
  substituted,
  substitutedIn,
  referenceText,
  timeAt,
  UnresolvedReference,
  valueAt,
  type LookUp,
} from '../../../src/cli/fixtures/references.js';
import { rewritten, type Rewrites } from '../../../src/cli/fixtures/rewrites.js';
import { eventKinds, triggerOf } from '../../../src/cli/fixtures/triggers.js';
import { Misuse, CommandRefusal } from '../../../src/cli/refusal.js';

describe('references', () => {
  const answers: Record<string, unknown> = {
    campaign: { data: { id: 'c1', budget: 5, cap: null }, request: { params: {} } },
    items: { data: [{ id: 'l1' }, { id: 'l2' }], total_count: 2 },
    upload: { media_key: '3_1' },
  };
  const lookUp: LookUp = ({ source, path }) =>
    source === '.env' ? ({ NAME: 'x y' } as Record<string, string>)[path] : valueAt(answers[source], path);

  it.each([
    ['${campaign:id}', 'c1'],
    ['${campaign:data.id}', 'c1'],
    ['${campaign:budget}', 5],
    ['${items:1.id}', 'l2'],
    ['${items:data.0.id}', 'l1'],
    ['${items:total_count}', 2],
    ['${upload:media_key}', '3_1'],
    ['${.env:NAME}', 'x y'],
    ['${.env:OTHER|else}', 'else'],
    ['${campaign:cap|none}', 'none'],
    ['${campaign:nothing|}', ''],
    ['a ${campaign:id}, ${items:0.id} and ${campaign:budget}', 'a c1, l1 and 5'],
    ['card://${campaign:id}', 'card://c1'],
    ['$${campaign:id} stays', '${campaign:id} stays'],
    ['$${campaign:id}', '${campaign:id}'],
    ['${campaign} and ${ x:y}', '${campaign} and ${ x:y}'],
    [
      { a: ['${campaign:id}', 1, null], b: { c: '${campaign:budget}' } },
      { a: ['c1', 1, null], b: { c: 5 } },
    ],
  ])('%j is %j', (given, expected) => expect(substituted(given, lookUp)).toEqual(expected));

  it.each(['${campaign:name}', '${other:id}', '${.env:OTHER}', '${items:2.id}', '${campaign:id.length}'])(
    '%s has no value',
    (text) => {
      expect(() => substituted(text, lookUp)).toThrow(UnresolvedReference);
      expect(() => substitutedIn(`/${text}`, lookUp, referenceText)).toThrow(`${text} has no value`);
    },
  );

  it('names the references of a value, without escaped ones', () => {
    expect(referencesIn({ a: 'x ${one:id} $${two:id}', b: ['${.env:NAME|d}'], c: 1 })).toEqual([
      { text: '${one:id}', source: 'one', path: 'id' },
      { text: '${.env:NAME|d}', source: '.env', path: 'NAME', fallback: 'd' },
    ]);
  });

  it.each(['${a:b}', '$${a:b}', 'text ${a:b|c} and ${.env:X}', 'nothing', '$ ${'])('escapes %j', (text) =>
    expect(substituted(escaped(text), () => 'replaced')).toBe(text),
  );

  it('has times and random texts', () => {
    const now = new Date('2026-10-01T08:59:30Z');
    expect(['+0m', '+1m', '-1h', '+30d'].map((offset) => timeAt(offset, now))).toEqual([
      '2026-10-01T08:59:00Z',
      '2026-10-01T09:00:00Z',
      '2026-10-01T07:59:00Z',
      '2026-10-31T08:59:00Z',
    ]);
    expect(['1m', '+1', '+1w', 'now'].map((offset) => timeAt(offset, now))).toEqual(Array(4).fill(undefined));
    expect(randomText('12')).toMatch(/^[0-9a-f]{12}$/);
    expect(randomText('12')).not.toBe(randomText('12'));
    expect(['0', '65', 'x'].map(randomText)).toEqual(Array(3).fill(undefined));
  });
});

describe('a fixture file', () => {
  const step = { name: 'one', method: 'post', path: '/12/accounts', params: { name: 'x', list: [1, 'b'] } };

  it('is a document or a list', () => {
    const expected = { steps: [{ ...step, method: 'POST' }], env: {} };
    expect(fixturesOf([step], 'f')).toEqual(expected);
    expect(fixturesOf({ fixtures: [step] }, 'f')).toEqual(expected);
    expect(fixturesOf({ _meta: { template_version: 0 }, fixtures: [step], env: { ID: '${one:id}' } }, 'f').env).toEqual(
      { ID: '${one:id}' },
    );
  });

  it('has JSON bodies of DELETE', () => {
    const steps = [
      { name: 'one', method: 'delete', path: '/2/media/subtitles', json: { id: '1' } },
      { name: 'two', method: 'delete', path: '/2/media/subtitles', params: ['1'] },
    ];
    expect(fixturesOf(steps, 'f').steps).toEqual(steps.map((each) => ({ ...each, method: 'DELETE' })));
  });

  it('names every mistake', () => {
    const mistakes = [
      'text',
      { ...step, method: 'FETCH' },
      { ...step, name: '1 2', path: '12/accounts' },
      { ...step, name: 'three', params: { deep: { a: 1 } }, expected_status: 99, header: {} },
      { ...step, name: 'four', method: 'get', params: [1] },
      { ...step, name: 'five', params: [1], json: {} },
      step,
      {
        ...step,
        name: 'seven',
        headers: {
          'a b': 'x',
          Authorization: 'x',
          'Transfer-Encoding': 'chunked',
          'x-marquee-as-of': new Date(0),
          'x-a': 'ä',
        },
      },
      { ...step, name: 'eight', headers: 'x-a: b' },
    ];
    const document = { _meta: { template_version: 1 }, fixtures: mistakes, env: { 'A B': '${one:id}', C: 'plain' } };
    let said = '';
    try {
      fixturesOf(document, 'f.yaml');
    } catch (error) {
      expect(error).toBeInstanceOf(CommandRefusal);
      said = (error as Error).message;
    }
    for (const expected of [
      'f.yaml is not a fixture file:\n',
      '_meta.template_version: 1: must be 0',
      'fixtures[0]: "text": must be an object',
      'fixtures[1].method: "FETCH": must be one of GET, ',
      'fixtures[2].name: "1 2": must be letters',
      'fixtures[2].path: "12/accounts": must be a path',
      'fixtures[3].header: unknown',
      'fixtures[3].params.deep: a parameter is',
      'fixtures[3].expected_status: 99: must be',
      'fixtures[4].method: get: a request with a JSON body',
      'fixtures[5].json: `params` is a JSON body already',
      'fixtures[6].name: "one": another request has it',
      'fixtures[7].headers: "a b" is not the name of a header',
      'fixtures[7].headers.Authorization: the signature, the body and the connection decide it',
      'fixtures[7].headers.Transfer-Encoding: the signature, the body and the connection decide it',
      'fixtures[7].headers.x-marquee-as-of: "1970-01-01T00:00:00.000Z": must be a text of ASCII characters',
      'fixtures[7].headers.x-a: "ä": must be',
      'fixtures[8].headers: "x-a: b": must be an object',
      'env: "A B" is not the name of a variable',
      'env.C: "plain": must refer to an answer',
    ])
      expect(said).toContain(expected);
    expect(() => fixturesOf({ fixture: [] }, 'f')).toThrow('f must have a list of requests');
  });

  it('is JSON or YAML', () => {
    const folder = mkdtempSync(join(tmpdir(), 'marquee-fixtures-'));
    try {
      const path = join(folder, 'f');
      writeFileSync(path, JSON.stringify([step]));
      expect(readFixtures(path).steps).toHaveLength(1);
      writeFileSync(
        path,
        'fixtures:\n  - name: one\n    method: get\n    path: /12/accounts\n    params: { at: 2026-10-01 }\n',
      );
      expect(readFixtures(path).steps).toEqual([
        { name: 'one', method: 'GET', path: '/12/accounts', params: { at: '2026-10-01' } },
      ]);
      writeFileSync(path, 'fixtures: [');
      expect(() => readFixtures(path)).toThrow(/is neither JSON nor YAML: /);
      writeFileSync(path, '- &endless { json: *endless }');
      expect(() => readFixtures(path)).toThrow(/f nests more than 100 objects and lists$/);
      const lists = Array.from(
        { length: 8 },
        (_, i) =>
          `- &l${i} [${Array<string>(9)
            .fill(i === 0 ? 'x' : `*l${i - 1}`)
            .join()}]`,
      );
      writeFileSync(path, lists.join('\n'));
      expect(() => readFixtures(path)).toThrow(/f has more than 1000000 values$/);
      expect(() => readFixtures(join(folder, 'none'))).toThrow('none cannot be read: ENOENT');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('--override, --add, --remove and --skip', () => {
  const given: FixtureStep[] = [
    { name: 'one', method: 'POST', path: '/a', params: { name: 'x', count: 5 } },
    { name: 'batch', method: 'POST', path: '/b', params: [{ params: { name: 'y', budget: 5, list: [1, 2] } }] },
    { name: 'card', method: 'POST', path: '/c', json: { name: 'z' } },
    { name: 'bare', method: 'DELETE', path: '/d' },
  ];
  const after = (rewrites: Rewrites) => rewritten(given, rewrites).steps;

  it('change parameters', () => {
    expect(after({ override: ['one:name=a=b', 'one:new=7'], add: ['one:count=9', 'bare:x=1'] })).toMatchObject([
      { params: { name: 'a=b', count: 5, new: '7' } },
      given[1],
      given[2],
      { params: { x: '1' } },
    ]);
    expect(after({ remove: ['one:count', 'batch:0.params.list.0'] })).toMatchObject([
      { params: { name: 'x' } },
      { params: [{ params: { name: 'y', budget: 5, list: [2] } }] },
      {},
      {},
    ]);
    expect(given[0].params).toEqual({ name: 'x', count: 5 });
  });

  it('keep the types of a JSON body', () => {
    const [, batch, card] = after({
      override: ['batch:0.params.budget=7', 'batch:0.params.name=7', 'batch:0.params.list=[3]'],
      add: ['card:flag=true', 'card:deep.id=abc'],
    });
    expect(batch.params).toEqual([{ params: { name: '7', budget: 7, list: [3] } }]);
    expect(card.json).toEqual({ name: 'z', flag: true, deep: { id: 'abc' } });
  });

  it('leave requests out', () => {
    expect(after({ skip: ['one', 'card'] }).map(({ name }) => name)).toEqual(['batch', 'bare']);
  });

  it.each<[Rewrites, string]>([
    [{ override: ['two:name=x'] }, '--override: there is no request two; the requests are one, batch, card, bare'],
    [{ override: ['one:name'] }, '--override: "one:name" does not have the form name:parameter=value'],
    [{ add: ['name=x'] }, '--add: "name=x" does not have the form name:parameter=value'],
    [{ remove: ['one:name=x'] }, '--remove: "one:name=x" does not have the form name:parameter'],
    [{ remove: ['one:other'] }, '--remove: the request one has no parameter other'],
    [{ skip: ['two'] }, '--skip: there is no request two'],
  ])('%j is a misuse', (rewrites, message) => {
    expect(() => after(rewrites)).toThrow(Misuse);
    expect(() => after(rewrites)).toThrow(message);
  });
});

describe('a .env file', () => {
  let folder: string;
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'marquee-env-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('gets variables, and keeps its other lines', () => {
    const path = join(folder, '.env');
    writeFileSync(path, '# mine\nA=1\nexport B="old"\nAB=2');
    expect(updateDotEnv(path, { B: 'c1', A: 'x y', NEW: "it's" })).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe(`# mine\nA='x y'\nexport B=c1\nAB=2\nNEW="it's"\n`);
    expect(readDotEnv(path)).toEqual({ A: 'x y', B: 'c1', AB: '2', NEW: "it's" });
  });

  it('is not created, and links are not followed', () => {
    const path = join(folder, '.env');
    expect(updateDotEnv(path, { A: '1' })).toBe(false);
    expect(readDotEnv(path)).toEqual({});
    writeFileSync(join(folder, 'other'), 'A=1\n');
    symlinkSync(join(folder, 'other'), path);
    expect(updateDotEnv(path, { A: '2' })).toBe(false);
    expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('A=1\n');
  });
});

describe('an export', () => {
  const ACCOUNT = '03yefys6tae4h';
  let count = 0;
  const request = (method: string, path: string, more: Partial<RecordedRequest> = {}): RecordedRequest => ({
    id: `r${++count}`,
    method,
    path: `/12/accounts/${ACCOUNT}${path}`,
    url: `http://localhost:3000/12/accounts/${ACCOUNT}${path}`,
    user_id: '1662062067536676',
    auth_scheme: 'OAUTH1',
    parameters: {},
    headers: {},
    body: { text: null, truncated: false, content_type: null },
    response: { text: null, truncated: false },
    ...more,
  });
  const answered = (data: unknown) => ({ response: { text: JSON.stringify({ data }), truncated: false } });
  const json = (value: unknown) => ({
    body: { text: JSON.stringify(value), truncated: false, content_type: 'application/json' },
  });
  const exported = (...requests: RecordedRequest[]) => exportedFixtures(requests, ({ path }) => path);
  const reasons = (...requests: RecordedRequest[]) => exported(...requests).leftOut.map(({ reason }) => reason);

  const CAMPAIGN = '02vs2xe3kjf2t';
  const FUNDING = '03xzaedioeyic';
  const campaign = request('POST', '/campaigns', {
    parameters: { name: 'costs ${a:b}', funding_instrument_id: FUNDING },
    ...answered({ id: CAMPAIGN, funding_instrument_id: FUNDING }),
  });

  it('has references in place of ids', () => {
    const items = [{ operation_type: 'Create', params: { campaign_id: CAMPAIGN, budget: 5 } }];
    const { document, leftOut, notes } = exported(
      campaign,
      { ...campaign, response: answered({ id: '02vs2xe3kjf3u' }).response },
      request('POST', '/line_items', { ...json(items), ...answered([{ id: '05dnauujq0rro' }]) }),
      request('PUT', `/campaigns/${CAMPAIGN}`, { parameters: { entity_status: 'PAUSED' } }),
      request('DELETE', '/line_items/05dnauujq0rro'),
      request('POST', '/post', { parameters: { as_user_id: '1662062067536676', text: 'Hi' } }),
    );
    const account = '/12/accounts/${.env:MARQUEE_ACCOUNT_ID}';
    expect(document.fixtures).toEqual([
      { name: 'funding_instruments', method: 'get', path: `${account}/funding_instruments?sort_by=created_at-asc` },
      {
        name: 'campaign',
        method: 'post',
        path: `${account}/campaigns`,
        params: { name: 'costs $${a:b}', funding_instrument_id: '${funding_instruments:0.id}' },
      },
      {
        name: 'campaign_2',
        method: 'post',
        path: `${account}/campaigns`,
        params: { name: 'costs $${a:b}', funding_instrument_id: '${funding_instruments:0.id}' },
      },
      {
        name: 'line_item',
        method: 'post',
        path: `${account}/line_items`,
        params: [{ operation_type: 'Create', params: { campaign_id: '${campaign:id}', budget: 5 } }],
      },
      {
        name: 'update_campaign',
        method: 'put',
        path: `${account}/campaigns/\${campaign:id}`,
        params: { entity_status: 'PAUSED' },
      },
      { name: 'delete_line_item', method: 'delete', path: `${account}/line_items/\${line_item:0.id}` },
      { name: 'authenticated_user', method: 'get', path: `${account}/authenticated_user_access` },
      {
        name: 'post',
        method: 'post',
        path: `${account}/post`,
        params: { as_user_id: '${authenticated_user:user_id}', text: 'Hi' },
      },
    ]);
    expect(leftOut).toEqual([]);
    expect(notes).toEqual([
      `MARQUEE_ACCOUNT_ID stands for the account ${ACCOUNT}; by default it is account_id of the credentials.`,
    ]);
    expect(fixturesOf(document, 'export').steps).toHaveLength(8);
  });

  it('has a DELETE with a JSON body, as a run takes it', () => {
    const { document } = exported(request('DELETE', '/products', json({ product_keys: ['1'] })));
    expect(fixturesOf(document, 'export').steps).toEqual([
      expect.objectContaining({ method: 'DELETE', json: { product_keys: ['1'] } }),
    ]);
  });

  it('keeps the headers that choose names and a date', () => {
    const headers = { 'x-marquee-as-of': '2026-11-01', 'x-marquee-names': 'x' };
    const { document } = exported({ ...campaign, headers: { ...headers, accept: '*/*', authorization: '***' } });
    expect(document.fixtures.map((each) => each.headers)).toEqual([undefined, headers]);
    expect(fixturesOf(document, 'export').steps[1].headers).toEqual(headers);
  });

  it('says what it leaves out', () => {
    const body = { text: null, truncated: false, content_type: null };
    expect(
      reasons(
        request('POST', '/campaigns', { auth_scheme: 'BEARER' }),
        request('POST', '/x', { path: '/oauth/access_token' }),
        request('POST', '/x', { path: '/1.1/oauth/invalidate_token.json' }),
        request('POST', '/x', { body: { ...body, truncated: true } }),
        request('POST', '/x', { body: { ...body, content_type: 'multipart/form-data; boundary=x' } }),
        request('POST', '/x', json([{ params: { client_secret: '***' } }])),
        request('POST', '/x', { parameters: { text: `${'x'.repeat(2048)}...` } }),
        request('PUT', '/campaigns/02vs2xe3kjf9z'),
        request('POST', '/line_items', { parameters: { campaign_id: '02vs2xe3kjf9z' } }),
      ),
    ).toEqual([
      'it is not signed with OAuth 1.0a',
      'it is about tokens, which belong to one client',
      'it is about tokens, which belong to one client',
      'the journal does not keep bodies of uploads, nor of more than 16 KiB',
      'the journal does not keep files',
      'the journal does not keep the secret client_secret',
      'the journal has only the beginning of text',
      'it needs 02vs2xe3kjf9z, which no exported request created',
      'it needs 02vs2xe3kjf9z, which no exported request created',
    ]);
  });

  it('leaves out what needs something left out', () => {
    const upload = request('POST', '/x', {
      path: '/1.1/media/upload.json',
      body: { text: null, truncated: false, content_type: 'multipart/form-data; boundary=x' },
      response: { text: JSON.stringify({ media_key: '3_1877619243890801' }), truncated: false },
    });
    const card = { components: [{ media_key: '3_1877619243890801' }] };
    expect(reasons(upload, request('POST', '/cards', json(card)))).toEqual([
      'the journal does not keep files',
      'it needs 3_1877619243890801 of POST /1.1/media/upload.json, which is left out',
    ]);
  });

  it('names further accounts and those of the sandbox', () => {
    const at = (path: string, more: Partial<RecordedRequest> = {}) => request('POST', '', { path, ...more });
    const { document, notes } = exported(
      at('/12/accounts/03yefys6tae4h/cards/poll'),
      at('/12/accounts/03yefys6tae5i/cards/poll'),
      at('/sandbox/12/accounts/03yefys6tae6j/cards/poll'),
      at('/sandbox/12/accounts', answered([{ id: '03yefys6tae7k' }])),
      at('/sandbox/12/accounts/03yefys6tae7k/funding_instruments'),
    );
    expect(document.fixtures.map(({ name, path }) => [name, path])).toEqual([
      ['card_poll', '/12/accounts/${.env:MARQUEE_ACCOUNT_ID}/cards/poll'],
      ['card_poll_2', '/12/accounts/${.env:MARQUEE_ACCOUNT_ID_2}/cards/poll'],
      ['card_poll_3', '/sandbox/12/accounts/${.env:MARQUEE_SANDBOX_ACCOUNT_ID}/cards/poll'],
      ['sandbox_account', '/sandbox/12/accounts'],
      ['funding_instrument', '/sandbox/12/accounts/${sandbox_account:0.id}/funding_instruments'],
    ]);
    expect(notes).toHaveLength(3);
  });

  it('does not know the ids of a response that was cut', () => {
    const { notes, leftOut } = exported(
      request('POST', '/campaigns', { response: { text: '{"data":[{"id":"02vs', truncated: true } }),
      request('DELETE', `/campaigns/${CAMPAIGN}`),
    );
    expect(notes).toContainEqual(
      expect.stringMatching(/^The journal has only the beginning of the answer of campaign/),
    );
    expect(leftOut).toHaveLength(1);
  });
});

describe('the requests that cause an event', () => {
  it('are complete for each kind, or there is a reason', () => {
    const kinds = eventKinds();
    expect(kinds.length).toBeGreaterThan(60);
    expect(new Set(kinds).size).toBe(kinds.length);
    for (const kind of kinds) {
      try {
        const { steps } = triggerOf(kind);
        const names = steps.map(({ name }) => name);
        for (const [i, step] of steps.entries())
          for (const { source } of referencesIn([step.path, step.params, step.json]))
            if (!source.startsWith('.'))
              expect([kind, names.slice(0, i)]).toEqual([kind, expect.arrayContaining([source])]);
      } catch (error) {
        expect([kind, (error as Error).message]).toEqual([
          kind,
          expect.stringMatching(/^no request causes \S+: .{20}/),
        ]);
      }
    }
  });

  it('take settings', () => {
    const paramsOf = (kind: string, ...settings: string[]) =>
      triggerOf(kind, settings).steps.map(({ name, params }) => [
        name,
        (params as { name?: string } | undefined)?.name,
      ]);
    expect(paramsOf('campaign.delete', 'name=x')).toEqual([
      ['funding_instruments', undefined],
      ['campaign', 'x'],
      ['delete', undefined],
    ]);
    expect(paramsOf('campaign.update', 'name=x:y', 'campaign:name=z').slice(1)).toEqual([
      ['campaign', 'z'],
      ['update', 'x:y'],
    ]);
  });

  it.each(['campaign.paint', 'campaign', '../campaign', 'constructor', ''])('%j is no kind', (kind) => {
    expect(() => triggerOf(kind)).toThrow(/there is no event of the kind .*The kinds are ab_test\.create, /s);
  });

  it('name a similar kind', () => {
    expect(() => triggerOf('campaign.created')).toThrow('Did you mean campaign.create?');
  });
});
