import { readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { authorization, type Credentials } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { REDIS } from '../../support/environment.js';
import { given } from '../../support/given.js';
import { send } from '../../support/http.js';

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
  expect(shown).toMatch(/^marquee_build_info\{version="\d+\.\d+\.\d+",node="v\d+\.\S+"\} 1$/m);
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
  const pools = [...shown.matchAll(/^marquee_database_connections_most\{pool="(\w+)"\} (\d+)$/gm)];
  expect(pools.length).toBeGreaterThan(0);
  for (const [, pool, most] of pools) {
    const used = new RegExp(`^marquee_database_connections_used\\{pool="${pool}"\\} (\\d+)$`, 'm').exec(shown);
    expect(Number(used?.[1])).toBeLessThanOrEqual(Number(most));
  }
});
