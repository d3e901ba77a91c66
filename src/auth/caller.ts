import type { AccessLevel } from './credentials/application.entity.js';

/** Who signed a request: a user, through an application, with a token. */
export interface Caller {
  userId: string;
  tokenId: string;
  token: string;
  tokenSecret: string;
  /** The lower of what application and token allow. */
  accessLevel: AccessLevel;
  application: { id: string; ownerId: string; consumerKey: string; consumerSecret: string; adsAccess: boolean };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by passport once the signature is right. */
    user?: Caller;
  }
}
