import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pen } from '../../bench/load/task.js';
import { type Cluster, startCluster } from './support/cluster.js';
import { onPostgres, type Query } from './support/creates.js';
import { type Answer, ask, signed } from './support/requests.js';
import { settings } from './support/settings.js';
import { withStage } from './support/stage.js';
import { atLeast, atMost, type Figure, noted } from './support/table.js';

/** Requests of the victim, which have to be in their journal at the end of each part. */
const OWN = () => (settings.quick ? 40 : 200);
const FLOOD_MS = () => (settings.quick ? 5_000 : 30_000);
const AT_ONCE = 64;
/** What the journal keeps of rejected requests, and how long its job may take to remove the others. */
const REJECTED = 1_000;
const TRIMMED_WITHIN_MS = 150_000;
/** A read that waits longer is 503. */
const LONGEST_READ_MS = 6_000;

/** Texts that mean something to what reads them: a separator, an end, a quotation mark, another letter. */
const HOSTILE = ['a\nb', '\n', '\r\n', 'a\0b', '\0', '\x7f', '"', "'", ' ', 'é', '\u2028', '%', '{}', '*'];
const OAUTH = ['consumer_key', 'token', 'nonce', 'signature', 'timestamp', 'verifier', 'version', 'callback'];

const HASH = 'c0de'.repeat(16);
/** What no journal may contain afterwards. */
const SECRETS = [HASH, 'jane@mail.example', 'own-id-4711', 'hidden-secret', '4242424242'];

/**
 * A stranger attacks the workbench of a victim on two replicas: with separators in whatever a request names, with floods in the
 * name of the victim, and by reading what uploads have left in journals.
 */
export function prove(): Promise<Figure[]> {
  return withStage(async (stage) => {
    // the limit of unsigned requests would hide what else protects the workbench
    const environment = { WORKBENCH: 'true', SANDBOX: 'true', RATE_LIMIT_UNSIGNED: '1000000000/60' };
    const cluster = await startCluster(stage, { environment });
    return onPostgres(cluster.world.databaseUrl, async (query) => {
      const attack = new Attack(cluster, query);
      const figures = [
        ...(await attack.separators()),
        ...(await attack.everyParameter()),
        ...(await attack.flood()),
        ...(await attack.uploads()),
      ];
      return [...figures, ...(await attack.aftermath())];
    });
  });
}

class Attack {
  private readonly victim: Pen;
  private serverErrors = 0;
  private answers = 0;

  constructor(
    private readonly cluster: Cluster,
    private readonly query: Query,
  ) {
    this.victim = cluster.world.pen;
  }

  /** Separators in every parameter of OAuth, in the header, the query and a form, between requests of the victim. */
  async separators(): Promise<Figure[]> {
    const { id } = this.cluster.world.account;
    const forged = ['a', await this.applicationId(), '', 'forged', '1', '1', 'POST', '', '/forged', '201'].join('\n');
    const texts = [...HOSTILE, `${forged}\n`.repeat(3)];
    const attacks = OAUTH.flatMap((name) =>
      texts.flatMap((text) => ['header', 'query', 'form'].map((place) => () => this.unsigned(name, text, place))),
    );
    const own = OWN();
    for (const [i, attack] of attacks.entries()) {
      await attack();
      if (i % Math.ceil(attacks.length / own) === 0) await this.own('GET', `/12/accounts/${id}/campaigns?count=1`);
    }
    const sent = Math.ceil(attacks.length / Math.ceil(attacks.length / own));
    // on each replica: a read asks the other one, too
    const counts = await Promise.all(this.cluster.replicas.map(({ port }) => this.count('status=2xx', port)));
    const forgeries = await this.query(
      `SELECT FROM journaled_requests WHERE path LIKE '%forged%' OR "requestId" = 'forged'`,
      [],
    );
    return [
      noted('separators sent, requests of the victim between them', `${attacks.length}, ${sent}`),
      atMost('requests of the victim that are not in the journal', sent - Math.min(...counts), 0),
      atMost('forged requests in journals', forgeries.length, 0),
    ];
  }

  /** NUL and line breaks in every path, query and body of the document, signed: bad input is 4xx. */
  async everyParameter(): Promise<Figure[]> {
    const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as { paths: Record<string, Item> };
    const before = this.serverErrors;
    const texts = settings.quick ? ['a\0b'] : ['\0', 'a\0b', 'a\nb', '\x7f', '\u2028'];
    const requests = Object.entries(paths)
      // would end the token that signs
      .filter(([path]) => !path.includes('invalidate_token'))
      .flatMap(([path, item]) =>
        Object.entries(item).flatMap(([method, { parameters = [] }]) =>
          texts.flatMap((text) =>
            hostileRequests(path.replace('{account_id}', this.cluster.world.account.id), method, parameters, text),
          ),
        ),
      );
    const sent = requests.length;
    const sending = async () => {
      for (let next = requests.pop(); next; next = requests.pop()) await this.own(...next);
    };
    await Promise.all(Array.from({ length: 8 }, sending));
    return [
      noted('signed requests with control characters', `${sent}`),
      atMost('of them answered 5xx other than 503', this.serverErrors - before, 0),
    ];
  }

  /** Unsigned requests in the name of the victim, as fast as they go, while the victim reads. */
  async flood(): Promise<Figure[]> {
    const { id } = this.cluster.world.account;
    const before = await this.count('status=2xx');
    for (let i = 0; i < OWN(); i++) await this.own('GET', `/12/accounts/${id}/campaigns?count=1`);
    const until = performance.now() + FLOOD_MS();
    let sent = 0;
    const { replicas } = this.cluster;
    const flooding = Array.from({ length: AT_ONCE }, async (_, i) => {
      const query = new URLSearchParams({ oauth_consumer_key: this.victim.consumer.key }).toString();
      for (; performance.now() < until; sent++)
        await this.noting(ask(replicas[i % 2].port, unsignedAt(`/12/accounts?${query}`, this.cluster.host)));
    });
    const reads: { ms: number; status: number }[] = [];
    const reading = (async () => {
      while (performance.now() < until) {
        const began = performance.now();
        const { status } = await this.own('GET', '/workbench/requests?status=2xx&max_results=1');
        reads.push({ ms: performance.now() - began, status });
      }
    })();
    await Promise.all([...flooding, reading]);
    const left = (await this.count('status=2xx')) - before;
    return [
      noted(
        'unsigned requests in the name of the victim',
        `${sent}, ${Math.round(sent / (FLOOD_MS() / 1_000))} a second`,
      ),
      atLeast('reads of the journal meanwhile', reads.length, 1),
      atMost('reads that failed', reads.filter(({ status }) => status !== 200).length, 0),
      atMost('slowest read', Math.max(...reads.map(({ ms }) => ms)), LONGEST_READ_MS, 'ms'),
      atMost('requests of the victim that were pushed out', OWN() - left, 0),
      ...(settings.quick ? [] : [atMost('rejected requests that are kept', await this.rejectedAfterTrim(), REJECTED)]),
    ];
  }

  /** People and secrets, at the right and at wrong places. */
  async uploads(): Promise<Figure[]> {
    const accountId = this.cluster.world.account.id;
    const account = `/12/accounts/${accountId}`;
    const created = await this.own('POST', `${account}/custom_audiences?name=Proof`);
    const { id } = (JSON.parse(created.body) as { data: { id: string } }).data;
    const people = `${account}/custom_audiences/${id}/users`;
    const batch = `/12/batch/accounts/${accountId}/campaigns`;
    const right = { users: [{ email: [HASH], partner_user_id: ['own-id-4711'] }] };
    const statuses: number[] = [];
    const post = async (target: string, params: object) => {
      const body = JSON.stringify([{ operation_type: 'Update', params }]);
      statuses.push((await this.own('POST', target, body)).status);
    };
    await post(people, right);
    await post(people, { users: [{ email: ['jane@mail.example'] }] });
    await post(people, { users: [{ phone_number: [4242424242] }] });
    await post(people, { users: 'own-id-4711' });
    await post(batch, right);
    await post(batch, { password: { a: ['hidden-secret'] }, client_secret: 4242424242, note: 'jane@mail.example' });
    await post(`${account}/campaigns`, { url: 'https://jane:hidden-secret@mail.example/?token=own-id-4711' });
    await this.own('GET', `${account}/campaigns?q=${encodeURIComponent('jane@mail.example')}&password=hidden-secret`);
    await this.count('');
    const rows = (await this.query('SELECT path, detail FROM journaled_requests', [])) as Record<string, string>[];
    const texts = rows.flatMap(({ path, detail }) => [path, detail, unescaped(detail)]);
    const found = SECRETS.filter((secret) => texts.some((text) => text.includes(secret)));
    return [
      noted('uploads accepted, rejected', `${statuses.filter((one) => one < 300).length}, ${statuses.length}`),
      atLeast('uploads accepted', statuses.filter((one) => one < 300).length, 1),
      atMost('people and secrets found in journals', found.length, 0),
    ];
  }

  async aftermath(): Promise<Figure[]> {
    const unhandled = await Promise.all(
      this.cluster.replicas.map(async ({ port }) => {
        const { body } = await ask(port, { method: 'GET', target: '/metrics', headers: {} });
        return Number(/^marquee_unhandled_errors_total (\d+)$/m.exec(body)?.[1] ?? NaN);
      }),
    );
    return [
      noted('answers in all', `${this.answers}`),
      atMost('answers of 5xx other than 503', this.serverErrors, 0),
      atMost('errors that nothing handled', unhandled[0] + unhandled[1], 0),
      atMost(
        'processes that ended',
        this.cluster.replicas.reduce((sum, { crashes }) => sum + crashes, 0),
        0,
      ),
    ];
  }

  /** A request that is not signed and has this text as a parameter of OAuth, on both replicas. */
  private async unsigned(name: string, text: string, place: string): Promise<void> {
    const oauth = {
      oauth_consumer_key: this.victim.consumer.key,
      oauth_token: 'x',
      oauth_nonce: 'x',
      oauth_signature: 'x',
      oauth_signature_method: 'HMAC-SHA1',
      oauth_timestamp: String(Math.floor(Date.now() / 1_000)),
      [`oauth_${name}`]: text,
    };
    const pairs = new URLSearchParams(oauth).toString();
    const { host } = this.cluster;
    const header = Object.entries(oauth).map(([each, value]) => `${each}="${encodeURIComponent(value)}"`);
    const request =
      place === 'header'
        ? unsignedAt('/12/accounts', host, { authorization: `OAuth ${header.join(', ')}` })
        : place === 'query'
          ? unsignedAt(`/12/accounts?${pairs}`, host)
          : {
              ...unsignedAt('/oauth/request_token', host, { 'content-type': 'application/x-www-form-urlencoded' }),
              method: 'POST',
              body: pairs,
            };
    await Promise.all(this.cluster.replicas.map(({ port }) => this.noting(ask(port, request))));
  }

  private own(method: string, target: string, body?: string, port = this.cluster.port): Promise<Answer> {
    return this.noting(ask(port, signed(this.cluster.host, this.victim, method, target, body)), `${method} ${target}`);
  }

  private async count(query: string, port?: number): Promise<number> {
    const { status, body } = await this.own('POST', `/workbench/requests/count?${query}`, undefined, port);
    if (status !== 200) throw new Error(`the journal answered ${status}: ${body}`);
    return (JSON.parse(body) as { data: { count: number } }).data.count;
  }

  private async noting(asked: Promise<Answer>, what = 'unsigned'): Promise<Answer> {
    const answer = await asked;
    this.answers++;
    // 503 asks to try again: a busy machine says so
    if (answer.status >= 500 && answer.status !== 503) {
      this.serverErrors++;
      console.error(answer.status, what, answer.body.slice(0, 300));
    }
    return answer;
  }

  private async rejectedAfterTrim(): Promise<number> {
    for (const until = performance.now() + TRIMMED_WITHIN_MS; ; await pause(1_000)) {
      const count = await this.count('status=401');
      if (count <= REJECTED || performance.now() > until) return count;
    }
  }

  private async applicationId(): Promise<string> {
    const [{ id }] = (await this.query('SELECT id FROM applications WHERE "consumerKey" = $1', [
      this.victim.consumer.key,
    ])) as { id: string }[];
    return id;
  }
}

interface Parameter {
  in: string;
  name: string;
}
type Item = Record<string, { parameters?: Parameter[] }>;

/** Requests with a text in each parameter: in the path, in the query, and in a body of JSON. */
function hostileRequests(
  path: string,
  method: string,
  parameters: Parameter[],
  text: string,
): [method: string, target: string, body?: string][] {
  const value = encodeURIComponent(text);
  const verb = method.toUpperCase();
  const query = parameters.filter((each) => each.in === 'query').map(({ name }) => `${name}=${value}`);
  const usual = path.replaceAll(/\{\w+\}/g, 'abc');
  const body = JSON.stringify([{ operation_type: text, params: { name: text, [text]: text } }]);
  return [
    [verb, path.replaceAll(/\{\w+\}/g, value)],
    [verb, `${usual}?${query.join('&')}`],
    ...(method === 'get' ? [] : [[verb, usual, body] as [string, string, string]]),
  ];
}

const unsignedAt = (target: string, host: string, headers: Record<string, string> = {}) => ({
  method: 'GET',
  target,
  headers: { host, ...headers },
});

/** A text without its escapes, twice as in base strings. */
function unescaped(text: string): string {
  const once = (escaped: string) =>
    escaped.replace(/%([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  return once(once(text));
}
