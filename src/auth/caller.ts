import type { AccessLevel, Application } from './credentials/application.entity.js';
import type { Scope } from './credentials/scopes.js';

/** Who sent a request: a user, through an application, with a signature or a bearer token. */
export interface Caller {
  userId: string;
  /** The id of the access token; for a bearer token that of the grant, which stays the same when the token is refreshed. */
  tokenId: string;
  /** The token of a signature; for a bearer token the id of the grant. */
  token: string;
  /** Empty for a bearer token. */
  tokenSecret: string;
  /** What the user allowed, for a bearer token. Access tokens that sign have no scopes, only a level. */
  scopes?: readonly Scope[];
  /** The lower of what application and token allow. */
  accessLevel: AccessLevel;
  application: Pick<Application, 'id' | 'ownerId' | 'consumerKey' | 'adsAccess' | 'conversionsOnly'> & {
    consumerSecret: string;
  };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by passport once the signature is right. */
    user?: Caller;
  }
}
