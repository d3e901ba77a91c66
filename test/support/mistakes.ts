import { randomBytes } from 'node:crypto';
import { BearersService } from '../../src/auth/oauth2/bearers.service.js';
import { authorization, type Answer, type Credentials, type Params } from './api.js';
import { world } from './app.js';
import { given, type Advertiser } from './given.js';
import { send } from './http.js';

/** A request as a newcomer gets it wrong, and what its hint has to say. */
export interface Mistake {
  name: string;
  status: number;
  says: (string | RegExp)[];
  make: (at: Place) => Promise<Answer>;
  /** Nothing is refused: the hint stands in a header. */
  inHeader?: boolean;
}

/** Where and as whom mistakes are made. */
export interface Place {
  /** The URL that requests are signed for. */
  base: string;
  /** Where they go, and with which headers of a proxy. */
  origin: string;
  headers: Record<string, string>;
  advertiser: Advertiser;
  /** The same user's account in the sandbox. */
  sandboxAccount: { id: string };
  funding: { id: string };
  bearer: string;
}

/** Somebody with an account in each environment. */
export async function newPlace(base: string, origin: string, headers: Record<string, string> = {}): Promise<Place> {
  const application = await given.application();
  const advertiser = await given.advertiser({ application });
  const sandboxAccount = await given.account({ userId: advertiser.user.id, environment: 'sandbox' });
  const funding = await given.fundingInstrument({ account: advertiser.account });
  const bearer = await world().get(BearersService).issue(application.id);
  return { base, origin, headers, advertiser, sandboxAccount, funding, bearer };
}

interface Changed {
  form?: Params;
  credentials?: Partial<Credentials>;
  timestamp?: number;
  nonce?: string;
  /** Does something to the header after it was made. */
  header?: (authorization: string) => string;
}

function request(at: Place, method: string, target: string, changed: Changed = {}): Promise<Answer> {
  const { form, credentials, header = (text) => text, ...when } = changed;
  const own = { ...at.advertiser.credentials, ...credentials };
  const signed = header(authorization(own, method, `${at.base}${target}`, form, when));
  const type: Record<string, string> = form ? { 'content-type': 'application/x-www-form-urlencoded' } : {};
  return send(at.origin, target, {
    method,
    headers: { authorization: signed, ...type, ...at.headers },
    ...(form && { body: new URLSearchParams(form as Record<string, string>).toString() }),
  });
}

const campaigns = ({ advertiser }: Place) => `/12/accounts/${advertiser.account.id}/campaigns`;

const create = (at: Place, changed: Params) =>
  request(at, 'POST', campaigns(at), {
    form: {
      funding_instrument_id: at.funding.id,
      name: 'Autumn',
      daily_budget_amount_local_micro: '5500000',
      ...changed,
    },
  });

const get =
  (target: string, method = 'GET') =>
  (at: Place) =>
    request(at, method, target);

const wrong = { key: 'k', secret: 's' };

/** Every mistake that there is a hint for. `ADS` in what is said stands for ADS_BASE_URL, `SANDBOX` for that of the sandbox. */
export const MISTAKES: Mistake[] = [
  { name: 'an old version', status: 404, says: ['GET ADS/12/accounts?', '12, not 11'], make: get('/11/accounts') },
  { name: 'a version to come', status: 404, says: ['GET ADS/12/accounts?', '12, not 13'], make: get('/13/accounts') },
  { name: 'no version', status: 404, says: ['GET ADS/12/accounts?', 'the version, 12'], make: get('/accounts') },
  { name: 'a slash at the end', status: 404, says: ['GET ADS/12/accounts?', 'No slash'], make: get('/12/accounts/') },
  { name: 'capitals', status: 404, says: ['GET ADS/12/accounts?', 'not Accounts'], make: get('/12/Accounts') },
  {
    name: 'a singular',
    status: 404,
    says: ['GET ADS/12/accounts/abc/campaigns?', 'campaigns, not campaign'],
    make: get('/12/accounts/abc/campaign'),
  },
  {
    name: 'an endpoint of the sandbox outside of it',
    status: 404,
    says: ['in the sandbox only', 'POST SANDBOX/12/accounts'],
    make: get('/12/accounts', 'POST'),
  },
  {
    name: 'an endpoint below the sandbox that is not there',
    status: 404,
    says: ['POST BASE/oauth/request_token?', 'not below the sandbox'],
    make: get('/sandbox/oauth/request_token', 'POST'),
  },
  {
    name: 'an endpoint that does not work yet',
    status: 404,
    says: ['GET /12/accounts/:account_id/line_items', 'not work yet', 'docs/support.md'],
    make: get('/12/accounts/abc/line_items'),
  },
  {
    name: 'an unknown consumer key',
    status: 401,
    says: ['consumer key "k" is not known', 'demo-credentials.json', 'npx marquee app create'],
    make: (at) => request(at, 'GET', '/12/accounts', { credentials: { consumer: wrong } }),
  },
  {
    name: 'an unknown token',
    status: 401,
    says: ['The consumer key is known', 'oauth_token', 'npx marquee token issue'],
    make: (at) => request(at, 'GET', '/12/accounts', { credentials: { token: wrong } }),
  },
  {
    name: 'the token of another application',
    status: 401,
    says: ['given to another application'],
    make: async (at) => {
      const { consumer } = await given.application();
      return request(at, 'GET', '/12/accounts', { credentials: { consumer } });
    },
  },
  {
    name: 'a bearer where a signed request is wanted',
    status: 403,
    says: ['signed with OAuth 1.0a', 'a bearer token', 'a user'],
    make: (at) => request(at, 'GET', '/12/accounts', { header: () => `Bearer ${at.bearer}` }),
  },
  {
    name: 'a signed request where a key and secret are wanted',
    status: 403,
    says: ['Authorization: Basic', 'signed with OAuth 1.0a'],
    make: get('/oauth2/token', 'POST'),
  },
  {
    name: 'nothing where a signed request is wanted',
    status: 401,
    says: ['signed with OAuth 1.0a', 'no Authorization header'],
    make: (at) => request(at, 'GET', '/12/accounts', { header: () => '' }),
  },
  {
    name: 'a wrong secret',
    status: 401,
    says: ['no mistake that is known here explains it', 'signature_help.base_string', 'npx marquee sign'],
    make: (at) =>
      request(at, 'GET', '/12/accounts', {
        credentials: { consumer: { ...at.advertiser.credentials.consumer, secret: 'wrong' } },
      }),
  },
  {
    name: 'no token secret',
    status: 401,
    says: ['the token secret was left empty'],
    make: (at) =>
      request(at, 'GET', '/12/accounts', {
        credentials: { token: { ...at.advertiser.credentials.token, secret: '' } },
      }),
  },
  {
    name: 'a timestamp in milliseconds',
    status: 401,
    says: ['13 digits', /seconds: \d{10}\./],
    make: (at) => request(at, 'GET', '/12/accounts', { timestamp: world().clock.seconds() * 1_000 }),
  },
  {
    name: 'a clock that is behind',
    status: 401,
    says: [/40\d seconds behind/, '300'],
    make: (at) => request(at, 'GET', '/12/accounts', { timestamp: world().clock.seconds() - 400 }),
  },
  {
    name: 'a clock that is ahead',
    status: 401,
    says: [/(400|399) seconds ahead/, '300'],
    make: (at) => request(at, 'GET', '/12/accounts', { timestamp: world().clock.seconds() + 400 }),
  },
  {
    name: 'an empty nonce',
    status: 401,
    says: ['oauth_nonce is empty', 'new random text'],
    make: (at) =>
      request(at, 'GET', '/12/accounts', { header: (text) => text.replace(/oauth_nonce="[^"]*"/, 'oauth_nonce=""') }),
  },
  {
    name: 'a nonce that was used',
    status: 401,
    says: ['taken once', 'a retry too'],
    make: async (at) => {
      const same = { nonce: randomBytes(8).toString('hex'), timestamp: world().clock.seconds() };
      await request(at, 'GET', '/12/accounts', same);
      return request(at, 'GET', '/12/accounts', same);
    },
  },
  {
    name: 'an account of the sandbox outside of it',
    status: 404,
    says: ['in the sandbox only', /SANDBOX\/12\/accounts\/[a-z0-9]+$/],
    make: (at) => request(at, 'GET', `/12/accounts/${at.sandboxAccount.id}`),
  },
  {
    name: 'an account of production in the sandbox',
    status: 404,
    says: ['outside the sandbox only', /ADS\/12\/accounts\/[a-z0-9]+$/],
    make: (at) => request(at, 'GET', `/sandbox/12/accounts/${at.advertiser.account.id}`),
  },
  ...['5.50', '5,50', '$5.50', '5.50 USD'].map((amount) => ({
    name: `an amount of ${amount}`,
    status: 400,
    says: ['micro-units', '5500000'],
    make: (at: Place) => create(at, { daily_budget_amount_local_micro: amount }),
  })),
  {
    name: 'an amount in whole units',
    status: 400,
    says: ['micro-units', '5 USD are 5000000'],
    make: (at) => create(at, { daily_budget_amount_local_micro: '5' }),
  },
  {
    name: 'a parameter under nearly its name',
    status: 400,
    says: ['funding_instrument was sent', 'Did you mean funding_instrument_id?'],
    make: (at) => request(at, 'POST', campaigns(at), { form: { funding_instrument: at.funding.id, name: 'Autumn' } }),
  },
  {
    name: 'a filter under nearly its name',
    status: 200,
    inHeader: true,
    says: ['campaign_id is no parameter here', 'did you mean campaign_ids?'],
    make: (at) => request(at, 'GET', `${campaigns(at)}?campaign_id=abc`),
  },
  {
    name: 'a word in small letters',
    status: 400,
    says: ['Did you mean ACTIVE?'],
    make: (at) => create(at, { entity_status: 'active' }),
  },
  {
    name: 'a misspelt order',
    status: 400,
    says: ['Did you mean created_at-desc?'],
    make: (at) => request(at, 'GET', `${campaigns(at)}?sort_by=created_at:desc`),
  },
];
