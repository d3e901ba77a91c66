/** What tests get: a service or a namespace, with requests, further namespaces and a test clock. */
import { Client } from './client.js';
import { clockOptions, TestClock } from './clock.js';

/** The scopes that a client may ask for. */
const ALL_SCOPES = ['ads.read', 'ads.write', 'media.write', 'offline.access', 'users.read', 'tweet.read'];

/** The URLs of a service, as credentials have them. */
export const urlsOf = (url) => ({ base_url: url, ads_base_url: url, ads_sandbox_base_url: `${url}/sandbox` });

/**
 * A handle of whom the credentials belong to. `offset`: how far the clock of the service is ahead, in milliseconds. `frozenAt`: the
 * time at which the sandbox accounts are frozen, here and in its namespaces. `run`: as in newCredentials.
 */
export async function handleOf(credentials, { offset = 0, frozenAt, run } = {}) {
  const client = new Client(credentials, { offset });
  const clock =
    frozenAt !== undefined && credentials.sandbox_account_id !== undefined
      ? await TestClock.freeze(client, frozenAt)
      : undefined;
  const account_id = credentials.sandbox_account_id;
  const made = async (things, params) =>
    (await client.ask('POST', `/workbench/${things}`, { account_id, ...params })).data;
  return {
    credentials,
    get clock() {
      if (clock) return clock;
      throw new Error('There is no test clock: start with `clock`, and with the data of the demo or in a namespace.');
    },
    request: (...args) => client.request(...args),
    namespace: (options) => namespaceOf(client, { offset, frozenAt, run }, options),
    pixelToken: async (name = 'Tests') =>
      JSON.parse(await run('pixel', 'tokens', 'create', account_id, '--name', name, '--json')),
    oauth2Tokens: async ({ scopes = ALL_SCOPES } = {}) => {
      const { consumer_key, username } = credentials;
      // in a namespace, and in an empty service, the application is no client yet
      credentials.client_id ??= JSON.parse(
        await run('app', 'update', consumer_key, '--client', 'public', '--json'),
      ).client_id;
      const given = scopes.flatMap((scope) => ['--scope', scope]);
      return JSON.parse(await run('token', 'issue', '--user', username, '--app', consumer_key, ...given, '--json'));
    },
    engagement: (params) => made('engagements', params),
    conversion: (params) => made('conversions', params),
  };
}

/** Creates a namespace: an application, a user and accounts for one run of tests, which nobody else sees. */
async function namespaceOf(client, { offset, frozenAt, run }, { name, ttl, clock } = {}) {
  const own = clockOptions(clock);
  if (own.startsAt) throw new TypeError('A namespace has the clock of the service: clock.startsAt is for startMarquee');
  const { data } = await client.ask('POST', '/workbench/namespaces', { name, ttl });
  const inside = await handleOf(data, { offset, frozenAt: own.frozenAt ?? frozenAt, run });
  const remove = async () => void (await client.ask('DELETE', `/workbench/namespaces/${data.id}`));
  // its clock stays a getter, which throws without one
  return Object.defineProperties({ delete: remove }, Object.getOwnPropertyDescriptors(inside));
}

/**
 * Creates a user with an application and a token on a new service. `run` runs a `marquee` command and returns its standard
 * output.
 */
export async function newCredentials(run, url, username = 'tester') {
  const json = async (...argv) => JSON.parse(await run(...argv, '--json'));
  const name = `Tests of ${username}`;
  const user = await json('user', 'create', username, '--no-password');
  const application = await json('app', 'create', '--name', name, '--owner', username);
  const token = await json('token', 'issue', '--user', username, '--app', name);
  return { ...user, ...application, ...token, ...urlsOf(url) };
}
