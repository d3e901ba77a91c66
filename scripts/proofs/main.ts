/** `npm run proof -- <names | all>`: what the service promises, tried on real processes. See docs/proofs.md. */
import 'reflect-metadata';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { attempted } from './support/attempted.js';
import { settings } from './support/settings.js';
import { endStagesWithProcess } from './support/stage.js';
import { type Figure, printTable } from './support/table.js';

type Prove = () => Promise<Figure[]>;

/** Imported when their turn comes: each on its own has to work without what the others need. */
const PROOFS: Record<string, () => Promise<{ prove: Prove }>> = {
  kill: () => import('./kill.js'),
  outages: () => import('./outages.js'),
  failover: () => import('./failover.js'),
  'redis-failover': () => import('./redis-failover.js'),
  'failover-patroni': () => import('./failover-patroni.js'),
  'read-replicas': () => import('./read-replicas.js'),
  rolling: () => import('./rolling.js'),
  recreate: () => import('./recreate.js'),
  model: () => import('./model.js'),
  races: () => import('./races.js'),
  linearizability: () => import('./linearizability.js'),
  idempotency: () => import('./idempotency.js'),
  overload: () => import('./overload.js'),
  endurance: () => import('./endurance.js'),
  'sign-in': () => import('./sign-in.js'),
  replay: () => import('./replay.js'),
  'clock-skew': () => import('./clock-skew.js'),
  memory: () => import('./memory.js'),
  'media-memory': () => import('./media-memory.js'),
  start: () => import('./start.js'),
  node: () => import('./node.js'),
  operator: () => import('./operator.js'),
  'first-hour': () => import('./first-hour.js'),
  'hostile-bodies': () => import('./hostile-bodies.js'),
  'slow-senders': () => import('./slow-senders.js'),
  'hostile-media': () => import('./hostile-media.js'),
  'scheduled-posts': () => import('./scheduled-posts.js'),
  'test-clocks': () => import('./test-clocks.js'),
  delivery: () => import('./delivery.js'),
  'audience-uploads': () => import('./audience-uploads.js'),
  privacy: () => import('./privacy.js'),
  'deleted-people': () => import('./deleted-people.js'),
  restore: () => import('./restore.js'),
  retention: () => import('./retention.js'),
  webhooks: () => import('./webhooks.js'),
  'webhook-replay': () => import('./webhook-replay.js'),
  'workbench-attack': () => import('./workbench-attack.js'),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '30' },
    only: { type: 'string', default: '' },
    logs: { type: 'string' },
    results: { type: 'string' },
  },
});
const names = positionals.includes('all') ? Object.keys(PROOFS) : positionals;
const minutes = Number(values.minutes);
if (names.length === 0 || names.some((name) => !(name in PROOFS)) || !(minutes > 0)) {
  console.error(
    `Usage: npm run proof -- <all | ${Object.keys(PROOFS).join(' | ')}> ... [--quick] [--minutes N] [--only <outage, race or part>] [--logs <folder>] [--results <file>]`,
  );
  process.exit(2);
}
Object.assign(settings, { quick: values.quick, minutes, only: values.only });
if (values.logs !== undefined) {
  settings.logs = resolve(values.logs);
  mkdirSync(settings.logs, { recursive: true });
}

endStagesWithProcess();
const done: { proof: string; figures: Figure[] }[] = [];
for (const proof of names) {
  console.log(`${proof} (${availableParallelism()} cores, load average ${loadavg()[0].toFixed(1)}) ...`);
  const began = performance.now();
  const figures = await attempted(async () => (await PROOFS[proof]()).prove());
  const broken = figures.filter(({ ok }) => !ok).map(described);
  const verdict = broken.length === 0 ? 'all kept' : `FAILED: ${broken.join(', ')}`;
  console.log(`${proof}: ${((performance.now() - began) / 1_000).toFixed(0)} s, ${verdict}`);
  done.push({ proof, figures });
}
printTable(done);
const failed = done.flatMap(({ figures }) => figures).filter(({ ok }) => !ok).length;
if (settings.quick)
  console.log('\nTried out with --quick: shorter and fewer than what is promised; durations are not judged.');
if (values.results !== undefined) {
  const checks = done.flatMap(({ proof, figures }) =>
    figures
      .filter(({ promise, isUnjudged }) => promise !== '' && !isUnjudged)
      .map((figure) => ({ name: `${proof}: ${described(figure)}`, passed: figure.ok })),
  );
  writeFileSync(values.results, JSON.stringify(checks));
}
console.log(failed === 0 ? '\nAll promises were kept.' : `\n${failed} FAILED`);
process.exit(failed === 0 ? 0 : 1);

function described({ part, name, measured }: Figure): string {
  return `${part === undefined ? '' : `${part}: `}${name} (${measured})`;
}
