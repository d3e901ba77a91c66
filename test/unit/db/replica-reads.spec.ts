import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource, EntityManager } from 'typeorm';
import { Rows } from '../../../src/common/db/query/rows.js';
import { run, useExecutors, type Executor } from '../../../src/common/db/query/statement.js';
import type { Freshness } from '../../../src/common/db/query/freshness.js';
import { Thing } from './model.js';

const SOURCES = join(import.meta.dirname, '../../../src');

/** The methods of a source file that let a read replica run a read: `method`, or `method twice`. */
function optedIn(name: string, text: string): string[] {
  const optsIn = name.endsWith('.statements.ts') ? /\bfreshness\b/ : /\.allowReplica\(/;
  const methods: string[] = [];
  let method = '';
  for (const line of text.split('\n')) {
    // a method of a class is indented by two spaces, a function not at all
    const found =
      /^ {2}(?:private |async )*(\w+)(?:<[^>]*>)?\(/.exec(line) ??
      /^(?:export )?(?:async )?(?:const|function) (\w+)/.exec(line);
    method = found?.[1] ?? method;
    if (optsIn.test(line) && !line.startsWith('import')) methods.push(method);
  }
  const isTwice = (each: string) => methods.indexOf(each) < methods.lastIndexOf(each);
  return [...new Set(methods)].map((each) => (isTwice(each) ? `${each} twice` : each));
}

const DOMAINS = [
  'accounts',
  'audiences',
  'auth',
  'campaigns',
  'cli',
  'creatives',
  'demo',
  'sandbox',
  'statistics',
  'webhooks',
];

describe('reads that may use a read replica', () => {
  it('are these and no others: only what a request answers, never what a write, a cache or a job depends on', () => {
    const files = DOMAINS.flatMap((domain) =>
      readdirSync(join(SOURCES, domain), { recursive: true, encoding: 'utf8' }).map((name) => `${domain}/${name}`),
    ).filter((name) => name.endsWith('.ts'));
    const sites = files.flatMap((name) => {
      const methods = optedIn(name, readFileSync(join(SOURCES, name), 'utf8'));
      return methods.length > 0 ? [`${name.replace(/.*\//, '').replace(/\.ts$/, '')}: ${methods.join(', ')}`] : [];
    });
    expect(sites.toSorted()).toEqual([
      'account-apps.service: list',
      'account-history.service: list',
      'account-media.service: list, get',
      'account-statistics.statements: deliveryOptions twice',
      'active-entities.statements: activityOf twice',
      'all-cards.service: list',
      'audience-permissions.service: list',
      'campaigns.service: list, get',
      'card-store.service: get',
      'cards.service: list',
      'conversation-cards.service: list',
      'custom-audiences.service: list, get',
      'do-not-reach-lists.service: list',
      'draft-posts.service: list, get',
      'funding-instruments.service: list, get',
      'line-item-curated-categories.service: list',
      'line-items.service: list, get',
      'media-creatives.service: list',
      'media-library.service: list, get',
      'parent-line-items.service: getBelonging',
      'poll-cards.service: list',
      'post-terms.statements: lookedUpBy',
      'post.queries: published, composed, visible',
      'preroll-call-to-actions.service: list',
      'promotable-users.service: list, get',
      'promoted-accounts.service: list',
      'promoted-posts.service: list',
      'reach.statements: impressionsOf twice',
      'scheduled-posts.service: list, get',
      'scheduled-promoted-posts.service: list',
      'statistics-jobs.service: list',
      'targeting-criteria.service: list',
    ]);
  });
});

describe('a read that opted in', () => {
  const freshness: Freshness = { owner: 'account' };
  let asked: string[];
  const dataSource = { options: {}, createQueryRunner: () => undefined } as unknown as DataSource;
  const db = { dataSource, connection: dataSource, queryRunner: undefined } as unknown as EntityManager;
  const answer =
    (server: string): Executor =>
    async () => {
      asked.push(server);
      return { rows: [] };
    };
  beforeEach(() => {
    asked = [];
    useExecutors(dataSource, {
      small: answer('primary'),
      large: answer('primary, large'),
      inTransaction: async () => ({ rows: [] }),
      readReplicas: {
        run: async (config, large, _, onPrimary) => (large ? onPrimary(config) : answer('replica')(config)),
      },
    });
  });

  it('asks the replicas, which may pass it on to the connections that it would use without them', async () => {
    await run(db, { text: 'SELECT 1', values: [] }, { freshness });
    await run(db, { text: 'SELECT 1', values: [] }, { freshness, large: true });
    await run(db, { text: 'SELECT 1', values: [] });
    expect(asked).toEqual(['replica', 'primary, large', 'primary']);
  });

  it('cannot lock rows', () => {
    const rows = new Rows(db, Thing).allowReplica({ freshness }).setLock('for_no_key_update');
    expect(() => rows.runOptions()).toThrow('A read that locks rows cannot use a read replica.');
    expect(new Rows(db, Thing).allowReplica({}).runOptions({ large: true })).toEqual({ large: true });
  });
});
