import { KeyRotation } from '../../../src/auth/credentials/key-rotation.js';
import { useApp, world } from '../../support/app.js';
import { Api } from '../../support/api.js';
import { REPLICAS } from '../../support/environment.js';
import { send } from '../../support/http.js';
import { createApp } from '../../../src/create-app.js';
import { Clock } from '../../../src/common/clock.js';
import { DataSource } from 'typeorm';
import { DATABASE, type Database } from '../../../src/common/db/database.js';
import { DatabaseNotifications } from '../../../src/common/db/cache/notifications.js';
import { Vault } from '../../../src/auth/credentials/vault.js';
import { Config } from '../../../src/config.js';
import { CredentialsService } from '../../../src/auth/credentials/credentials.service.js';
import { accessToken, application, flow, pairOf, requestToken, signedIn } from './visitor.js';

const key = (text: string) => Buffer.alloc(32, text);
const [OLD, NEW] = [key('old key'), key('new key')];
const KEYS = { MASTER_KEY: OLD.toString('base64'), PREVIOUS_MASTER_KEYS: NEW.toString('base64') };
useApp(KEYS);

/** A process on the same store with other keys, as far as the vault goes. */
async function vaultWith(masterKey: Buffer, previousMasterKeys: Buffer[] = []): Promise<Vault> {
  const config = Object.assign(new Config(), world().config, { masterKey, previousMasterKeys });
  const vault = new Vault(config, world().app.get(DataSource), new Clock(), world().app.get(DatabaseNotifications));
  await vault.onModuleInit();
  return vault;
}

const rotateWith = async (vault: Vault) => new KeyRotation(world().app.get(DataSource), vault).rotate();

/** Rotates once this process, and no other replica, was given the new key, as a restart would. */
async function rotateAfterRestart() {
  const vault = await vaultWith(NEW, [OLD]);
  world().get(Vault)['keys'].reverse();
  return rotateWith(vault);
}

describe('rotating the master key', () => {
  it('keeps every credential working, before, while and after', async () => {
    const { consumer } = await application();
    const { visitor } = await signedIn();
    const access = pairOf(await flow(consumer, visitor));
    const pending = pairOf(await requestToken(consumer));
    await visitor.decide(pending.key);
    const bearer = () =>
      send(world().url, '/oauth2/token', {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`${consumer.key}:${consumer.secret}`).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: 'grant_type=client_credentials',
      });
    const before = (await bearer()).body.access_token;

    const api = new Api({ consumer, token: access });
    let stopped = false;
    const statuses = new Set<number>();
    const calling = (async () => {
      while (!stopped) {
        await world().get(CredentialsService)['callers'].invalidate();
        statuses.add((await api.get('/12/accounts')).status);
      }
    })();
    // This process knows both keys and still seals under the old one: the first rotation says so.
    const first = await rotateWith(await vaultWith(NEW, [OLD]));
    expect(first.rows).toMatchObject({ bearer_tokens: 1 });
    expect(first.inUse).toHaveLength(1);
    stopped = true;
    await calling;
    expect([...statuses]).toEqual([200]);

    expect((await bearer()).body.access_token).toBe(before);
    expect((await accessToken(consumer, pending, visitor.pin)).status).toBe(200);
    await visitor.get('/oauth/applications');
    expect(visitor.heading).toBe('Connected apps');
    const sealed = await world().sql<{ sealed: string; lookup: string }>(
      'SELECT "sealedSecret" AS sealed, lookup FROM access_tokens',
    );
    const vault = await vaultWith(NEW, [OLD]);
    expect(sealed.length).toBeGreaterThan(0);
    for (const row of sealed) expect(row.sealed.startsWith(`${vault.keyId}.`)).toBe(true);
  });

  it('a start with neither key is refused by name, as is one without the old key while it is in use', async () => {
    await expect(vaultWith(key('another'))).rejects.toThrow(/MASTER_KEY: secrets in this store were sealed under key/);
    await expect(vaultWith(NEW)).rejects.toThrow(/MASTER_KEY/);
  });

  it('a whole process that starts with a wrong key refuses, too', async () => {
    const config = Object.freeze(
      Object.assign(new Config(), world().config, {
        masterKey: key('wrong'),
        previousMasterKeys: [],
        redisUrl: undefined,
      }),
    );
    // whatever it does to it, it does not close it
    const store: Database = { ...world().app.get<Database>(DATABASE), embedded: true, close: async () => undefined };
    await expect(createApp({ config, store, clock: new Clock() })).rejects.toThrow(/MASTER_KEY/);
  });

  (REPLICAS > 1 ? it : it.skip)('keeps the old key while another process seals under it', async () => {
    expect(await rotateAfterRestart()).toMatchObject({ retired: [], inUse: [expect.any(String)] });
  });
});

describe('rotating the master key of a single process', () => {
  useApp(KEYS, 1);

  it('retires the old key when nobody seals under it any more', async () => {
    const { retired, inUse } = await rotateAfterRestart();
    expect(inUse).toEqual([]);
    expect(retired).toHaveLength(1);
    await vaultWith(NEW);
    const { consumer } = await application();
    const { visitor } = await signedIn();
    const token = pairOf(await flow(consumer, visitor));
    expect((await new Api({ consumer, token }).get('/12/accounts')).status).toBe(200);
  });
});
