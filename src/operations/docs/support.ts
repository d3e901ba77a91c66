import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { routesOf } from '../../common/http/server.js';
import { familyOf } from '../../common/http/public-urls.js';
import { handlersOf } from './handlers.js';

/** An endpoint that is asked for, and how it stands with it. */
export interface Support {
  /** As `METHOD /path/:parameter`. */
  route: string;
  origin: 'specification' | 'beyond';
  host: 'base' | 'ads' | 'sandbox only';
  works: boolean;
}

/** How the application stands with the endpoints of a list: lines of method, path and origin, the first one naming them. */
export function supportOf(app: NestFastifyApplication, list: string): Support[] {
  const answered = new Set(routesOf(app).map(withoutNames));
  const sandboxOnly = new Set(
    handlersOf(app)
      .filter(({ rules }) => rules.sandboxOnly)
      .flatMap(({ routes }) => routes.map(withoutNames)),
  );
  return endpointsIn(list).map(({ route, origin }) => {
    const works = answered.has(withoutNames(route));
    const family = familyOf(route.split(' ')[1]) === 'ads' ? 'ads' : 'base';
    return { route, origin, host: sandboxOnly.has(withoutNames(route)) ? 'sandbox only' : family, works };
  });
}

/** Routes of the application that are neither in the list nor named, as code, in the text on gaps. */
export function unexplainedRoutes(app: NestFastifyApplication, list: string, gaps: string): string[] {
  const named = [...gaps.matchAll(/`((?:GET|POST|PUT|DELETE|PATCH) \/[^`]*)`/g)].map(([, route]) => route);
  const known = new Set([...endpointsIn(list).map(({ route }) => route), ...named].map(withoutNames));
  return routesOf(app).filter((route) => !known.has(withoutNames(route)));
}

function endpointsIn(list: string): Pick<Support, 'route' | 'origin'>[] {
  return list
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [method, path, origin] = line.trim().split('\t');
      return { route: `${method} ${path}`, origin: origin === 'beyond' ? 'beyond' : 'specification' };
    });
}

/** What a parameter is called does not make another route of it. */
const withoutNames = (route: string) => route.replace(/:\w+/g, ':');

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
