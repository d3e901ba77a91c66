import { useApp, world } from '../../support/app.js';
import { Api } from '../../support/api.js';
import { send, type Answer } from '../../support/http.js';
import { accessToken, application, CALLBACK, flow, pairOf, requestToken, signedIn, Visitor } from './visitor.js';

useApp();

const TIMES = Array.from({ length: 20 });
const statuses = (answers: Answer[]) => answers.map(({ status }) => status).sort();

describe('at the same moment', () => {
  it('20 exchanges of one verifier give one pair and nineteen refusals', async () => {
    const { consumer } = await application();
    const { visitor } = await signedIn();
    const token = pairOf(await requestToken(consumer));
    await visitor.decide(token.key);
    const { pin } = visitor;
    const answers = await Promise.all(TIMES.map(() => accessToken(consumer, token, pin)));
    expect(statuses(answers)).toEqual([200, ...TIMES.slice(1).map(() => 401)]);
    for (const { status, body } of answers) if (status === 401) expect(body.errors[0].code).toBe(89);
  });

  it('20 wrong verifiers count as five, and void the token', async () => {
    const { consumer } = await application();
    const { visitor } = await signedIn();
    const token = pairOf(await requestToken(consumer));
    await visitor.decide(token.key);
    const answers = await Promise.all(TIMES.map(() => accessToken(consumer, token, 'wrong')));
    expect(answers.filter(({ body }) => body.errors[0].code === 32)).toHaveLength(5);
    expect((await accessToken(consumer, token, visitor.pin)).status).toBe(401);
  });

  it('20 flows of one user and application end in the same pair', async () => {
    const { consumer } = await application();
    const { visitor } = await signedIn();
    const flows = [];
    for (let i = 0; i < 20; i++) {
      const token = pairOf(await requestToken(consumer));
      await visitor.decide(token.key);
      flows.push({ token, pin: visitor.pin });
    }
    const answers = await Promise.all(flows.map(({ token, pin }) => accessToken(consumer, token, pin)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0].status).toBe(200);
  });

  it('20 requests for a bearer give the same one', async () => {
    const { consumer } = await application();
    const headers = {
      authorization: `Basic ${Buffer.from(`${consumer.key}:${consumer.secret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    };
    const ask = () =>
      send(world().url, '/oauth2/token', { method: 'POST', headers, body: 'grant_type=client_credentials' });
    const answers = await Promise.all(TIMES.map(ask));
    expect(statuses(answers)).toEqual(TIMES.map(() => 200));
    expect(new Set(answers.map(({ body }) => body.access_token)).size).toBe(1);
  });

  it('20 approvals of one token are one approval', async () => {
    const { consumer } = await application();
    const { visitor } = await signedIn();
    const token = pairOf(await requestToken(consumer, CALLBACK));
    const { csrf, cookie } = await visitor.get(`/oauth/authorize?oauth_token=${token.key}`);
    const approve = async () => {
      const own = new Visitor();
      own.cookie = cookie;
      return (await own.post('/oauth/authorize', { csrf, oauth_token: token.key, decision: 'approve' })).location;
    };
    const locations = await Promise.all(TIMES.map(approve));
    expect(new Set(locations).size).toBe(1);
    const { oauth_verifier } = Object.fromEntries(new URL(locations[0]).searchParams);
    expect((await accessToken(consumer, token, oauth_verifier)).status).toBe(200);
  });

  it('one approval stays with who gave it first', async () => {
    const { consumer } = await application();
    const [one, other] = [await signedIn(), await signedIn()];
    const token = pairOf(await requestToken(consumer));
    await one.visitor.decide(token.key);
    await other.visitor.decide(token.key);
    expect(other.visitor.page.status).toBe(403);
    expect((await accessToken(consumer, token, one.visitor.pin)).text).toContain(`user_id=${one.user.id}`);
  });

  it('a revocation beside exchanges leaves no token behind that works', async () => {
    const { id, consumer } = await application();
    const { visitor } = await signedIn();
    const flows = [];
    for (let i = 0; i < 5; i++) {
      const token = pairOf(await requestToken(consumer));
      await visitor.decide(token.key);
      flows.push({ token, pin: visitor.pin });
    }
    const before = pairOf(await flow(consumer, visitor));
    const { csrf } = await visitor.get('/oauth/applications');
    const [{ page }, ...exchanged] = await Promise.all([
      visitor.post('/oauth/applications', { csrf, application_id: id }),
      ...flows.map(({ token, pin }) => accessToken(consumer, token, pin)),
    ]);
    expect(page.status).toBe(303);
    await world().caughtUp();
    const issued = exchanged.filter(({ status }) => status === 200).map(pairOf);
    for (const token of [before, ...issued]) {
      expect((await new Api({ consumer, token }).get('/12/accounts')).status).toBe(401);
    }
    const tokens = await world().sql<{ ended: boolean }>(
      `SELECT "revokedAt" IS NOT NULL AS ended FROM access_tokens WHERE "applicationId" = $1`,
      id,
    );
    expect(new Set(tokens.map(({ ended }) => ended))).toEqual(new Set([true]));
  });
});
