import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource, EntityManager } from 'typeorm';
import { Rows } from '../../../src/common/db/query/rows.js';
import { run, useExecutors, type Executor } from '../../../src/common/db/query/statement.js';
import type { Freshness } from '../../../src/common/db/query/freshness.js';
import { Thing } from './model.js';

const SOURCES = join(import.meta.dirname, '../../../src');

/** The methods of a source file that say on whose behalf rows are read, or that they are an answer: `method`, or `method twice`. */
function optedIn(name: string, text: string): string[] {
  const optsIn = name.endsWith('.statements.ts') ? /\bfreshness\b/ : /\.(readBy|asAnswer)\(/;
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
  const files = DOMAINS.flatMap((domain) =>
    readdirSync(join(SOURCES, domain), { recursive: true, encoding: 'utf8' }).map((name) => `${domain}/${name}`),
  ).filter((name) => name.endsWith('.ts'));
  const found = (methodsIn: (name: string, text: string) => string[]) =>
    files
      .flatMap((name) => {
        const methods = methodsIn(name, readFileSync(join(SOURCES, name), 'utf8'));
        return methods.length > 0 ? [`${name.replace(/.*\//, '').replace(/\.ts$/, '')}: ${methods.join(', ')}`] : [];
      })
      .toSorted();

  it('are pages and single rows of these, besides some statements: only what a request answers', () => {
    expect(found(optedIn)).toEqual([
      'account-history.service: list',
      'account-statistics.statements: deliveryOptions twice',
      'active-entities.statements: activityOf twice',
      'audience-access.service: sharedWith, visibleTo',
      'cards.service: listAll',
      'delivered.statements: chargedIn twice',
      'line-item-apps.service: of',
      'media-library.service: get',
      'post-terms.statements: lookedUpBy',
      'post.queries: composed, visible, of',
      'reach.statements: impressionsOf twice',
      'resource-rows: rowsOfAccount',
      'statistics-jobs.service: visibleTo',
    ]);
  });

  it('are those of every GET under an account but these', () => {
    const onPrimary = (_: string, text: string) =>
      [...text.matchAll(/readsPrimary: true[^]*?\n {2}(?:async )?(\w+)\(/g)].map(([, method]) => method);
    expect(found(onPrimary)).toEqual(['audience-users.controller: diagnose']);
  });
});

describe('an answer', () => {
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
    const rows = new Rows(db, Thing).readBy({ freshness }).asAnswer().setLock('for_no_key_update');
    expect(() => rows.runOptions()).toThrow('A read that locks rows cannot use a read replica.');
  });

  it('is a page or one row; look-ups and guards stay on the primary, and all that a write reads', () => {
    const things = () => new Rows(db, Thing).readBy({ freshness });
    expect(things().runOptions({ large: true })).toEqual({ large: true });
    expect(things().asAnswer().runOptions({ large: true })).toEqual({ large: true, freshness });
    expect(new Rows(db, Thing).readBy({}).asAnswer().runOptions({ large: true })).toEqual({ large: true });
  });
});
