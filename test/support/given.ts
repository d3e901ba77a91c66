import { accounts } from './given/accounts.js';
import { audiences } from './given/audiences.js';
import { auth } from './given/auth.js';
import { campaigns } from './given/campaigns.js';
import { catalogs } from './given/catalogs.js';
import { creatives } from './given/creatives.js';
import { everything } from './given/everything.js';
import { measurement } from './given/measurement.js';
import { reference } from './given/reference.js';
import { statistics } from './given/statistics.js';
import { webhooks } from './given/webhooks.js';

export type { Advertiser } from './given/accounts.js';
export type { Application, Client } from './given/auth.js';
export type { Integrator } from './given/webhooks.js';

/**
 * Arranges through the services, so that a test's requests are those it is about; through SQL what no service does yet.
 * Everything is fresh: nothing is cleaned up. A new resource is arranged in the file of its domain.
 */
export const given = {
  ...auth,
  ...accounts,
  ...audiences,
  ...campaigns,
  ...catalogs,
  ...creatives,
  everything,
  ...measurement,
  ...reference,
  ...statistics,
  ...webhooks,
};
