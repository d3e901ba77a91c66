import { CredentialsService } from '../../../src/auth/credentials/credentials.service.js';
import { useApp, world } from '../../support/app.js';
import { send } from '../../support/http.js';
import { application, fresh, requestToken } from './visitor.js';

useApp();

const credentials = () => world().get(CredentialsService);

/**
 * Takes the first id that is stored in this table from now on: each row with it is refused, as if another replica had been
 * faster. Which one it was is kept in a sequence, since that is not taken back with the transaction.
 */
async function takeFirstId(table: string): Promise<void> {
  await world().sql(`CREATE SEQUENCE taken_${table}`);
  await world().sql(`CREATE FUNCTION refuse_taken_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      id bigint := (hashtextextended(NEW.id, 0) >> 2) & 4611686018427387903;
      taken bigint := (SELECT CASE WHEN is_called THEN last_value END FROM taken_${table});
    BEGIN
      IF taken IS NULL OR taken = id THEN
        PERFORM setval('taken_${table}', id);
        RAISE unique_violation USING CONSTRAINT = 'PK_${table}';
      END IF;
      RETURN NEW;
    END $$`);
  await world().sql(
    `CREATE TRIGGER taken BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse_taken_${table}()`,
  );
}

/** Whether an id was refused, and the trigger is gone. */
async function refused(table: string): Promise<boolean> {
  await world().sql(`DROP TRIGGER taken ON ${table}`);
  const [{ called }] = await world().sql<{ called: boolean }>(`SELECT is_called AS called FROM taken_${table}`);
  return called;
}

describe('an id that is taken is drawn again', () => {
  it.each<[string, () => Promise<() => Promise<unknown>>]>([
    ['users', async () => () => credentials().createUser(fresh('taken'))],
    [
      'applications',
      async () => {
        const { id: ownerId } = await credentials().createUser(fresh('owner'));
        return () => credentials().createApplication({ name: 'Taken', ownerId });
      },
    ],
    [
      'access_tokens',
      async () => {
        const { id, ownerId } = await application();
        return () => credentials().issueToken(ownerId, id, 'write');
      },
    ],
    [
      'request_tokens',
      async () => {
        const { consumer } = await application();
        return async () => expect(await requestToken(consumer)).toMatchObject({ status: 200 });
      },
    ],
    [
      'bearer_tokens',
      async () => {
        const { consumer } = await application();
        const headers = {
          authorization: `Basic ${Buffer.from(`${consumer.key}:${consumer.secret}`).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        };
        const init = { method: 'POST', headers, body: 'grant_type=client_credentials' };
        return async () => expect(await send(world().url, '/oauth2/token', init)).toMatchObject({ status: 200 });
      },
    ],
  ])('in %s', async (table, prepare) => {
    const make = await prepare();
    await takeFirstId(table);
    try {
      await make();
    } finally {
      expect(await refused(table)).toBe(true);
    }
  });
});
