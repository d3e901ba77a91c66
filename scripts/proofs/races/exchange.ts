import { randomUUID } from 'node:crypto';
import { ApplicationsService } from '../../../src/auth/credentials/applications.service.js';
import { UsersService } from '../../../src/auth/credentials/users.service.js';
import { sign } from '../../../src/auth/signature/signature.js';
import { readConfig } from '../../../src/config/config.js';
import { openService } from '../../../src/service.js';
import { Browser } from '../support/browser.js';
import type { Cluster } from '../support/cluster.js';
import { type Answer, ask } from '../support/requests.js';
import { mustBe, type Race, statusesOf } from './race.js';

interface Pair {
  key: string;
  secret: string;
}

/** A request token with its verifier is exchanged by both replicas at once: one gives an access token. */
export const exchange: Race = {
  name: 'a request token exchanged by six',
  prepare: async ({ cluster }) => {
    const { port, replicas } = cluster;
    const { consumer, username, password } = await people(cluster);
    const browser = new Browser(port, cluster.host);
    await browser.open('/oauth/sign_in');
    await browser.send('/oauth/sign_in', { username, password });
    return async () => {
      const begun = await oauth(cluster, port, '/oauth/request_token', { consumer, extra: { oauth_callback: 'oob' } });
      const token = pairOf(begun);
      await browser.open(`/oauth/authorize?oauth_token=${token.key}`);
      await browser.send('/oauth/authorize', { oauth_token: token.key, decision: 'approve' });
      const extra = { oauth_verifier: /id="pin">(\d+)</.exec(browser.page)?.[1] ?? '' };
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, i) =>
          oauth(cluster, replicas[i % replicas.length].port, '/oauth/access_token', { consumer, token, extra }),
        ),
      );
      const statuses = statusesOf(answers);
      mustBe(statuses === '200, 401, 401, 401, 401, 401', statuses);
    };
  },
};

/** Somebody who can sign in, and an application of theirs. */
async function people({ environment }: Cluster) {
  const service = await openService(readConfig({ ...environment, LOG_LEVEL: 'error' }));
  try {
    const users = service.app.get(UsersService);
    const applications = service.app.get(ApplicationsService);
    const password = randomUUID();
    const user = await users.create('racer', { password });
    const { consumer } = await applications.create({ name: 'Race', ownerId: user.id });
    return { consumer, username: user.username, password };
  } finally {
    await service.close();
  }
}

function oauth(
  { host }: Cluster,
  port: number,
  target: string,
  given: { consumer: Pair; token?: Pair; extra: Record<string, string> },
): Promise<Answer> {
  const authorization = sign({
    method: 'POST',
    url: `http://${host}${target}`,
    ...given,
    timestamp: Math.floor(Date.now() / 1_000),
    nonce: randomUUID(),
  });
  return ask(port, { method: 'POST', target, headers: { host, authorization } });
}

function pairOf({ body }: Answer): Pair {
  const fields = new URLSearchParams(body);
  return { key: fields.get('oauth_token') ?? '', secret: fields.get('oauth_token_secret') ?? '' };
}
