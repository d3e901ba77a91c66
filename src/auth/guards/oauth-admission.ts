import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { ApiError } from '../../common/errors/api-error.js';
import type { WindowUsage } from '../limits/windows.js';
import type { QuotaName } from '../../config/quotas.js';
import { rateLimited, unverified } from '../oauth-errors.js';
import { Admission } from './admission.js';

/** An authenticated application, and how its requests are treated. */
export interface AdmittedApplication {
  applicationId: string;
  quota: QuotaName;
  /** Creates the error for a used nonce. */
  replayed: (details: string) => ApiError;
}

/** Admission to the authentication endpoints and to the pages. */
@Injectable()
export class OAuthAdmission {
  constructor(private readonly admission: Admission) {}

  /** Admits a request of an authenticated application: stores its nonce and counts the request for the application. */
  async admitApplication(
    request: FastifyRequest,
    reply: FastifyReply,
    { applicationId, quota, replayed }: AdmittedApplication,
  ): Promise<void> {
    const { signedNonce: nonce } = request;
    await this.admission.admit(reply, {
      nonce,
      quota,
      owner: applicationId,
      replayed,
      limited: rateLimitErrorFor(request),
    });
  }

  /** Admits a request of an unknown application, that is a page or a failed attempt. It counts by its address. */
  async admitAddress(
    request: FastifyRequest,
    reply: FastifyReply,
    quota: 'OAUTH' | 'PAGES' | 'PIXEL_EVENTS' | 'PREVIEWS' | 'WORKBENCH',
  ): Promise<void> {
    await this.admission.admit(reply, { quota, owner: networkOf(request.ip), limited: rateLimitErrorFor(request) });
  }
}

/** The bearer token endpoint reports a full window as 403, as it does every failure. Other endpoints return 429. */
export const rateLimitErrorFor =
  ({ url }: FastifyRequest) =>
  (_usage: WindowUsage, retryAfter: number): ApiError =>
    url.startsWith('/oauth2/')
      ? unverified('too many requests; reuse the token that you received', { 'retry-after': `${retryAfter}` })
      : rateLimited(retryAfter);

/** An address with the port that some balancers append. */
const WITH_PORT = /^(?:\[([\da-f:.]{2,45})\]|([\d.]{7,15}))(?::\d{1,5})?$/i;

/**
 * The address of an IPv4 client or the /64 network of an IPv6 client: a client with one IPv6 address has 2^64 of them. What a
 * balancer sends instead of an address is the same for all, because clients may choose it.
 */
export function networkOf(sent: string): string {
  const [, inBrackets, plain] = WITH_PORT.exec(sent) ?? [];
  const address = inBrackets ?? plain ?? sent;
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
