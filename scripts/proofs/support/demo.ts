import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The keys and ids of the demo world that the embedded store of a folder holds. */
export function demoOf(folder: string) {
  const demo = JSON.parse(readFileSync(join(folder, 'demo-credentials.json'), 'utf8')) as Record<string, string> & {
    examples: Record<string, string>;
  };
  return {
    pen: {
      consumer: { key: demo.consumer_key, secret: demo.consumer_secret },
      token: { key: demo.access_token, secret: demo.access_token_secret },
    },
    account: { id: demo.account_id, fundingId: demo.funding_instrument_id },
    /** The ids that the examples of the document name, by purpose. */
    examples: demo.examples,
  };
}
