import type { ActingAccount } from '../accounts/access/acting-account.js';
import type { Account, Business } from '../accounts/entities/account.entity.js';
import type { Application } from '../auth/credentials/application.entity.js';
import type { KnownToken } from '../auth/credentials/access-token.queries.js';
import type { User } from '../auth/credentials/user.entity.js';
import type { Grant } from '../auth/grants/grant.entity.js';
import type { Row } from '../common/db/query/rows.js';
import { CommandRefusal } from './refusal.js';
import type { Services } from './services.js';

/** The user with this username, with or without a leading @, or with this id. */
export async function findUser({ users }: Services, given: string): Promise<Row<User>> {
  const name = given.replace(/^@/, '');
  const user = (await users.findByUsername(name)) ?? (await users.findByIds([name]))[0];
  if (!user)
    throw new CommandRefusal(
      `there is no user ${name}; \`marquee user list\` lists users, \`marquee user create ${name}\` creates one`,
    );
  return user;
}

/** The application with this id, consumer key or name. */
export async function findApplication({ applicationQueries }: Services, given: string): Promise<Application> {
  const [application, another] = await applicationQueries.find(given);
  if (!application)
    throw new CommandRefusal(`there is no application ${given}; \`marquee app list\` lists applications`);
  if (another)
    throw new CommandRefusal(`several applications have the name ${given}; give the id of one (\`marquee app list\`)`);
  return application;
}

/** The access token, or the grant of OAuth 2.0, with this id or of this token, valid or revoked. */
export async function findToken({ tokenQueries, grantQueries }: Services, given: string): Promise<KnownToken | Grant> {
  const token = (await tokenQueries.find(given)) ?? (await grantQueries.find(given));
  if (!token) throw new CommandRefusal(`there is no access token ${given}; \`marquee token list\` lists access tokens`);
  return token;
}

/** The ad account with this id, of either environment. */
export async function findAccount({ administration }: Services, id: string): Promise<Account> {
  const account = await administration.account(id);
  if (!account) throw noAccount(id);
  return account;
}

/** The ad account, on behalf of a user who may act on it: the given one, or its first administrator. The history names this user. */
export async function findAdministrator(services: Services, id: string, by?: string): Promise<ActingAccount> {
  const { environment } = await findAccount(services, id);
  const userId = by === undefined ? await services.memberships.administrator(id) : (await findUser(services, by)).id;
  if (userId === undefined)
    throw new CommandRefusal(
      `account ${id} has no administrator; \`marquee account grant ${id} <user> ACCOUNT_ADMIN\` adds one`,
    );
  const account = await services.access.find(environment, id, userId);
  if (!account) throw new CommandRefusal(`${by} has no role on account ${id}; \`marquee account grant\` adds one`);
  return account;
}

export const noAccount = (id: string) =>
  new CommandRefusal(`there is no ad account ${id}; \`marquee account list\` lists ad accounts`);

/** The business with this id or name; a new name creates one. */
export async function findOrCreateBusiness({ businesses }: Services, given: string): Promise<Business> {
  const business = await businesses.findOrCreate(given);
  if (!business)
    throw new CommandRefusal(
      `there is no business ${given}, and a new business cannot have a name that looks like an id`,
    );
  return business;
}
