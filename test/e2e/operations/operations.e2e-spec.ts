import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import OAuth1a from 'oauth-1.0a';
import { authorization, type Credentials } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { REDIS } from '../../support/environment.js';
import { given } from '../../support/given.js';
import { send } from '../../support/http.js';
import { Collector, type Exported } from '../../support/collector.js';
import { Served } from '../docs/served.js';
import { readEndpoints } from '../../../src/common/http/hints/endpoints.js';
import { readReference } from '../../../src/common/http/hints/x-reference.js';
import {
  misstatedEndpoints,
  supportOf,
  unexplainedRoutes,
  withAbsentEndpoints,
} from '../../../src/operations/docs/support.js';
import { openScratch, type Service } from '../../../src/service.js';

describe('figures', () => {
  // Its figures are there while it is away, too.
  useApp({ RATE_LIMIT_GLOBAL_READS: '2/900', ...(!REDIS && { REDIS_URL: 'redis://127.0.0.1:1' }) });

  const text = async () => (await send(world().direct, '/metrics', { method: 'GET' })).text;

  /** Every expression of the dashboard and of the rules, by where it stands. */
  function expressions(): [where: string, expression: string][] {
    const { panels } = JSON.parse(readFileSync('deploy/grafana-dashboard.json', 'utf8')) as {
      panels: { title: string; targets?: { expr: string }[] }[];
    };
    const { groups } = parse(readFileSync('deploy/alerts.yaml', 'utf8')) as {
      groups: { rules: { alert: string; expr: string }[] }[];
    };
    return [
      ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }): [string, string] => [title, expr])),
      ...groups.flatMap(({ rules }) => rules.map(({ alert, expr }): [string, string] => [alert, expr])),
    ];
  }

  /** What Prometheus reads in an expression: its figures with the labels that are asked for, and where it cannot be read. */
  function readOf(expression: string) {
    // what Grafana puts there
    const query = expression.replaceAll('$__rate_interval', '5m');
    const figures: { name: string; labels: string[] }[] = [];
    let faults = 0;
    parser.parse(query).iterate({
      enter({ type, node, from, to }) {
        if (type.isError) faults++;
        if (type.name !== 'VectorSelector') return;
        const selector = query.slice(from, to);
        const labels = node.getChildren('LabelMatchers').flatMap((matchers) => {
          const inside = query.slice(matchers.from, matchers.to);
          return [...inside.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label);
        });
        figures.push({ name: /^\w+/.exec(selector)![0], labels });
      },
    });
    return { figures, faults };
  }

  it('has every figure that dashboard and rules name, with the labels that they ask for', async () => {
    const shown = await text();
    const families = new Map(
      [...shown.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]): [string, string] => [name, type]),
    );
    const labelsOf = (name: string) =>
      new Set(
        [...shown.matchAll(new RegExp(`^${name}\\{(.*)\\} \\S+$`, 'gm'))].flatMap(([, labels]) =>
          [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label),
        ),
      );
    const all = expressions();
    expect(all.length).toBeGreaterThan(30);
    const missing: string[] = [];
    for (const [where, expression] of all) {
      const { figures, faults } = readOf(expression);
      expect({ where, faults, figures: figures.length > 0 }).toEqual({ where, faults: 0, figures: true });
      for (const { name, labels } of figures) {
        // what Prometheus itself says of a target
        if (name === 'up') continue;
        const family = families.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '');
        if (!families.has(family)) missing.push(`${where}: ${name}`);
        const known = labelsOf(name);
        for (const label of labels)
          if (known.size > 0 && label !== 'instance' && !known.has(label)) missing.push(`${where}: ${name}{${label}}`);
      }
    }
    expect(missing).toEqual([]);
  });

  it('tells a faulty expression, and one that names nothing that is there', () => {
    expect(readOf('sum(rate(marquee_x[5m])').faults).toBeGreaterThan(0);
    expect(readOf('rate(marquee_x{status=~"5.."}[5m]) / marquee_y').figures).toEqual([
      { name: 'marquee_x', labels: ['status'] },
      { name: 'marquee_y', labels: [] },
    ]);
  });

  it('names what every process and Node show as every other process does', async () => {
    const shown = await text();
    for (const name of ['process_resident_memory_bytes', 'process_cpu_seconds_total', 'nodejs_eventloop_lag_seconds'])
      expect(shown).toMatch(new RegExp(`^${name} \\S+$`, 'm'));
    expect(shown).not.toMatch(/marquee_(process|nodejs)_/);
    expect(shown).toMatch(/^marquee_build_info\{version="\d+\.\d+\.\d+",commit="[0-9a-f]*",node="v\d+\.\S+"\} 1$/m);
  });

  it('counts refusals by their reason, and those of a rate limit by its window', async () => {
    const { api } = await given.client();
    const { consumer, token } = api.credentials;
    const target = '/12/accounts';
    // each replica counts for itself
    const asked = (credentials?: Credentials) =>
      send(world().direct, target, {
        method: 'GET',
        headers: credentials && { authorization: authorization(credentials, 'GET', `${world().direct}${target}`) },
      });
    expect((await asked({ consumer, token: { ...token, secret: 'wrong' } })).status).toBe(401);
    expect((await asked()).status).toBe(401);
    const revoked = await given.client();
    await given.revokedToken(revoked);
    expect((await asked(revoked.credentials)).status).toBe(401);
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await asked(api.credentials)).status);
    expect(statuses).toEqual([200, 200, 429]);
    const shown = await text();
    const count = (figure: string) =>
      Number(
        shown
          .split('\n')
          .find((line) => line.startsWith(`${figure} `))
          ?.split(' ')[1],
      );
    expect(count('marquee_refusals_total{status="401",reason="signature"}')).toBe(1);
    expect(count('marquee_refusals_total{status="401",reason="no-credentials"}')).toBe(1);
    expect(count('marquee_refusals_total{status="401",reason="revoked-token"}')).toBe(1);
    expect(count('marquee_refusals_total{status="429",reason="rate-limit"}')).toBe(1);
    expect(count('marquee_rate_limited_total{window="GLOBAL_READS"}')).toBe(1);
  });

  it('shows the connections of the store, and that it answers', async () => {
    const shown = await text();
    expect(shown).toMatch(/^marquee_database_up 1$/m);
    const pools = [...shown.matchAll(/^marquee_database_connections_max\{pool="(\w+)"\} (\d+)$/gm)];
    expect(pools.length).toBeGreaterThan(0);
    for (const [, pool, max] of pools) {
      const used = new RegExp(`^marquee_database_connections_used\\{pool="${pool}"\\} (\\d+)$`, 'm').exec(shown);
      expect(Number(used?.[1])).toBeLessThanOrEqual(Number(max));
    }
  });
});

describe('log lines and spans', () => {
  type Line = Record<string, unknown> & { msg: string };

  let collector: Collector;
  let served: Served;
  let accountId: string;
  beforeAll(async () => {
    collector = await Collector.start();
    served = await Served.start({
      LOG_LEVEL: 'info',
      DOCS: 'false',
      RATE_LIMIT_GLOBAL_READS: '3/900',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_SERVICE_NAME: 'ads-api',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      ...(REDIS && { REDIS_URL: REDIS, REDIS_PREFIX: `marquee_lines_${process.pid}:` }),
    });
    accountId = served.credentials().account_id;
  }, 180_000);
  afterAll(async () => {
    await served?.stop();
    collector?.close();
  }, 30_000);

  const lines = (): Line[] =>
    served.said
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line);

  /** A line, which is written right after what it tells of. */
  async function lineWith(what: string, isIt: (line: Line) => boolean): Promise<Line> {
    for (let attempt = 0; attempt < 200; attempt++) {
      const found = lines().find(isIt);
      if (found) return found;
      await pause(50);
    }
    throw new Error(`no line of ${what}`);
  }

  const lineOf = (requestId: string): Promise<Line> =>
    lineWith(`the request ${requestId}`, ({ id }) => id === requestId);

  interface Changes {
    consumer_key?: string;
    access_token?: string;
    access_token_secret?: string;
    timestamp?: number;
    headers?: Record<string, string>;
  }

  let asked = 0;

  /** Asks, signed with the keys of the demo as far as nothing else is said, and answers the request's line in the log. */
  async function refused(path: string, { timestamp, headers, ...keys }: Changes = {}) {
    const used = { ...served.credentials(), ...keys } as Record<string, string>;
    const client = new OAuth1a({
      consumer: { key: used.consumer_key, secret: used.consumer_secret },
      signature_method: 'HMAC-SHA1',
      hash_function: (base, key) => createHmac('sha1', key).update(base).digest('base64'),
    });
    if (timestamp !== undefined) client.getTimeStamp = () => timestamp;
    const signed = client.authorize(
      { method: 'GET', url: `${served.url}${path}` },
      { key: used.access_token, secret: used.access_token_secret },
    );
    const id = `of-this-test-${asked++}`;
    const host = `localhost:${served.port}`;
    const answer = await served.ask(path, { host, 'x-request-id': id, ...client.toHeader(signed), ...headers });
    return { status: answer.status, line: await lineOf(id) };
  }

  it('says at its start what it is, what it stands on and what it takes', async () => {
    expect(await lineWith('the start', ({ msg }) => msg.includes('listens on'))).toMatchObject({
      msg: expect.stringMatching(/^Marquee \d+\.\d+\.\d+ listens on 127\.0\.0\.1:\d+, ready after \d+\.\d s$/),
      mode: 'development',
      store: { embedded: served.dataDir, postgresql: expect.stringMatching(/^18/) },
      redis: REDIS ? 'ok' : 'not configured',
      urls: { base: served.url, ads: served.url, ads_sandbox: `${served.url}/sandbox` },
      limits: { rate_limits: 'relaxed', concurrent_requests: 500, body_memory_mib: 64 },
      docs: false,
      traces: 'otlp',
    });
  });

  it('serves no reference where it is not wanted, and the API all the same', async () => {
    for (const path of ['/docs', '/docs/openapi.json', '/docs/keys'])
      expect((await fetch(served.url + path)).status).toBe(404);
    expect((await fetch(`${served.url}/version`)).status).toBe(200);
  });

  describe('the line of a refused request', () => {
    it('says which application and token had a wrong signature, and nothing that is secret', async () => {
      const { status, line } = await refused(`/12/accounts/${accountId}`, { access_token_secret: 'wrong' });
      expect(status).toBe(401);
      expect(line).toMatchObject({ status: 401, reason: 'signature' });
      expect([typeof line.application, typeof line.token]).toEqual(['string', 'string']);
      const { access_token, access_token_secret, consumer_secret } = served.credentials();
      for (const secret of [access_token, access_token_secret, consumer_secret])
        expect(served.said).not.toContain(secret);
    });

    it('says what is known of keys that are not known', async () => {
      const stranger = await refused(`/12/accounts/${accountId}`, { consumer_key: 'a-secret-in-the-wrong-place' });
      expect(stranger.line).toMatchObject({ reason: 'unknown-application', consumer_key: 'a-secr...' });
      const { line } = await refused(`/12/accounts/${accountId}`, { access_token: 'nobody' });
      expect(line).toMatchObject({ reason: 'unknown-token', consumer_key: served.credentials().consumer_key });
      expect(line.application).toEqual(expect.any(String));
    });

    it('says by how much a clock is off', async () => {
      const timestamp = Math.floor(Date.now() / 1_000) - 1_000;
      const { line } = await refused(`/12/accounts/${accountId}`, { timestamp });
      expect(line).toMatchObject({ status: 401, reason: 'out-of-bounds' });
      expect(line.ahead_seconds).toBeLessThan(-990);
    });

    it('has a reason for pages, too', async () => {
      const headers = { host: `localhost:${served.port}`, 'x-request-id': 'sign-in-without-form' };
      expect((await served.ask('/oauth/sign_in', headers, 'POST')).status).toBe(403);
      expect(await lineOf('sign-in-without-form')).toMatchObject({ status: 403, reason: 'form-out-of-date' });
    });

    it('names the window that is full', async () => {
      const answers = [];
      for (let i = 0; i < 4; i++) answers.push(await refused('/12/accounts'));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
      expect(answers[3].line).toMatchObject({
        reason: 'rate-limit',
        window: 'GLOBAL_READS',
        token: expect.any(String),
      });
      expect(answers[0].line).not.toHaveProperty('reason');
    });
  });

  it('warns once of what a proxy says that is not trusted, and names what to add', async () => {
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.1' };
    for (let i = 0; i < 2; i++) await refused(`/12/accounts/${accountId}`, { headers: forwarded });
    const warned = lines().filter(({ msg }) => msg.includes('TRUST_PROXY'));
    expect(warned).toEqual([
      expect.objectContaining({
        level: 'warn',
        peer: '127.0.0.1',
        msg: expect.stringContaining('TRUST_PROXY=127.0.0.1'),
      }),
    ]);
  });

  describe('spans', () => {
    const attribute = ({ attributes }: Exported, name: string) => {
      const value = attributes.find(({ key }) => key === name)?.value;
      return value?.stringValue ?? value?.intValue;
    };
    const eventually = async (what: () => boolean) => {
      for (let attempt = 0; attempt < 100 && !what(); attempt++) await pause(50);
      expect(what()).toBe(true);
    };

    it('go on the trace of the caller, from the request to its statements and commands', async () => {
      const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
      const parent = '00f067aa0ba902b7';
      const { line } = await refused(`/12/accounts/${accountId}/campaigns`, {
        headers: { traceparent: `00-${traceId}-${parent}-01` },
      });
      expect(line.status).toBe(200);
      const own = () => collector.spans.filter((span) => span.traceId === traceId);
      const request = () => own().find(({ name }) => name === 'GET /12/accounts/:account_id/campaigns');
      await eventually(() => request() !== undefined);
      expect(collector.services).toEqual(new Set(['ads-api']));
      expect(request()).toMatchObject({ parentSpanId: parent, kind: 2 });
      expect(attribute(request()!, 'http.response.status_code')).toBe(200);
      expect(attribute(request()!, 'marquee.request.id')).toBe(line.id);
      const below = own().filter(({ parentSpanId }) => parentSpanId === request()!.spanId);
      const statements = below.filter((span) => attribute(span, 'db.system.name') === 'postgresql');
      expect(statements.map(({ name }) => name)).toContain('SELECT');
      // their texts have placeholders, not what stands there
      for (const span of statements) expect(attribute(span, 'db.query.text')).not.toContain(accountId);
      if (REDIS) expect(below.map((span) => attribute(span, 'db.system.name'))).toContain('redis');
    });

    it('have why a request was refused', async () => {
      await refused(`/12/accounts/${accountId}/funding_instruments`, { access_token: 'nobody' });
      await eventually(() => collector.spans.some((span) => attribute(span, 'marquee.refused') === 'unknown-token'));
    });

    it('are of jobs too, each with the statements that it takes', async () => {
      const jobs = () => collector.spans.filter((span) => attribute(span, 'messaging.system') === 'pg-boss');
      await eventually(() => jobs().length > 0);
      expect(jobs()[0]).toMatchObject({
        kind: 5,
        name: `process ${attribute(jobs()[0], 'messaging.destination.name')}`,
      });
      await eventually(() => {
        const ids = new Set(jobs().map(({ spanId }) => spanId));
        return collector.spans.some(({ parentSpanId }) => parentSpanId !== undefined && ids.has(parentSpanId));
      });
    });
  });

  it('says that it stops, and that it has', async () => {
    await served.stop();
    expect(lines().map(({ msg }) => msg)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Stopping: no longer ready, but serving requests for another 0\.0 s/),
        expect.stringMatching(/^Stopped after \d+\.\d s, up for \d+\.\d s$/),
      ]),
    );
  });

  it('goes on where nobody takes the spans, and says so once, in lines for people where they are wanted', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    const alone = await Served.start({
      DEMO: 'false',
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'pretty',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_BSP_EXPORT_TIMEOUT: '500',
      OTEL_EXPORTER_OTLP_TIMEOUT: '300',
    });
    try {
      for (let i = 0; i < 20; i++) {
        expect((await fetch(`${alone.url}/version`)).status).toBe(200);
        await pause(100);
      }
      expect(alone.said.match(/^\[[\d:]{8}\] WARN: Traces: Spans may be lost/gm)).toHaveLength(1);
      expect(alone.said).toMatch(/^\[[\d:]{8}\] INFO: Marquee \d\S+ listens on .*"postgresql":"18/m);
    } finally {
      await alone.stop();
    }
  }, 60_000);
});

describe('routes', () => {
  const list = readEndpoints();
  const gaps = readFileSync('docs/gaps.md', 'utf8');

  describe('routes', () => {
    let service: Service;
    beforeAll(async () => {
      service = await openScratch();
    });
    afterAll(() => service?.close());

    it('are all in the specification, advertising routes, or explained in docs/gaps.md', () => {
      expect(unexplainedRoutes(service.app, list, gaps)).toEqual([]);
    });

    it('would not go unnoticed', () => {
      const shorter = list.filter(({ route }) => route !== 'GET /12/accounts');
      expect(unexplainedRoutes(service.app, shorter, '`GET /docs`')).toEqual(
        expect.arrayContaining(['GET /2/webhooks', 'GET /health/live']),
      );
      expect(supportOf(service.app, shorter, gaps)).toContainEqual({
        route: 'GET /12/accounts',
        host: 'ads',
        works: true,
      });
    });

    it('and the states of the endpoints of X agree', () => {
      expect(misstatedEndpoints(service.app, readReference())).toEqual([]);
      const campaigns = {
        method: 'GET',
        path: '/12/accounts/:id/campaigns',
        group: 'campaigns',
        state: 'missing',
      } as const;
      const nothing = { method: 'GET', path: '/12/nothing', group: 'nothing', state: 'served' } as const;
      expect(misstatedEndpoints(service.app, [campaigns, nothing])).toEqual([
        'assets/x-reference.tsv: GET /12/accounts/:id/campaigns is missing, but has a route.',
        'assets/x-reference.tsv: GET /12/nothing is served, but has no route.',
      ]);
    });

    it('that are absent are in the README, a line for each group', () => {
      const absent = (method: string, path: string, state: 'missing' | 'served' = 'missing') => ({
        method,
        path,
        group: path.includes('catalogs') ? 'catalogs' : 'tags',
        state,
      });
      const reference = [
        absent('GET', '/12/accounts/:account_id/tags'),
        absent('POST', '/12/accounts/:account_id/tags'),
        absent('GET', '/12/tags'),
        absent('GET', '/12/catalogs'),
        absent('GET', '/12/accounts', 'served'),
      ];
      expect(withAbsentEndpoints('a\n<!-- missing -->old<!-- /missing -->\nb', reference)).toBe(
        'a\n<!-- missing -->\n\n- tags: `GET POST A/tags`, `GET /12/tags`\n' +
          '- catalogs: `GET /12/catalogs`\n\n<!-- /missing -->\nb',
      );
      expect(withAbsentEndpoints('<!-- missing -->old<!-- /missing -->', [])).toBe(
        '<!-- missing -->\n\nNone.\n\n<!-- /missing -->',
      );
    });

    it('are told apart by where they answer', () => {
      const support = supportOf(service.app, list, gaps);
      expect(support).toContainEqual({
        route: 'DELETE /12/accounts/:account_id',
        section: '3, 4.1',
        host: 'sandbox only',
        works: true,
      });
      expect(support).toContainEqual({
        route: 'GET /12/accounts',
        section: '3, 4.1',
        host: 'ads',
        works: true,
      });
    });

    it('have a section of the specification', () => {
      expect(list.filter(({ section }) => !/^[123], 4\.\d+$/.test(section))).toEqual([]);
    });
  });
});
