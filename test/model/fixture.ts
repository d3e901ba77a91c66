import type { Sent } from './service.js';

/**
 * The requests of a failing sequence as a file that `marquee fixtures` replays on an account of its own. Ids of what the
 * requests created are references. Posts and other accounts stay as they are, since no request of the sequence made them.
 */
export function fixtureOf(accountId: string, sent: readonly Sent[]): string {
  const references = new Map([[accountId, '${.env:MARQUEE_ACCOUNT_ID}']]);
  const replaced = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value ?? {}).replaceAll(/[0-9a-z]{11,19}/g, (id) => references.get(id) ?? id));
  const fixtures = sent.map(({ method, path, params, json, status, made }, index) => {
    const name = `request${index + 1}`;
    const fixture = { name, method: method.toLowerCase(), path, params: json ?? params, expected_status: status };
    const written = replaced(fixture);
    const isList =
      path.includes('/batch/') || made.length > 1 || (method === 'POST' && path.endsWith('/promoted_posts'));
    if (method === 'POST')
      made.forEach((id, at) => references.set(id, isList ? `\${${name}:${at}.id}` : `\${${name}:id}`));
    return written;
  });
  return JSON.stringify({ _meta: { template_version: 0 }, fixtures }, null, 2);
}
