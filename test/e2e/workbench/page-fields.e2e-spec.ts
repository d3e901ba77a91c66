import type { User } from '../../../src/auth/credentials/user.entity.js';
import type { Row } from '../../../src/common/db/query/rows.js';
import { useSharedApp } from '../../support/app.js';
import { given, type Application } from '../../support/given.js';
import { application as registered, person, Visitor } from '../auth/visitor.js';

/** Pages with a query, by what it ends with: the character 0 is added to it. */
const QUERIES = [
  'webhooks?job_id=a',
  'webhooks?resent=a',
  'webhooks?span=a',
  'webhooks/events?before=a',
  'webhooks/events?kind=a',
  'webhooks/events?webhook_id=a',
  'webhooks/events/x?resent=a',
  'requests?q=a',
  'requests?path=a',
  'faults?created=a',
  'snapshots?done=a',
  'accounts?q=a',
  'accounts?environment=sandbox&cursor=a',
  'statistics?account=a',
  'pixels?account=a',
];

/** Forms: the path, where `account` is one of the user, and the last field, which gets the character 0. */
const FORMS: [path: string, fields: Record<string, string>][] = [
  ['clocks', { frozen_time: '2026-09-01T10:30', name: 'a' }],
  ['clocks', { frozen_time: '2026-09-01T10:30', name: 'b', account: 'a' }],
  ['clocks/attach', { clock: 'x', account: 'a' }],
  ['clocks/attach', { account: 'x', clock: 'a' }],
  ['clocks/release', { account: 'a' }],
  ['clocks/x/detach', { account: 'a' }],
  ['clocks/x/advance', { days: '1a' }],
  ['clocks/x/advance', { frozen_time: 'a' }],
  ['snapshots', { name: 'kept', account: 'a' }],
  ['snapshots', { name: 'a' }],
  ['snapshots/reset', { to: 'EMPTY', account: 'a' }],
  ['snapshots/reset', { to: 'a' }],
  ['pixels/account/tokens', { name: 'a' }],
  ['pixels/account/conversions', { event_id: 'a' }],
  ['webhooks', { url: 'a' }],
  ['webhooks/x/subscriptions', { account_id: 'a' }],
  ['webhooks/x/subscriptions/delete', { account_id: 'a' }],
  ['webhooks/x/test-event', { kind: 'a' }],
  ['webhooks/x/replay', { from: 'a' }],
  ['requests/x/compare', { base_string: 'a' }],
  ['faults', { error_status: '503', operation: 'a' }],
  ['namespaces', { label: 'a' }],
];

/** Texts that the database does not take in a path. */
const PATHS = [
  'requests/a%00',
  'webhooks/events/a%00',
  'accounts/a%00',
  'clocks/a%00',
  'snapshots/a%00/content',
  'accounts/account/a%00',
];
const FORM_PATHS = [
  'requests/a%00/send-again',
  'clocks/a%00/delete',
  'clocks/a%00/detach',
  'webhooks/a%00/delete',
  'webhooks/a%00/validate',
  'webhooks/a%00/subscriptions',
  'webhooks/x/deliveries/a%00/resend',
  'faults/a%00/delete',
  'snapshots/a%00/restore',
  'snapshots/a%00/delete',
  'pixels/a%00/tokens',
  'pixels/account/tokens/a%00/revoke',
  'namespaces/a%00/extend',
  'namespaces/a%00/delete',
];

describe('the pages of the workbench', () => {
  useSharedApp();

  let owner: Row<User>;
  let application: Application;
  let accountId: string;
  let visitor: Visitor;

  beforeEach(async () => {
    owner = await person();
    application = await registered({ ownerId: owner.id });
    accountId = (await given.account({ userId: owner.id, environment: 'sandbox' })).id;
    visitor = await new Visitor().signIn(owner.username);
  });

  const pathOf = (path: string) =>
    `/workbench/applications/${application.id}/${path.replaceAll('account/', `${accountId}/`)}`;

  it('reject the character 0 in fields and queries, and name the field', async () => {
    const { csrf } = await visitor.get(pathOf('snapshots'));
    const outcomes: [what: string, status: number, named: boolean][] = [];
    const note = (what: string, field: string) =>
      outcomes.push([what, visitor.page.status, visitor.page.text.includes(field)]);
    for (const query of QUERIES) {
      await visitor.get(`${pathOf(query)}%00`);
      note(query, /(\w+)=\w+$/.exec(query)![1]);
    }
    for (const [path, fields] of FORMS) {
      const [name, value] = Object.entries(fields).at(-1)!;
      await visitor.post(pathOf(path), { csrf, ...fields, [name]: `${value}\0` });
      note(`${path} ${name}`, name);
    }
    const accounts: [string, string][] = [
      ['account', accountId],
      ['account', 'a\0'],
    ];
    await visitor.post(pathOf('snapshots/reset'), [['csrf', csrf], ['to', 'EMPTY'], ...accounts]);
    note('snapshots/reset with two accounts', 'account');
    for (const name of ['name', 'account_ids']) {
      await visitor.upload(
        pathOf('snapshots/import'),
        { csrf, [name]: 'a\0' },
        { field: 'file', name: 'a', text: '{}' },
      );
      note(`import ${name}`, name);
    }
    expect(outcomes.filter(([, status, named]) => status !== 400 || !named)).toEqual([]);
  });

  it('know nothing by an id with the character 0', async () => {
    const { csrf } = await visitor.get(pathOf('snapshots'));
    const outcomes: [path: string, status: number][] = [];
    for (const path of PATHS) outcomes.push([path, (await visitor.get(pathOf(path))).page.status]);
    for (const path of FORM_PATHS) {
      await visitor.post(pathOf(path), { csrf, name: 'a', account: accountId });
      outcomes.push([path, visitor.page.status]);
    }
    expect(outcomes.filter(([, status]) => ![400, 404].includes(status))).toEqual([]);
  });
});
