import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Endpoint, withoutNames } from '../../common/http/hints/endpoints.js';
import { routesOf } from '../../common/http/server/server.js';
import { familyOf } from '../../common/http/urls/public-urls.js';
import { handlersOf } from './handlers.js';

/** An endpoint that is asked for, and how it stands with it. */
export interface Support extends Endpoint {
  host: 'base' | 'ads' | 'sandbox only';
  works: boolean;
}

/** How the application stands with the endpoints of a list. */
export function supportOf(app: NestFastifyApplication, list: Endpoint[]): Support[] {
  const answered = new Set(routesOf(app).map(withoutNames));
  const sandboxOnly = new Set(
    handlersOf(app)
      .filter(({ rules }) => rules.sandboxOnly)
      .flatMap(({ routes }) => routes.map(withoutNames)),
  );
  return list.map(({ route, origin }) => {
    const works = answered.has(withoutNames(route));
    const family = familyOf(route.split(' ')[1]) === 'ads' ? 'ads' : 'base';
    return { route, origin, host: sandboxOnly.has(withoutNames(route)) ? 'sandbox only' : family, works };
  });
}

/** Routes of the application that are neither in the list nor named, as code, in the text on gaps. */
export function unexplainedRoutes(app: NestFastifyApplication, list: Endpoint[], gaps: string): string[] {
  const named = [...gaps.matchAll(/`((?:GET|POST|PUT|DELETE|PATCH) \/[^`]*)`/g)].map(([, route]) => route);
  const known = new Set([...list.map(({ route }) => route), ...named].map(withoutNames));
  return routesOf(app).filter((route) => !known.has(withoutNames(route)));
}

const TITLES = { specification: 'Specification', beyond: 'Beyond the specification, needed for it to work' } as const;

/** The table as Markdown, with the counts first. */
export function supportText(support: Support[]): string {
  const sections = (['specification', 'beyond'] as const).map((origin) => {
    const endpoints = support.filter((each) => each.origin === origin);
    const lines = endpoints.map(
      ({ route, host, works }) => `| \`${route}\` | ${host} | ${works ? 'yes' : 'not yet'} |`,
    );
    return [`## ${TITLES[origin]}`, '', '| Endpoint | Host | Works |', '|---|---|---|', ...lines, ''];
  });
  const counts = (['specification', 'beyond'] as const).map((origin) => {
    const endpoints = support.filter((each) => each.origin === origin);
    return `| ${TITLES[origin]} | ${endpoints.filter(({ works }) => works).length} | ${endpoints.length} |`;
  });
  return [
    '# What works',
    '',
    'Written by `npm run support` from the routes of the running application; do not edit. *base* is `BASE_URL`, *ads* is',
    '`ADS_BASE_URL` and `ADS_SANDBOX_BASE_URL` alike, *sandbox only* answers 404 outside the sandbox.',
    '',
    '| | Works | Of |',
    '|---|---|---|',
    ...counts,
    '',
    ...sections.flat(),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

/** The text of the README with the counts of the specification where its comments say that they stand. */
export function withCounts(readme: string, support: Support[]): string {
  const specified = support.filter(({ origin }) => origin === 'specification');
  const counts = { total: specified.length, works: specified.filter(({ works }) => works).length };
  return Object.entries(counts).reduce((text, [name, count]) => {
    const begin = `<!-- ${name} -->`;
    const from = text.indexOf(begin) + begin.length;
    const to = text.indexOf('<!-- -->', from);
    if (from < begin.length || to < 0) throw new Error(`README.md has no place for the count "${name}" any more`);
    return `${text.slice(0, from)}${count}${text.slice(to)}`;
  }, readme);
}
