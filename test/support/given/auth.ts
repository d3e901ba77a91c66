import type { AccessLevel } from '../../../src/auth/credentials/application.entity.js';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { ApplicationQueries } from '../../../src/auth/credentials/application.queries.js';
import { ApplicationsService } from '../../../src/auth/credentials/applications.service.js';
import type { KeyAndSecret } from '../../../src/auth/credentials/tokens.js';
import { UsersService } from '../../../src/auth/credentials/users.service.js';
import type { User } from '../../../src/auth/credentials/user.entity.js';
import type { Row } from '../../../src/common/db/query/rows.js';
import type { AdsEnvironment } from '../../../src/common/http/urls/public-urls.js';
import { Api, type Credentials } from '../api.js';
import { world, type World } from '../app.js';
import { fresh } from './fresh.js';

/** Somebody who can call, through the one application of the spec file unless another is named. */
export interface Client {
  user: Row<User>;
  credentials: Credentials;
  api: Api;
}

export interface Application {
  id: string;
  consumer: KeyAndSecret;
}

/** The application of each service that callers use who need no other. */
const shared = new WeakMap<World, Promise<Application>>();

function sharedApplication(): Promise<Application> {
  const known = shared.get(world()) ?? auth.application();
  shared.set(world(), known);
  return known;
}

/** Who calls. */
export const auth = {
  /** An application of a user of its own. */
  async application(accessLevel: AccessLevel = 'write'): Promise<Application> {
    const users = world().get(UsersService);
    const applications = world().get(ApplicationsService);
    const owner = await users.create(fresh('owner'));
    const { application, consumer } = await applications.create({
      name: 'Tests',
      ownerId: owner.id,
      accessLevel,
    });
    return { id: application.id, consumer };
  },

  /** A new application, and its owner with a token of it. */
  async applicationOwner() {
    const application = await auth.application();
    const { ownerId } = (await world().get(ApplicationQueries).findById(application.id))!;
    const token = await world().get(AccessTokensService).issue(ownerId, application.id, 'write');
    return { application, ownerId, api: new Api({ consumer: application.consumer, token }) };
  },

  /** A user with a token. */
  async client({
    application,
    accessLevel = 'write',
    environment = 'production',
  }: { application?: Application; accessLevel?: AccessLevel; environment?: AdsEnvironment } = {}): Promise<Client> {
    const users = world().get(UsersService);
    const tokens = world().get(AccessTokensService);
    const { id, consumer } = application ?? (await sharedApplication());
    const user = await users.create(fresh('user'));
    const token = await tokens.issue(user.id, id, accessLevel);
    const own = { consumer, token };
    return { user, credentials: own, api: new Api(own).in(environment) };
  },

  /** The client's token is no more. */
  async revokedToken({ credentials }: Client): Promise<void> {
    await world().get(AccessTokensService).revoke(credentials.token.key);
    await world().caughtUp();
  },
};
