import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { EXPIRED_ROWS, ExpiredRowsJob } from '../../../src/auth/expired-rows.job.js';
import { Passwords } from '../../../src/auth/credentials/passwords.js';
import { UsersService } from '../../../src/auth/credentials/users.service.js';
import { RemovalService } from '../../../src/auth/removal.service.js';
import { enqueue } from '../../../src/common/jobs/enqueue.js';
import { SignInService } from '../../../src/auth/sessions/sign-in.service.js';
import { UserRemoval } from '../../../src/auth/user-removal/user-removal.service.js';
import { useApp, world } from '../../support/app.js';
import { send } from '../../support/http.js';
import { fresh } from '../../support/given/fresh.js';
import {
  accessToken,
  application,
  CALLBACK,
  flow,
  pairOf,
  PASSWORD,
  person,
  requestToken,
  signedIn,
  Visitor,
  signedPost,
} from './visitor.js';
import { Api } from '../../support/api.js';
import { inBrowser, openBrowser, SHOTS, type OpenBrowser } from '../../support/browser.js';
import { given } from '../../support/given.js';

useApp({ TRUST_PROXY: '127.0.0.1' });

describe('pages', () => {
  let lastAddress = 0;
  /** Every visitor of a test comes from a place of their own, or they would wait for each other. */
  const address = () => ({ 'x-forwarded-for': `10.1.${Math.floor(++lastAddress / 250)}.${(lastAddress % 250) + 1}` });
  const wrong = 'The username and password you entered did not match.';

  describe('pages', () => {
    it('cannot be framed, extended by scripts, cached, or told to others by their address', async () => {
      const { page } = await new Visitor().get('/oauth/sign_in');
      expect(page.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-rate-limit-remaining': expect.stringMatching(/^\d+$/),
      });
      const policy = String(page.headers['content-security-policy']);
      for (const part of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"])
        expect(policy).toContain(part);
      expect(policy).not.toMatch(/script-src|unsafe/);
      expect(page.text).not.toMatch(/<script|\son\w+=|\sstyle=/i);
    });

    it('name no form-action where a form can lead to a callback: browsers hold it against redirects', async () => {
      const { consumer } = await application();
      const { visitor } = await signedIn();
      const token = pairOf(await requestToken(consumer, CALLBACK));
      await visitor.get(`/oauth/authorize?oauth_token=${token.key}`);
      const policy = visitor.page.headers['content-security-policy'];
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('form-action');
    });

    it('escape what others named', async () => {
      const { consumer } = await application({ name: '<img src=x onerror=alert(1)>"\'' });
      const { visitor } = await signedIn();
      const token = pairOf(await requestToken(consumer));
      await visitor.get(`/oauth/authorize?oauth_token=${token.key}`);
      expect(visitor.page.text).not.toContain('<img');
      expect(visitor.page.text).toContain('&lt;img');
      const name = encodeURIComponent('"><script>alert(1)</script>');
      await visitor.get(`/oauth/authorize?oauth_token=${token.key}&force_login=true&screen_name=${name}`);
      expect(visitor.page.text).toContain('&lt;script');
      expect(visitor.page.text).not.toContain('<script');
    });

    it('say which application asks, for what, and as whom', async () => {
      const { consumer } = await application({ name: 'Shop Window' });
      const { user, visitor } = await signedIn();
      const token = pairOf(await requestToken(consumer));
      await visitor.get(`/oauth/authorize?oauth_token=${token.key}`);
      for (const text of ['Shop Window', `@${user.username}`, 'create, change and delete', 'Authorize app', 'Cancel'])
        expect(visitor.page.text).toContain(text);
    });

    it('say whose application it is, and where the browser goes afterwards', async () => {
      const owner = await world().get(UsersService).create(fresh('owner'), { name: 'Shop <Ltd>' });
      const callbacks = ['https://shop.example:8443/back', 'shop-app://back', 'shop-app:[back'];
      const { consumer } = await application({ ownerId: owner.id, callbacks });
      const { visitor } = await signedIn();
      const askedFor = async (callback: string) => {
        const token = pairOf(await requestToken(consumer, callback));
        return (await visitor.get(`/oauth/authorize?oauth_token=${token.key}`)).page.text;
      };
      const web = await askedFor(`${callbacks[0]}?next=https://other.example/`);
      expect(web).toContain(`@${owner.username} (Shop &lt;Ltd&gt;)`);
      expect(web).toContain('you go to <strong id="destination">shop.example:8443</strong>');
      for (const callback of callbacks.slice(1))
        expect(await askedFor(callback)).toContain('opens (<strong id="destination">shop-app:</strong>)');
      expect(await askedFor('oob')).toContain('you get a PIN');
    });
  });

  describe('sessions', () => {
    it('fields with control characters are 400, which names the field', async () => {
      for (const text of ['\0', 'a\0b', 'a\nb', '\x7f']) {
        for (const name of ['username', 'password', 'oauth_token', 'csrf', 'next']) {
          const visitor = await new Visitor(address()).get('/oauth/sign_in');
          await visitor.post('/oauth/sign_in', {
            csrf: visitor.csrf,
            username: 'nobody',
            password: PASSWORD,
            [name]: text,
          });
          expect([visitor.page.status, visitor.page.text]).toEqual([400, expect.stringContaining(`for ${name}`)]);
        }
        for (const name of ['oauth_token', 'screen_name']) {
          const query = new URLSearchParams({ [name]: text }).toString();
          const visitor = await new Visitor(address()).get(`/oauth/authorize?${query}`);
          expect([visitor.page.status, visitor.page.text]).toEqual([400, expect.stringContaining(`for ${name}`)]);
        }
      }
    });

    it('live in a cookie that scripts cannot read and other sites cannot send along', async () => {
      const visitor = await new Visitor(address()).get('/oauth/sign_in');
      expect(visitor.page.headers['set-cookie']).toEqual([
        expect.stringMatching(/^marquee_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
      ]);
    });

    it('are bound to host and HTTPS where there is HTTPS', async () => {
      const visitor = await new Visitor({ ...address(), 'x-forwarded-proto': 'https' }).get('/oauth/sign_in');
      expect(visitor.page.headers['set-cookie']).toEqual([
        expect.stringMatching(/^__Host-marquee_session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
      ]);
    });

    it('get another cookie when somebody signs in, so that one that was planted is worth nothing', async () => {
      const user = await person();
      const visitor = await new Visitor(address()).get('/oauth/sign_in');
      const planted = visitor.cookie;
      await visitor.post('/oauth/sign_in', { csrf: visitor.csrf, username: user.username, password: PASSWORD });
      expect([visitor.page.status, visitor.location]).toEqual([303, '/oauth/applications']);
      expect(visitor.cookie).not.toBe(planted);
      const attacker = new Visitor(address());
      attacker.cookie = planted;
      await attacker.get('/oauth/applications');
      expect(attacker.heading).toBe('Sign in');
    });

    it('end at sign out, on the server too', async () => {
      const { visitor } = await signedIn();
      await visitor.get('/oauth/applications');
      const before = visitor.cookie;
      await visitor.post('/oauth/sign_out', { csrf: visitor.csrf });
      expect(visitor.heading).toBe('You are signed out');
      visitor.cookie = before;
      await visitor.get('/oauth/applications');
      expect(visitor.heading).toBe('Sign in');
    });

    it('end when unused, when the user is suspended, and with a new password', async () => {
      const ended = async (visitor: Visitor) => (await visitor.get('/oauth/applications')).heading === 'Sign in';
      const idle = await signedIn();
      world().clock.advance(11 * 3_600_000);
      expect(await ended(idle.visitor)).toBe(false);
      world().clock.advance(11 * 3_600_000);
      expect(await ended(idle.visitor)).toBe(false);
      world().clock.advance(13 * 3_600_000);
      expect(await ended(idle.visitor)).toBe(true);
      const suspended = await signedIn();
      await world().sql('UPDATE users SET "suspendedAt" = now() WHERE id = $1', suspended.user.id);
      expect(await ended(suspended.visitor)).toBe(true);
      const renewed = await signedIn();
      await world().get(SignInService).changePassword(renewed.user.id, 'another password');
      expect(await ended(renewed.visitor)).toBe(true);
      expect((await new Visitor(address()).signIn(renewed.user.username, 'another password')).page.status).toBe(303);
    });

    /** Signs in as somebody new to whom this happens when their password has been checked. */
    const signInDuring = async (change: (userId: string) => Promise<unknown>) => {
      const { id, username } = await person();
      const passwords = world().get(Passwords);
      const matches = passwords.matches.bind(passwords);
      const checking = jest.spyOn(passwords, 'matches').mockImplementationOnce(async (hash, password) => {
        const right = await matches(hash, password);
        await change(id);
        return right;
      });
      const { page } = await new Visitor(address()).signIn(username);
      expect(checking).toHaveBeenCalledTimes(1);
      checking.mockRestore();
      return { page, sessions: await world().sql('SELECT id FROM sessions WHERE "userId" = $1', id) };
    };

    it('do not begin where the password changes, or the user ends, while the password is checked', async () => {
      const changes: ((userId: string) => Promise<unknown>)[] = [
        (userId) => world().get(SignInService).changePassword(userId, 'another password'),
        (userId) => world().get(RemovalService).suspendUser(userId),
        (userId) => world().get(UserRemoval).delete(userId),
      ];
      for (const change of changes) {
        const { page, sessions } = await signInDuring(change);
        expect([page.status, page.text]).toEqual([403, expect.stringContaining(wrong)]);
        expect(sessions).toEqual([]);
      }
    });

    it('wait for a new password that is not stored yet', async () => {
      let storing: Promise<void> | undefined;
      const store = (userId: string) =>
        new Promise<void>((resolve) => {
          storing = world()
            .get(DataSource)
            .transaction(async (tx) => {
              await tx.query('UPDATE users SET "passwordHash" = NULL WHERE id = $1', [userId]);
              resolve();
              // on the embedded store the sign-in waits for the only connection
              const waiting =
                'SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))';
              for (let tries = 0; tries < 50 && (await tx.query<unknown[]>(waiting)).length === 0; tries++)
                await pause(20);
            });
        });
      const { page, sessions } = await signInDuring(store);
      await storing;
      expect([page.status, sessions]).toEqual([403, []]);
    });

    it('end after a week at the latest', async () => {
      const { visitor } = await signedIn();
      for (let i = 0; i < 16; i++) {
        world().clock.advance(11 * 3_600_000);
        await visitor.get('/oauth/applications');
      }
      expect(visitor.heading).toBe('Sign in');
    });
  });

  describe('forms', () => {
    it('of others are refused: sign in, approve, revoke, sign out', async () => {
      const { id, consumer } = await application();
      const { user, visitor } = await signedIn();
      const token = pairOf(await requestToken(consumer, CALLBACK));
      const stranger = await new Visitor(address()).get('/oauth/sign_in');
      for (const csrf of ['', 'x', stranger.csrf]) {
        await visitor.post('/oauth/authorize', { csrf, oauth_token: token.key, decision: 'approve' });
        expect([visitor.page.status, visitor.location]).toEqual([403, '']);
        await visitor.post('/oauth/applications', { csrf, application_id: id });
        expect(visitor.page.status).toBe(403);
        await visitor.post('/oauth/sign_out', { csrf });
        expect(visitor.page.status).toBe(403);
        const fresh_ = await new Visitor(address()).get('/oauth/sign_in');
        await fresh_.post('/oauth/sign_in', { csrf, username: user.username, password: PASSWORD });
        expect(fresh_.page.status).toBe(403);
      }
      await visitor.get('/oauth/applications');
      expect(visitor.heading).toBe('Connected apps');
    });

    it('that were shown to somebody else in the same browser are refused', async () => {
      const { consumer } = await application();
      const { visitor } = await signedIn();
      const token = pairOf(await requestToken(consumer, CALLBACK));
      const { csrf } = await visitor.get(`/oauth/authorize?oauth_token=${token.key}`);
      await visitor.signIn((await person()).username);
      await visitor.post('/oauth/authorize', { csrf, oauth_token: token.key, decision: 'approve' });
      expect([visitor.page.status, visitor.location]).toEqual([403, '']);
    });

    it('of a token that somebody else has approved meanwhile say that it is no longer valid', async () => {
      const { consumer } = await application();
      const { visitor } = await signedIn();
      const { visitor: other } = await signedIn();
      const token = pairOf(await requestToken(consumer, CALLBACK));
      const { csrf } = await other.get(`/oauth/authorize?oauth_token=${token.key}`);
      await visitor.decide(token.key);
      const { location } = visitor;
      expect(location).toContain(`${CALLBACK}?`);
      await other.post('/oauth/authorize', { csrf, oauth_token: token.key, decision: 'approve' });
      expect([other.page.status, other.location, other.heading]).toEqual([403, '', 'This request is no longer valid']);
      await visitor.decide(token.key);
      expect(visitor.location).toBe(location);
    });

    it('lead nowhere but to our own pages after signing in', async () => {
      const user = await person();
      for (const endpoint of ['https://evil.example', '//evil.example', 'authorize/../../evil']) {
        const visitor = await new Visitor(address()).get('/oauth/sign_in');
        const form = { csrf: visitor.csrf, username: user.username, password: PASSWORD };
        await visitor.post('/oauth/sign_in', {
          ...form,
          endpoint,
          oauth_token: '//evil.example',
          next: 'https://evil.example',
        });
        expect(visitor.location).toBe('/oauth/authorize?oauth_token=%2F%2Fevil.example');
      }
    });

    it('take passwords from the body only', async () => {
      const user = await person();
      const visitor = await new Visitor(address()).get('/oauth/sign_in');
      await visitor.post(`/oauth/sign_in?username=${user.username}&password=${encodeURIComponent(PASSWORD)}`, {
        csrf: visitor.csrf,
      });
      expect(visitor.page.status).toBe(403);
    });
  });

  describe('connected apps', () => {
    it('are revoked after a question, which is asked of nobody else', async () => {
      const { id, consumer } = await application({ name: 'Asked <b>' });
      const { visitor } = await signedIn();
      await flow(consumer, visitor);
      const { visitor: another } = await signedIn();
      await another.get(`/oauth/applications/revoke?application_id=${id}`);
      expect([another.page.status, another.location]).toEqual([303, '/oauth/applications']);
      await visitor.get(`/oauth/applications/revoke?application_id=${id}`);
      expect(visitor.heading).toBe('Revoke the access of Asked &lt;b&gt;?');
      expect((await visitor.get('/oauth/applications')).page.text).toContain('Asked &lt;b&gt;');
      for (const query of ['', '?application_id=0', '?application_id=1&application_id=2'])
        expect((await visitor.get(`/oauth/applications/revoke${query}`)).page.status).toBe(303);
      expect((await new Visitor(address()).get(`/oauth/applications/revoke?application_id=${id}`)).heading).toBe(
        'Sign in',
      );
    });

    it('say what was approved and not picked up, until it is picked up, taken back, or too late', async () => {
      const { consumer } = await application({ name: 'Waiting' });
      const { visitor } = await signedIn();
      const shown = async () => (await visitor.get('/oauth/applications')).page.text;
      const approved = async () => {
        const token = pairOf(await requestToken(consumer));
        await visitor.decide(token.key);
        return { token, pin: visitor.pin };
      };
      await requestToken(consumer);
      expect(await shown()).toContain('No application has access to your account');
      const first = await approved();
      expect(await shown()).toMatch(/Approved to read and change, but not connected yet/);
      await accessToken(consumer, first.token, first.pin);
      expect(await shown()).toMatch(/Can read and change since/);
      expect(await shown()).not.toContain('not connected yet');
      await approved();
      expect(await shown()).toMatch(/Approved again, but not connected yet/);
      world().clock.advance(15 * 60_000 + 1000);
      expect(await shown()).not.toContain('not connected yet');
    });
  });

  describe('signing in', () => {
    it('answers alike for a wrong password, an unknown name, no password at all, and a suspended user', async () => {
      const known = await person();
      const suspended = await person();
      await world().sql('UPDATE users SET "suspendedAt" = now() WHERE id = $1', suspended.id);
      const without = await person();
      await world().sql('UPDATE users SET "passwordHash" = NULL WHERE id = $1', without.id);
      const seen = new Set<string>();
      for (const [username, password] of [
        [known.username, 'wrong'],
        [fresh('nobody'), 'wrong'],
        [without.username, 'wrong'],
        [suspended.username, PASSWORD],
        [known.username, 'x'.repeat(5000)],
      ]) {
        const { page, csrf } = await new Visitor(address()).signIn(username, password);
        expect(page.text).toContain(wrong);
        const body = page.text.replace(csrf, '').replace(`value="${username}"`, '');
        seen.add(JSON.stringify([page.status, body, Object.keys(page.headers).sort()]));
      }
      expect(seen.size).toBe(1);
    });

    it('takes the name in any case, with an @ and spaces around', async () => {
      const user = await person();
      const visitor = await new Visitor(address()).signIn(` @${user.username.toUpperCase()} `);
      expect(visitor.page.status).toBe(303);
    });

    it('slows down who guesses the password of one name, from wherever, known or not', async () => {
      for (const username of [(await person()).username, fresh('nobody')]) {
        for (let i = 0; i < 5; i++) await new Visitor(address()).signIn(username, 'wrong');
        const { page } = await new Visitor(address()).signIn(username, PASSWORD);
        expect(page.status).toBe(429);
        expect(page.headers['retry-after']).toBe('1');
        expect(page.text).toContain('try again in 1 seconds');
      }
    });

    it('lets the right password in again after the wait, and then forgets', async () => {
      const user = await person();
      for (let i = 0; i < 5; i++) await new Visitor(address()).signIn(user.username, 'wrong');
      world().clock.advance(1_001);
      expect((await new Visitor(address()).signIn(user.username)).page.status).toBe(303);
      for (let i = 0; i < 4; i++)
        expect((await new Visitor(address()).signIn(user.username, 'wrong')).page.status).toBe(403);
      expect((await new Visitor(address()).signIn(user.username)).page.status).toBe(303);
    });

    it('waits twice as long each time, and never longer than five minutes for a name', async () => {
      const username = fresh('nobody');
      const waits: number[] = [];
      for (let i = 0; i < 18; i++) {
        const { page } = await new Visitor(address()).signIn(username, 'wrong');
        const wait = Number(page.headers['retry-after'] ?? 0);
        if (wait === 0) continue;
        waits.push(wait);
        world().clock.advance(wait * 1000 + 1);
      }
      // The clock goes on while a page is answered, so that what is left may be a second less.
      const doublings = waits.map((wait) => Math.round(Math.log2(wait)));
      expect(doublings).toEqual(doublings.map((_, i) => doublings[0] + i));
      expect(doublings.length).toBeGreaterThan(4);
      for (let i = 0; i < 6; i++) {
        await new Visitor(address()).signIn(username, 'wrong');
        world().clock.advance(301_000);
      }
      await new Visitor(address()).signIn(username, 'wrong');
      const { page } = await new Visitor(address()).signIn(username, 'wrong');
      expect(Number(page.headers['retry-after'])).toBe(300);
    });

    it('slows down an address that tries many names', async () => {
      const from = address();
      for (let i = 0; i < 20; i++) await new Visitor(from).signIn(fresh('nobody'), 'wrong');
      expect((await new Visitor(from).signIn((await person()).username)).page.status).toBe(429);
    });

    it('counts no attempt that it rejects: an address slows down no other names, and a name no other addresses', async () => {
      const [user, colleague] = [await person(), await person()];
      const from = address();
      for (let i = 0; i < 20; i++) await new Visitor(from).signIn(fresh('nobody'), 'wrong');
      // each at the same moment, at which the address, and later the name, has to wait
      const now = world().clock.now();
      for (let i = 0; i < 8; i++) {
        world().clock.set(now);
        expect((await new Visitor(from).signIn(user.username)).page.status).toBe(429);
      }
      expect((await new Visitor(address()).signIn(user.username)).page.status).toBe(303);

      for (let i = 0; i < 5; i++) await new Visitor(address()).signIn(user.username, 'wrong');
      const shared = address();
      const later = world().clock.now();
      for (let i = 0; i < 25; i++) {
        world().clock.set(later);
        expect((await new Visitor(shared).signIn(user.username)).page.status).toBe(429);
      }
      expect((await new Visitor(shared).signIn(colleague.username)).page.status).toBe(303);
    });

    it('counts guesses made at the same moment', async () => {
      const user = await person();
      const visitors = await Promise.all(
        Array.from({ length: 20 }, () => new Visitor(address()).get('/oauth/sign_in')),
      );
      const answers = await Promise.all(
        visitors.map((visitor) =>
          visitor.post('/oauth/sign_in', { csrf: visitor.csrf, username: user.username, password: 'wrong' }),
        ),
      );
      const statuses = answers.map(({ page }) => page.status);
      expect(statuses.filter((status) => status === 403)).toHaveLength(5);
      expect(statuses.filter((status) => status === 429)).toHaveLength(15);
    });
  });

  describe('a flood', () => {
    it('is told to come back, without being counted as a failure', async () => {
      const user = await person();
      const visitors = await Promise.all(
        Array.from({ length: 90 }, () => new Visitor(address()).get('/oauth/sign_in')),
      );
      const answers = await Promise.all(
        visitors.map((visitor, i) =>
          visitor.post('/oauth/sign_in', {
            csrf: visitor.csrf,
            username: i === 89 ? user.username : fresh('nobody'),
            password: PASSWORD,
          }),
        ),
      );
      const busy = answers.filter(({ page }) => page.status === 503);
      expect(busy.length).toBeGreaterThan(0);
      expect(busy[0].page.headers['retry-after']).toBe('2');
      expect(busy[0].page.text).toContain('Many people are signing in');
      expect(answers.every(({ page }) => [303, 403, 503].includes(page.status))).toBe(true);
    });
  });

  describe('the expired rows', () => {
    it('are deleted by a job once the clock says so, and nothing else is', async () => {
      const { consumer } = await application();
      const { visitor } = await signedIn();
      const token = pairOf(await requestToken(consumer));
      await new Visitor(address()).signIn(fresh('nobody'), 'wrong');
      await world().get(ExpiredRowsJob).deleteExpired();
      expect((await visitor.get(`/oauth/authorize?oauth_token=${token.key}`)).page.status).toBe(200);
      world().clock.advance(25 * 3_600_000);
      const now = world().clock.now().toISOString();
      const expired = async () => {
        const counts: Record<string, number> = {};
        for (const [table, column] of [
          ['request_tokens', 'expiresAt'],
          ['sessions', 'expiresAt'],
          ['sign_in_attempts', 'triedAt'],
        ]) {
          counts[table] = (await world().sql(`SELECT 1 FROM ${table} WHERE "${column}" < $1`, now)).length;
        }
        return counts;
      };
      expect(Object.values(await expired()).filter((count) => count === 0)).toEqual([]);
      await enqueue(world().get(DataSource).manager, EXPIRED_ROWS, {});
      const left = async () => Object.values(await expired()).reduce((sum, count) => sum + count, 0);
      for (let waits = 0; waits < 100 && (await left()) > 0; waits++) await pause(100);
      expect(await expired()).toEqual({ request_tokens: 0, sessions: 0, sign_in_attempts: 0 });
    });
  });

  describe('the callback of the demo application', () => {
    it('shows what came back, escaped', async () => {
      const { page } = await new Visitor().get('/demo/callback?oauth_token=abc&oauth_verifier=%3Cb%3Edef');
      expect(page.status).toBe(200);
      expect(page.text).toContain('abc');
      expect(page.text).toContain('&lt;b&gt;def');
      expect(page.text).not.toContain('id="command"');
      expect((await new Visitor().get('/demo/callback?denied=abc')).heading).toBe('The flow was cancelled');
      const { status } = await send(world().url, '/demo/callback?__proto__=1&constructor=2', { method: 'GET' });
      expect(status).toBe(200);
    });
  });
});

describe('browser', () => {
  useApp();

  const DEVICES: Record<string, BrowserContextOptions> = {
    desktop: { viewport: { width: 1280, height: 800 } },
    'desktop-dark': { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
    phone: { viewport: { width: 375, height: 720 } },
  };

  /** The web site of a client: its callback sends the browser on to another site of the client, as many do. */
  async function clientSite(): Promise<{ server: Server; callback: string }> {
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://client');
      if (url.pathname === '/back') {
        response.writeHead(302, { location: `http://localhost:${port}/home${url.search}` }).end();
        return;
      }
      response.setHeader('content-type', 'text/html');
      response.end(`<title>Client</title><h1>Welcome back</h1>`);
    });
    await new Promise<void>((listening) => server.listen(0, listening));
    const { port } = server.address() as AddressInfo;
    return { server, callback: `http://127.0.0.1:${port}/back` };
  }

  inBrowser.each(Object.entries(DEVICES))('in a browser, %s', (device, options) => {
    let browser: OpenBrowser;
    let page: Page;
    let site: Awaited<ReturnType<typeof clientSite>>;
    const refused: string[] = [];

    beforeAll(async () => {
      site = await clientSite();
      browser = await openBrowser({ ...options, javaScriptEnabled: false });
      page = browser.page;
      page.on('console', (message) => void (/Content.Security/i.test(message.text()) && refused.push(message.text())));
    }, 60_000);

    afterAll(async () => {
      await browser.close();
      site.server.close();
    });

    const shot = async (name: string) => {
      expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
      if (!SHOTS) return;
      mkdirSync(SHOTS, { recursive: true });
      await page.screenshot({ path: join(SHOTS, `${device}-${name}.png`), fullPage: true });
    };
    /** The field that a person would type into; a busy browser focuses it only some time after the page is there. */
    const focused = () => page.locator('input:focus').waitFor();
    const open = (token: string, way = 'authorize', rest = '') =>
      page.goto(`${world().url}/oauth/${way}?oauth_token=${token}${rest}`);

    it('signs in by keyboard, reads the PIN, and the token creates a campaign until it is invalidated', async () => {
      const { consumer } = await application({ name: 'Campaign Desk' });
      const user = await person();
      const account = await given.account({ userId: user.id });
      const funding = await given.fundingInstrument({ account });
      const token = pairOf(await requestToken(consumer));

      await open(token.key);
      await shot('sign-in');
      await focused();
      await page.keyboard.type(user.username);
      await page.keyboard.press('Tab');
      await page.keyboard.type('wrong');
      await page.keyboard.press('Enter');
      expect(await page.getByRole('alert').innerText()).toContain('did not match');
      await shot('sign-in-wrong');
      expect(await page.getByLabel('Username').inputValue()).toBe(user.username);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();

      await page.getByRole('heading', { name: 'Let Campaign Desk use your account?' }).waitFor();
      expect(await page.locator('.facts').innerText()).toMatch(/Owner\s+@owner_\w+\s+Afterwards\s+you get a PIN/);
      await shot('approve');
      await page.getByRole('button', { name: 'Authorize app' }).click();
      await shot('pin');
      const pin = (await page.locator('#pin').innerText()).trim();
      expect(pin).toMatch(/^\d{7}$/);

      const access = pairOf(await accessToken(consumer, token, pin));
      const api = new Api({ consumer, token: access });
      const campaign = () =>
        api.post(`/12/accounts/${account.id}/campaigns`, {
          query: { name: 'From a flow', funding_instrument_id: funding.id, daily_budget_amount_local_micro: 5_500_000 },
        });
      expect((await campaign()).status).toBe(201);
      expect((await signedPost('/1.1/oauth/invalidate_token', { consumer, token: access })).status).toBe(200);
      await world().caughtUp();
      expect(await campaign()).toMatchObject({ status: 401, body: { errors: [{ code: 89 }] } });

      const again = pairOf(await requestToken(consumer));
      await open(again.key);
      await page.getByRole('button', { name: 'Authorize app' }).click();
      const other = pairOf(await accessToken(consumer, again, (await page.locator('#pin').innerText()).trim()));
      expect(other.key).not.toBe(access.key);
    }, 60_000);

    it('comes back to the callback, and wherever the client sends it from there', async () => {
      const { consumer } = await application({ name: 'Web Shop', callbacks: [site.callback], signIn: true });
      const user = await person();
      const token = pairOf(await requestToken(consumer, `${site.callback}?state=7`));
      await open(token.key, 'authenticate', `&force_login=true&screen_name=${user.username}`);
      await focused();
      await page.keyboard.type(PASSWORD);
      await page.keyboard.press('Enter');
      expect(await page.locator('#destination').innerText()).toBe(new URL(site.callback).host);
      await shot('approve-callback');
      await page.getByRole('button', { name: 'Authorize app' }).click();
      await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
      const { state, oauth_verifier } = Object.fromEntries(new URL(page.url()).searchParams);
      expect(state).toBe('7');
      expect((await accessToken(consumer, token, oauth_verifier)).status).toBe(200);

      // Known by now: signing in itself leads back, through a form and three redirects.
      const second = pairOf(await requestToken(consumer, site.callback));
      await open(second.key, 'authenticate', `&force_login=true&screen_name=${user.username}`);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
      expect(page.url()).toContain('oauth_verifier=');
      expect(refused).toEqual([]);
    }, 60_000);

    it('sees a page after cancelling, with the way back', async () => {
      const { consumer } = await application({ name: 'Web Shop', callbacks: [site.callback] });
      const token = pairOf(await requestToken(consumer, site.callback));
      await open(token.key);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await shot('cancelled');
      await page.getByRole('link', { name: 'Return to Web Shop' }).click();
      await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
      expect(page.url()).toContain(`denied=${token.key}`);
      await open(token.key);
      await shot('over');
      await page.getByRole('heading', { name: 'This request is no longer valid' }).waitFor();
    });

    it('lists connected apps, says which was not picked up yet, revokes after asking, signs out', async () => {
      const { consumer } = await application({ name: 'Slow Starter' });
      const token = pairOf(await requestToken(consumer));
      await open(token.key);
      await page.getByRole('button', { name: 'Authorize app' }).click();

      await page.goto(`${world().url}/oauth/applications`);
      await shot('applications');
      const slow = page.locator('section').filter({ hasText: 'Slow Starter' });
      expect(await slow.innerText()).toMatch(
        /Approved to read and change, but not connected yet: .* until \d\d:\d\d UTC/,
      );
      await slow.getByRole('link', { name: 'Withdraw approval' }).click();
      await page.getByRole('button', { name: 'Withdraw approval' }).click();

      const shop = page.locator('section').filter({ hasText: 'Web Shop' });
      await shop.getByRole('link', { name: 'Revoke access' }).click();
      await page.getByRole('heading', { name: 'Revoke the access of Web Shop?' }).waitFor();
      await shot('revoke');
      await page.getByRole('link', { name: 'Keep it' }).click();
      await shop.getByRole('link', { name: 'Revoke access' }).click();
      await page.getByRole('button', { name: 'Revoke access' }).click();
      await page.getByRole('heading', { name: 'Connected apps' }).waitFor();
      expect(await page.getByText(/Web Shop|Slow Starter/).count()).toBe(0);
      await shot('applications-none');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
      await shot('signed-out');
      await page.goto(`${world().url}/oauth/applications`);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    });

    it('is told when it has to wait, and shows where the demo ends', async () => {
      await page.goto(`${world().url}/demo/callback`);
      await shot('demo-callback-empty');
      await page.goto(`${world().url}/demo/callback?oauth_token=${'a1'.repeat(16)}&oauth_verifier=${'b2'.repeat(16)}`);
      await shot('demo-callback');
      await page.getByRole('heading', { name: 'The user approved the application' }).waitFor();
      expect(await page.locator('#command').innerText()).toContain(`oauth_verifier=${'b2'.repeat(16)} --token`);
      expect(refused).toEqual([]);
    });

    it('lets no page of another site frame ours', async () => {
      const blocked: string[] = [];
      page.on('console', (message) => blocked.push(message.text()));
      await page.setContent(`<iframe src="${world().url}/oauth/sign_in"></iframe>`);
      await page.waitForTimeout(500);
      const [, frame] = page.frames();
      expect(frame === undefined || !(await frame.content()).includes('Password')).toBe(true);
    });
  });
});
