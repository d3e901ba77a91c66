import { readFileSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from '../../../src/operations/docs/operation.js';
import { useApp } from '../../support/app.js';
import { asBearer, connect, oauth2App } from './oauth2-client.js';

useApp({ RATE_LIMITS: 'off', TRUST_PROXY: '127.0.0.1' });

describe('the scopes of endpoints', () => {
  const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPIObject;
  const operations = operationsOf(document).flatMap(({ path, method, operation }) => {
    const [scopes] = (operation.security ?? []).flatMap((each) => ('oauth2' in each ? [each.oauth2] : []));
    const prefix = operation['x-sandbox-only'] ? '/sandbox' : '';
    return scopes ? [{ method: method.toUpperCase(), path: prefix + path.replace(/\{\w+\}/g, '1'), scopes }] : [];
  });

  it('are those of the document: without one of them, each operation is 403', async () => {
    expect(operations.length).toBeGreaterThan(150);
    const wrong: string[] = [];
    const app = await oauth2App();
    const none = (await connect(app, 'users.read')).tokens.access_token;
    const other = (await connect(app, 'ads.read ads.write')).tokens.access_token;
    for (const { method, path, scopes } of operations) {
      const needsMedia = scopes.includes('media.write');
      for (const token of [...(scopes.length > 0 ? [none] : []), ...(needsMedia ? [other] : [])]) {
        const { status, headers } = await asBearer(token, method, path);
        const asked = /error="insufficient_scope", scope="([\w.]+)"/.exec(String(headers['www-authenticate']))?.[1];
        const expected = token === none ? scopes[0] : 'media.write';
        if (status !== 403 || asked !== expected) wrong.push(`${method} ${path}: ${status} ${asked}`);
      }
    }
    expect(wrong).toEqual([]);
  }, 120_000);

  it('are enough: with them, no operation misses one', async () => {
    const app = await oauth2App();
    const wrong: string[] = [];
    for (const scope of ['ads.read', 'ads.write', 'ads.write media.write', 'media.write']) {
      const token = (await connect(app, scope)).tokens.access_token;
      for (const { method, path, scopes } of operations.filter(({ scopes }) => scopes.join(' ') === scope)) {
        const { status, headers } = await asBearer(token, method, path);
        if (status === 401 || headers['www-authenticate']) wrong.push(`${method} ${path}: ${status} ${scopes.join()}`);
      }
    }
    expect(wrong).toEqual([]);
  }, 120_000);
});
