import { CredentialsService } from '../../../src/auth/credentials/credentials.service.js';
import { useApp, world } from '../../support/app.js';
import { Api, anonymously, type Answer } from '../../support/api.js';
import { send } from '../../support/http.js';
import { accessToken, application, CALLBACK, fresh, pairOf, requestToken, signedPost, Visitor } from './visitor.js';

useApp({ LOG_LEVEL: 'trace' });

/** Everything that is written to standard output while the work is done: the log lines go there. */
async function logged(work: () => Promise<void>): Promise<string> {
  const chunks: string[] = [];
  const { write } = process.stdout;
  const fd = (await import('node:fs')).default;
  const { writeSync } = fd;
  process.stdout.write = (chunk: string | Uint8Array) => {
    chunks.push(Buffer.from(chunk as never).toString());
    return true;
  };
  fd.writeSync = ((to: number, chunk: string | Uint8Array, ...rest: never[]) => {
    if (to !== 1) return writeSync(to, chunk as never, ...rest);
    chunks.push(Buffer.from(chunk as never).toString());
    return Buffer.byteLength(chunk);
  }) as typeof writeSync;
  try {
    await work();
    await new Promise((resolve) => setTimeout(resolve, 200));
  } finally {
    process.stdout.write = write;
    fd.writeSync = writeSync;
  }
  return chunks.join('');
}

it('no secret that was issued stands in a log, an error body, the figures or the database', async () => {
  const secrets: Record<string, string> = {};
  const bodies: string[] = [];
  const failing = async (answer: Promise<Answer>) => void bodies.push((await answer).text);

  const log = await logged(async () => {
    const password = 'a password to be found nowhere';
    const credentials = world().get(CredentialsService);
    const user = await credentials.createUser(fresh('owner'), { password });
    const { id, consumer } = await application({ ownerId: user.id });
    Object.assign(secrets, { password, consumerSecret: consumer.secret });
    const visitor = await new Visitor().signIn(user.username, password);
    secrets.session = visitor.cookie!.split('=')[1];

    const pin = pairOf(await requestToken(consumer));
    await visitor.decide(pin.key);
    Object.assign(secrets, { requestSecret: pin.secret, pin: visitor.pin });
    await failing(accessToken(consumer, pin, 'wrong'));
    const access = pairOf(await accessToken(consumer, pin, visitor.pin));
    Object.assign(secrets, { accessToken: access.key, accessSecret: access.secret });
    const web = pairOf(await requestToken(consumer, CALLBACK));
    await visitor.decide(web.key);
    secrets.verifier = new URL(visitor.location).searchParams.get('oauth_verifier')!;
    secrets.webToken = web.key;
    const command = await credentials.issueToken(user.id, id, 'write');
    Object.assign(secrets, { commandToken: command.key, commandSecret: command.secret });

    const basic = { authorization: `Basic ${Buffer.from(`${consumer.key}:${consumer.secret}`).toString('base64')}` };
    const form = { ...basic, 'content-type': 'application/x-www-form-urlencoded' };
    const token = (body: string) => send(world().url, '/oauth2/token', { method: 'POST', headers: form, body });
    secrets.bearer = (await token('grant_type=client_credentials')).body.access_token;
    secrets.basic = basic.authorization.slice(6);
    await failing(token('grant_type=wrong'));

    await failing(
      signedPost('/oauth2/invalidate_token', {
        consumer,
        token: { ...command, secret: 'wrong' },
        query: { access_token: secrets.bearer },
      }),
    );
    await failing(accessToken(consumer, { ...web, secret: 'wrong' }, secrets.verifier));
    await failing(
      new Api({ consumer, token: { key: access.key, secret: 'wrong' } }).get('/12/accounts', {
        query: { access_token: secrets.bearer },
      }),
    );
    await failing(
      new Api({ consumer: { ...consumer, secret: 'wrong' }, token: access }).post('/12/accounts/x/campaigns', {
        form: { password },
      }),
    );
    await failing(anonymously('GET', `/12/accounts?access_token=${secrets.bearer}`));
    await failing(anonymously('GET', '/12/accounts', { authorization: `Bearer ${secrets.bearer}` }));
    await failing(anonymously('GET', `/oauth/nothing?oauth_verifier=${secrets.verifier}`));
    await failing(
      send(world().url, '/oauth/sign_in', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `{"password":"${password}"`,
      }),
    );
    await failing(new Visitor().post('/oauth/sign_in', { username: user.username, password }).then(({ page }) => page));
    await visitor.post('/oauth/applications', { csrf: visitor.csrf, application_id: id });
  });

  const figures = (await send(world().direct, '/metrics', { method: 'GET' })).text;
  const tables = await world().sql<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
  );
  const dump: string[] = [];
  for (const { name } of tables) dump.push(JSON.stringify(await world().sql(`SELECT t::text AS row FROM "${name}" t`)));

  expect(log).toContain('/oauth/access_token');
  expect(figures).toContain('/oauth/access_token');
  expect(dump.join('')).toContain('owner_');
  expect(bodies).toHaveLength(11);
  const places = { log, figures, dump: dump.join('\n'), bodies: bodies.join('\n') };
  const found = Object.entries(places).flatMap(([place, text]) =>
    Object.entries(secrets)
      // What a client signed is shown to that client: the token, never its secret.
      .filter(([name]) => !(place === 'bodies' && ['accessToken', 'commandToken', 'webToken'].includes(name)))
      .filter(([, secret]) => text.includes(secret) || text.includes(encodeURIComponent(secret)))
      .map(([name]) => `${name} in ${place}`),
  );
  expect(found).toEqual([]);
});
