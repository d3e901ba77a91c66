import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Endpoint, withoutParameterNames } from '../../common/http/hints/endpoints.js';
import { routesOf } from '../../common/http/server/server.js';
import { serviceName } from '../../common/http/hints/synonyms.js';
import { isAbsent, type ReferenceEndpoint } from '../../common/http/hints/x-reference.js';
import { familyOf } from '../../common/http/urls/public-urls.js';
import { groupedBy } from '../../common/values/grouped.js';
import { handlersOf } from './handlers.js';

/** An endpoint, and whether the application supports it. */
interface Support {
  route: string;
  /** Absent beyond the specification. */
  section?: string;
  host: 'base' | 'ads' | 'sandbox only';
  works: boolean;
}

const isAds = (route: string): boolean => familyOf(route.split(' ')[1]) === 'ads';

/** Returns the endpoints of the specification, and the other advertising routes that `gaps` does not explain. */
export function supportOf(app: NestFastifyApplication, list: Endpoint[], gaps: string): Support[] {
  const answered = new Set(routesOf(app).map(withoutParameterNames));
  const sandboxOnly = new Set(
    handlersOf(app)
      .filter(({ rules }) => rules.sandboxOnly)
      .flatMap(({ routes }) => routes.map(withoutParameterNames)),
  );
  const beyond = otherRoutes(app, list, gaps).filter(isAds);
  return [...list, ...beyond.map((route) => ({ route }))].map((endpoint) => {
    const name = withoutParameterNames(endpoint.route);
    const family = isAds(endpoint.route) ? 'ads' : 'base';
    return { ...endpoint, host: sandboxOnly.has(name) ? 'sandbox only' : family, works: answered.has(name) };
  });
}

/** Returns the routes that are no advertising routes, and neither in the list nor explained in `gaps`. */
export const unexplainedRoutes = (app: NestFastifyApplication, list: Endpoint[], gaps: string): string[] =>
  otherRoutes(app, list, gaps).filter((route) => !isAds(route));

/** The routes of the application that are neither in the list nor, as code, in the text on gaps. */
function otherRoutes(app: NestFastifyApplication, list: Endpoint[], gaps: string): string[] {
  const named = [...gaps.matchAll(/`((?:GET|POST|PUT|DELETE|PATCH) \/[^`]*)`/g)].map(([, route]) => route);
  const known = new Set([...list.map(({ route }) => route), ...named].map(withoutParameterNames));
  return routesOf(app).filter((route) => !known.has(withoutParameterNames(route)));
}

const TITLES = { specification: 'Specification', beyond: 'Beyond the specification, needed for it to work' } as const;

/** Returns the tables as Markdown, with the counts first. */
export function supportText(support: Support[]): string {
  const specified = support.filter(({ section }) => section !== undefined);
  const beyond = support.filter(({ section }) => section === undefined);
  return `${[
    '# What works',
    '',
    '`npm run support` writes this page from the routes of the running application. Do not edit it. *base* is `BASE_URL`, *ads*',
    'is both `ADS_BASE_URL` and `ADS_SANDBOX_BASE_URL`, and *sandbox only* answers 404 outside the sandbox. *Section* is the part',
    'and the section of the specification: part 1 has the shared rules, authentication, audiences, insights and webhook replay,',
    'part 2 creatives, part 3 campaign management.',
    '',
    '| | Works | Of |',
    '|---|---|---|',
    `| ${TITLES.specification} | ${specified.filter(({ works }) => works).length} | ${specified.length} |`,
    `| ${TITLES.beyond} | ${beyond.length} | ${beyond.length} |`,
    '',
    `## ${TITLES.specification}`,
    '',
    '| Endpoint | Section | Host | Works |',
    '|---|---|---|---|',
    ...specified.map(
      ({ route, section, host, works }) => `| \`${route}\` | ${section} | ${host} | ${works ? 'yes' : 'not yet'} |`,
    ),
    '',
    `## ${TITLES.beyond}`,
    '',
    '| Endpoint | Host |',
    '|---|---|',
    ...beyond.map(({ route, host }) => `| \`${route}\` | ${host} |`),
  ].join('\n')}\n`;
}

/** Returns the README with the current counts between its comments. */
export function withCounts(readme: string, support: Support[]): string {
  const specified = support.filter(({ section }) => section !== undefined);
  const counts = { total: specified.length, works: specified.filter(({ works }) => works).length };
  return Object.entries(counts).reduce((text, [name, count]) => {
    const begin = `<!-- ${name} -->`;
    const from = text.indexOf(begin) + begin.length;
    const to = text.indexOf('<!-- -->', from);
    if (from < begin.length || to < 0) throw new Error(`README.md has no place for the count "${name}"`);
    return `${text.slice(0, from)}${count}${text.slice(to)}`;
  }, readme);
}

const ACCOUNT = '/12/accounts/:account_id';
const [BEGIN, END] = ['<!-- missing -->', '<!-- /missing -->'];

/** Returns the README with the absent endpoints of X between its comments: a line for each group. */
export function withAbsentEndpoints(readme: string, reference: readonly ReferenceEndpoint[]): string {
  const [from, to] = [readme.indexOf(BEGIN) + BEGIN.length, readme.indexOf(END)];
  if (from < BEGIN.length || to < from) throw new Error('README.md has no place for the missing endpoints of X');
  const groups = groupedBy(reference.filter(isAbsent), ({ group }) => group);
  const lines = [...groups].map(([group, endpoints]) => {
    const paths = groupedBy(endpoints, ({ path }) => path);
    const shown = [...paths].map(([path, each]) => {
      const methods = each.map(({ method }) => method).join(' ');
      return `\`${methods} ${path.startsWith(ACCOUNT) ? `A${path.slice(ACCOUNT.length)}` : path}\``;
    });
    return `- ${group}: ${shown.join(', ')}`;
  });
  return `${readme.slice(0, from)}\n\n${lines.join('\n') || 'None.'}\n\n${readme.slice(to)}`;
}

/** Returns a sentence for each endpoint of X whose state does not fit the routes of the application. */
export function misstatedEndpoints(app: NestFastifyApplication, reference: readonly ReferenceEndpoint[]): string[] {
  const answered = new Set(routesOf(app).map(withoutParameterNames));
  return reference.flatMap((each) => {
    const { method, path, state } = each;
    const here = path.split('/').map(serviceName).join('/');
    if (answered.has(withoutParameterNames(`${method} ${here}`)) !== isAbsent(each)) return [];
    return [`assets/x-reference.tsv: ${method} ${path} is ${state}, but ${isAbsent(each) ? 'has a' : 'has no'} route.`];
  });
}
