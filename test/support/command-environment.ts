import type { Credentials } from './api.js';
import { world } from './app.js';

/** The environment in which the `marquee` command signs with these credentials, and asks the service of the test. */
export const commandEnvironment = ({ consumer, token }: Credentials): NodeJS.ProcessEnv => ({
  ...process.env,
  MARQUEE_CONSUMER_KEY: consumer.key,
  MARQUEE_CONSUMER_SECRET: consumer.secret,
  MARQUEE_ACCESS_TOKEN: token.key,
  MARQUEE_ACCESS_TOKEN_SECRET: token.secret,
  BASE_URL: world().url,
  ADS_BASE_URL: world().url,
  ADS_SANDBOX_BASE_URL: `${world().url}/sandbox`,
});
